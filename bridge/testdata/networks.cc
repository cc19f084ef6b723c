// Stages that read a short dimension across itself: networks that sort, butterflies, small matrices. By hand a thread has all of it.
#include "Halide.h"

namespace {

using namespace Halide;

class Networks : public Generator<Networks> {
public:
    enum class Kind { first, last, median, butterflies, twice, streams };
    GeneratorParam<Kind> kind{"kind", Kind::first, {{"first", Kind::first}, {"last", Kind::last}, {"median", Kind::median}, {"butterflies", Kind::butterflies}, {"twice", Kind::twice}, {"streams", Kind::streams}}};
    GeneratorParam<bool> by_hand{"by_hand", false};

    Input<Buffer<int32_t, 3>> input{"input"};
    Output<Buffer<int32_t>> out{"out"};

    void generate() {
        const int n = kind == Kind::median || kind == Kind::streams ? 9 : kind == Kind::butterflies ? 16 : 8;
        const bool along_first = kind == Kind::first || kind == Kind::butterflies;
        const std::vector<Var> args = along_first ? std::vector<Var>{c, x, y} : std::vector<Var>{x, y, c};
        auto at = [&](Func f, Expr place) { return along_first ? f(place, x, y) : f(x, y, place); };

        if (kind == Kind::median) {
            Func edge = BoundaryConditions::repeat_edge(input);
            values(args) = edge(x + c % 3 - 1, y + c / 3 - 1, input.dim(2).min());
        } else if (kind == Kind::streams) {
            values = BoundaryConditions::repeat_edge(input, {{input.dim(0).min(), input.dim(0).extent()}, {input.dim(1).min(), input.dim(1).extent()}});
        } else {
            values(args) = at(input, c);
        }
        Func before = values;
        auto stage = [&](Expr value) {
            Func f("stage_" + std::to_string(stages.size()));
            f(args) = value;
            stages.push_back(f);
            before = f;
        };
        if (kind == Kind::streams) {
            streams(stage);
            before = stages.back();
        } else if (kind == Kind::butterflies) {
            for (int half = 1; half < n; half *= 2) {
                Expr low = clamp(c / (2 * half) * (2 * half) + c % half, 0, n - 1);
                Expr high = clamp(low + half, 0, n - 1);
                stage(select(c / half % 2 == 0, at(before, low) + at(before, high), at(before, low) - at(before, high)));
            }
        } else {
            for (int i = 0; i < n; i++) {  // neighbours in pairs, odd-even transposition
                Expr even = (c - i % 2) % 2 == 0;
                Expr other = clamp(select(even, c + 1, c - 1), 0, n - 1);
                stage(select(other == c, at(before, c), even, min(at(before, c), at(before, other)), max(at(before, c), at(before, other))));
            }
        }
        if (kind == Kind::median) {
            out(x, y) = at(before, 4);
        } else if (kind == Kind::twice) {  // all of it is read at two points
            out(x, y) = at(before, 7) - at(before, 0) + before(x + 1, y, 3);
        } else {
            out(args) = at(before, c);
        }

        const int width = 512, height = 256;
        if (kind != Kind::median && kind != Kind::twice) {
            out.dim(along_first ? 0 : 2).set_bounds(0, n);
        }
        if (along_first) {
            input.set_estimates({{0, n}, {0, width}, {0, height}});
            out.set_estimates({{0, n}, {0, width}, {0, height}});
        } else {
            input.set_estimates({{0, width + 1}, {0, height}, {0, n}});
            Region estimates = {{0, width}, {0, height}};
            if (out.dimensions() == 3) {
                estimates.emplace_back(0, n);
            }
            out.set_estimates(estimates);
        }
        if (by_hand && get_target().has_gpu_feature()) {
            schedule_by_hand(args);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, x_i{"x_i"}, y_i{"y_i"};
    std::vector<Func> stages;
    Func values{"values"};

    // Two steps of a lattice of nine directions: what comes from each neighbour is moved, and each direction chosen to be relaxed by itself. The first step is stored, of nine directions as the places say
    // where the second reads it.
    void streams(const std::function<void(Expr)> &stage) {
        const int cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, w[] = {16, 4, 4, 4, 4, 1, 1, 1, 1};
        Func from = values;
        for (int step = 0; step < 2; step++) {
            Func moved("moved_" + std::to_string(step)), sum("sum_" + std::to_string(step)), along("along_" + std::to_string(step)), across("across_" + std::to_string(step));
            Expr e = from(x, y, 0);
            for (int i = 1; i < 9; i++) {
                e = select(c == i, from(x - cx[i], y - cy[i], i), e);
            }
            moved(x, y, c) = e;
            Expr all = 0, right = 0, down = 0;
            for (int i = 0; i < 9; i++) {
                all += moved(x, y, i);
                right += cx[i] * moved(x, y, i);
                down += cy[i] * moved(x, y, i);
            }
            sum(x, y) = all;
            along(x, y) = right;
            across(x, y) = down;
            Expr relaxed;
            for (int i = 8; i >= 0; i--) {
                Expr u = cx[i] * along(x, y) + cy[i] * across(x, y);
                Expr value = w[i] * (8 * sum(x, y) + 24 * u + u * u - along(x, y) * along(x, y) - across(x, y) * across(x, y)) / 256;
                relaxed = i == 8 ? value : select(c == i, value, relaxed);
            }
            stage(moved(x, y, c) + (relaxed - moved(x, y, c)) / 2);
            from = stages.back();
        }
    }

    void schedule_by_hand(const std::vector<Var> &args) {
        Func into = out;
        if (kind == Kind::streams) {
            stages.front().compute_root().bound(c, 0, 9).reorder(c, x, y).unroll(c).gpu_tile(x, y, x_i, y_i, 32, 4);
            out.reorder(c, x, y).unroll(c).gpu_tile(x, y, x_i, y_i, 32, 4);
            return;
        }
        if (kind == Kind::twice) {
            into = stages.back();
            stages.pop_back();
            out.gpu_tile(x, y, x_i, y_i, 32, 4);
            into.compute_root();
        }
        if (into.dimensions() == 3) {
            into.reorder(c, x, y).unroll(c);
        }
        into.gpu_tile(x, y, x_i, y_i, 32, 4);
        for (Func f : stages) {
            f.compute_at(into, x_i).reorder(c, x, y).unroll(c);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Networks, networks)

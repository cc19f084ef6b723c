// Thirty-two 5x5 stencils in a row over a 16-bit image, written as a user writes it:
// the algorithm, estimates, and no schedule but for comparison.
#include "Halide.h"

namespace {

using namespace Halide;

class StencilChain : public Generator<StencilChain> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> stencils{"stencils", 32};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<uint16_t, 2>> input{"input"};
    Output<Buffer<uint16_t, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y");
        Func image("image");
        image = BoundaryConditions::repeat_edge(input);
        std::vector<Func> chain{image};
        for (int s = 0; s < stencils; s++) {
            Func next("stencil_" + std::to_string(s));
            next(x, y) = weighted(image, x, y);
            image = next;
            chain.push_back(image);
        }
        output(x, y) = image(x, y);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});

        if (scheduled == Schedule::expert) {
            // Two stencils a kernel, the first of 128x64 pixels in shared memory. A thread computes
            // 4x4 pixels of each in registers, from a window that it reads by fours as it writes them: rows and
            // tiles begin at multiples of four.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), xt("xt"), yt("yt");
            auto by_fours = [&](Func pixels, Func stored, TailStrategy tail) {
                Var u = stored.args()[0], v = stored.args()[1];
                stored.never_partition_all().tile(u, v, xt, yt, xi, yi, 4, 4, tail).vectorize(xi).unroll(yi);
                pixels.compute_at(stored, xt).unroll(x).unroll(y);
            };
            auto window = [&](Func before, Func pixels, Func stored) {
                Func w = before.in(pixels);
                Var u = w.args()[0], v = w.args()[1];
                w.compute_at(stored, xt).vectorize(u, 4).unroll(u).unroll(v);
            };
            output.dim(0).set_min(0);
            output.dim(1).set_min(0);
            Func before = chain[0];
            for (size_t s = 2; s < chain.size(); s += 2) {
                const bool last = s + 1 == chain.size();
                Func inner = chain[s - 1], staged = inner.in(), pixels = chain[s];
                Func stored = last ? Func(output) : pixels.in();
                stored.compute_root();
                by_fours(pixels, stored, last ? TailStrategy::ShiftInwards : TailStrategy::RoundUp);
                stored.gpu_tile(xt, yt, xo, yo, xt, yt, 31, 15);
                if (!last) {
                    stored.align_storage(stored.args()[0], 4);
                }
                staged.compute_at(stored, xo);
                by_fours(inner, staged, TailStrategy::RoundUp);
                staged.gpu_threads(xt, yt);
                window(staged, pixels, stored);
                window(before, inner, staged);
                before = stored;
            }
        }
    }

private:
    // Not separable, and not symmetric: a stencil that is turned or mirrored shows. The
    // weights add up to 256, so that values stay within 16 bits.
    static Expr weighted(Func f, Var x, Var y) {
        const int weights[5][5] = {
            {1, 4, 6, 5, 2},
            {5, 15, 20, 17, 3},
            {8, 21, 40, 22, 7},
            {3, 16, 23, 13, 5},
            {1, 6, 8, 4, 1},
        };
        Expr sum = cast<uint32_t>(128);
        for (int dy = -2; dy <= 2; dy++) {
            for (int dx = -2; dx <= 2; dx++) {
                sum += cast<uint32_t>(weights[dy + 2][dx + 2]) * f(x + dx, y + dy);
            }
        }
        return cast<uint16_t>(sum >> 8);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(StencilChain, stencil_chain)

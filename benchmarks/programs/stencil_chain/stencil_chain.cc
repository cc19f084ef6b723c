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
    GeneratorParam<Schedule> schedule{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

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

        if (schedule == Schedule::expert) {
            // A kernel a stencil. A thread computes 4x4 pixels in registers, from a window that it
            // reads by fours as it writes them: rows begin at multiples of four.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), xt("xt"), yt("yt");
            Func before = chain[0];
            for (size_t s = 1; s < chain.size(); s++) {
                const bool last = s + 1 == chain.size();
                Func pixels = chain[s], window = before.in(pixels);
                Func stored = last ? Func(output) : pixels.in();
                Var u = stored.args()[0], v = stored.args()[1];
                stored.compute_root()
                    .never_partition_all()
                    .tile(u, v, xt, yt, xi, yi, 4, 4, last ? TailStrategy::ShiftInwards : TailStrategy::RoundUp)
                    .gpu_tile(xt, yt, xo, yo, xt, yt, 32, 8, TailStrategy::GuardWithIf)
                    .vectorize(xi)
                    .unroll(yi);
                if (!last) {
                    stored.align_storage(u, 4);
                }
                pixels.compute_at(stored, xt).unroll(x).unroll(y);
                u = before.args()[0], v = before.args()[1];
                window.compute_at(stored, xt).vectorize(u, 4).unroll(u).unroll(v);
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

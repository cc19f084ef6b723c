// Thirty-two 5x5 stencils in a row over a 16-bit image, written as a user writes it:
// the algorithm, estimates, no schedule.
#include "Halide.h"

namespace {

using namespace Halide;

class StencilChain : public Generator<StencilChain> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> stencils{"stencils", 32};

    Input<Buffer<uint16_t, 2>> input{"input"};
    Output<Buffer<uint16_t, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y");
        Func image("image");
        image = BoundaryConditions::repeat_edge(input);
        for (int s = 0; s < stencils; s++) {
            Func next("stencil_" + std::to_string(s));
            next(x, y) = weighted(image, x, y);
            image = next;
        }
        output(x, y) = image(x, y);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
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

// How far patches are apart: sums of squares of differences, in whose expressions Halide gives names to what their indices have in common.

#include "Halide.h"

namespace {

using namespace Halide;

class Squares : public Generator<Squares> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), z("z"), c("c");
        Func smooth("smooth"), apart("apart");
        Func padded = BoundaryConditions::repeat_edge(input);
        RDom around(-3, 7, -3, 7), colours(0, 3), column(-3, 7);
        smooth(x, y, c) = sum(cast<float>(padded(x + around.x, y + around.y, c) / 64));  // whole numbers, so that all sums are exact
        Expr difference = smooth(x, y, colours) - smooth(x + z - 3, y + z % 3, colours);
        apart(x, y, z) = sum(difference * difference);
        out(x, y, z) = sum(apart(x, y + column, z));
    }

    void schedule() {
        input.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 2560}, {0, 7}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Squares, squares)

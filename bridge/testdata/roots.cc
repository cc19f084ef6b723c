// Distances as places: of the square of a difference Halide takes the least for a product of the difference's ends, below 0 where that may be either, of which no root is a number.
#include "Halide.h"

namespace {

using namespace Halide;

class Roots : public Generator<Roots> {
public:
    Input<Buffer<float, 2>> in{"in"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func edge = BoundaryConditions::constant_exterior(in, 0.0f), sum("sum");
        RDom r(0, 16);
        Expr across = (x - 64) * 0.5f - (r - 8) * 0.25f, down = cast<float>(y);
        Expr distance = sqrt(across * across + down * down);
        sum(x, y) = 0.0f;
        sum(x, y) += edge(cast<int>(floor(distance)), r);
        out(x, y) = sum(x, y);
        in.set_estimates({{0, 512}, {0, 16}});
        out.set_estimates({{0, 128}, {0, 512}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Roots, roots)

// A Func in memory whose region has a halo, so that its rows are no whole vectors: the output reads its neighbourhood, and a place too far off for a tile.
#include "Halide.h"

namespace {

using namespace Halide;

class Halo : public Generator<Halo> {
public:
    Input<Buffer<float, 2>> in{"in"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func outside = BoundaryConditions::constant_exterior(in, 0.0f), stored("stored"), tallest("tallest");
        stored(x, y) = outside(x, y);
        RDom r(-3, 7, -3, 7);
        tallest(x, y) = 0.0f;
        tallest(x, y) = max(tallest(x, y), select(r.x == 0 && r.y == 0, 0.0f, stored(x + r.x, y + r.y)));
        out(x, y) = select(stored(x, y) > tallest(x, y), stored(x, y) - stored(x - 46, y + 70), 0.0f);
        in.set_estimates({{0, 1280}, {0, 736}});
        out.set_estimates({{0, 1280}, {0, 736}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Halo, halo)

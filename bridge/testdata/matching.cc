// How well two pictures match at each disparity: a volume whose every point is computed from a dozen values of memory, and nothing that others compute.

#include "Halide.h"

namespace {

using namespace Halide;
using BoundaryConditions::repeat_edge;

class Matching : public Generator<Matching> {
public:
    GeneratorParam<int> slices{"slices", 16};
    Input<Buffer<uint8_t, 3>> left{"left"};
    Input<Buffer<uint8_t, 3>> right{"right"};
    Output<Buffer<uint32_t, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), z("z"), c("c");
        Func near("near"), off("off");
        Func here = repeat_edge(left), there = repeat_edge(right);
        Expr seen = here(x, y, c), at = x - 2 * z;
        near(x, y, z, c) = min(absd(seen, there(at, y, c)), absd(seen, there(at - 1, y, c)));
        off(x, y, z, c) = max(near(x, y, z, c), 8) - 8;
        out(x, y, z) = cast<uint32_t>(off(x, y, z, 0)) + off(x, y, z, 1) + off(x, y, z, 2);
    }

    void schedule() {
        left.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        right.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 2560}, {0, (int)slices}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Matching, matching)

// Warps an image by a flow field, as motion compensation does. The places that are read are loaded
// values of any size: what keeps them inside the image is the boundary condition alone, and
// no memory could hold all that a flow may point to.
#include "Halide.h"

namespace {

using namespace Halide;

class Flow : public Generator<Flow> {
public:
    Input<Buffer<uint8_t, 2>> frame{"frame"};
    Input<Buffer<float, 3>> motion{"motion"};  // x, y, which coordinate
    Output<Buffer<int16_t, 2>> residue{"residue"};
    Output<Buffer<uint8_t, 2>> moved{"moved"};

    void generate() {
        Var x("x"), y("y");
        Func still = BoundaryConditions::repeat_edge(frame);
        // A slope stands between the boundary and the warp: it has no clamp of its own.
        Func slope("slope"), warped("warped");
        slope(x, y) = cast<int16_t>(still(x + 1, y)) - still(x - 1, y);
        Expr fx = x + cast<int>(floor(motion(x, y, 0))), fy = y + cast<int>(floor(motion(x, y, 1)));
        warped(x, y) = still(fx, fy);
        moved(x, y) = warped(x, y);
        residue(x, y) = cast<int16_t>(warped(x, y)) - still(x, y) + slope(fx, fy);

        frame.set_estimates({{0, 800}, {0, 600}});
        motion.set_estimates({{0, 800}, {0, 600}, {0, 2}});
        residue.set_estimates({{0, 800}, {0, 600}});
        moved.set_estimates({{0, 800}, {0, 600}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Flow, flow)

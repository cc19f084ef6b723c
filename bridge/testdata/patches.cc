// How alike the surroundings of a point are in pictures of a sequence: a sum over 27 places of two pictures, written as a reduction over three short loops.

#include "Halide.h"

namespace {

using namespace Halide;
using BoundaryConditions::mirror_interior;

class Patches : public Generator<Patches> {
public:
    Input<Buffer<uint8_t, 4>> video{"video"};
    Output<Buffer<float, 4>> out{"out"};

    void generate() {
        Var x("x"), y("y"), t("t"), later("later");
        Func seen = mirror_interior(video), apart("apart");
        RDom r(-1, 3, -1, 3, 0, 3, "r");
        apart(x, y, t, later) += cast<float>(absd(seen(x + r.x, y + r.y, r.z, t), seen(x + r.x, y + r.y, r.z, t + later)));
        out(x, y, t, later) = 1.0f / (1.0f + apart(x, y, t, later));
    }

    void schedule() {
        video.set_estimates({{0, 640}, {0, 360}, {0, 3}, {0, 9}});
        out.set_estimates({{0, 640}, {0, 360}, {0, 9}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Patches, patches)

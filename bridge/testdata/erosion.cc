// Bytes and booleans that are combined by bits over a disk: a mask that is eroded, a parity.
#include "Halide.h"

namespace {

using namespace Halide;

class Erosion : public Generator<Erosion> {
public:
    Input<Buffer<void, 2>> in{"in"};
    Output<Buffer<void, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        RDom r(-2, 5, -2, 5);
        r.where(r.x * r.x + r.y * r.y <= 5);
        const Type t = in.type();
        Func edge = BoundaryConditions::constant_exterior(in, cast(t, 0));
        Func eroded("eroded");
        if (t.is_bool()) {
            eroded(x, y) = cast<bool>(true);
            eroded(x, y) = eroded(x, y) && edge(x + r.x, y + r.y);
        } else {
            eroded(x, y) = cast(t, 0);
            eroded(x, y) = eroded(x, y) ^ edge(x + r.x, y + r.y);
        }
        out(x, y) = eroded(x, y);
        in.set_estimates({{0, 1281}, {0, 721}});
        out.set_estimates({{0, 1281}, {0, 721}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Erosion, erosion)

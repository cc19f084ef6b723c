// Rows of elements of 8 and 16 bits, with a sign and without, with a halo, and beside them booleans, which gowarp does not load several of at once.
#include "Halide.h"

namespace {

using namespace Halide;

class Narrow : public Generator<Narrow> {
public:
    Input<Buffer<void, 2>> in{"in"};
    Input<Buffer<bool, 2>> mask{"mask"};
    Output<Buffer<void, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        const Type t = in.type();
        Func stage("stage");
        stage(x, y) = cast(t, (in(x, y) - in(x + 1, y)) + in(x + 2, y));
        out(x, y) = select(mask(x, y), stage(x, y), cast(t, in(x, y) - 3));
        in.set_estimates({{0, 1028}, {0, 1024}});
        mask.set_estimates({{0, 1024}, {0, 1024}});
        out.set_estimates({{0, 1024}, {0, 1024}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Narrow, narrow)

// Colours of which one buffer is interleaved and another is not.
#include "Halide.h"

namespace {

using namespace Halide;

class Interleaved : public Generator<Interleaved> {
public:
    Input<Buffer<uint8_t, 3>> in{"in"};
    Output<Buffer<uint8_t, 3>> out{"out"};
    Output<Buffer<uint16_t, 3>> planar{"planar"};

    void generate() {
        Var x("x"), y("y"), c("c");
        out(x, y, c) = in(x, y, 2 - c);
        planar(x, y, c) = cast<uint16_t>(in(x, y, c)) + cast<uint16_t>(in(x, y, 2 - c));
        in.dim(0).set_stride(3);
        in.dim(2).set_stride(1).set_bounds(0, 3);
        out.dim(0).set_stride(3);
        out.dim(2).set_stride(1).set_bounds(0, 3);
        in.set_estimates({{0, 768}, {0, 512}, {0, 3}});
        out.set_estimates({{0, 768}, {0, 512}, {0, 3}});
        planar.set_estimates({{0, 768}, {0, 512}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Interleaved, interleaved)

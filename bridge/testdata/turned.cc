// A Func that computes the same everywhere and is read both ways, so that it has a kernel of its own.
#include "Halide.h"

namespace {

using namespace Halide;

class Turned : public Generator<Turned> {
public:
    Input<Buffer<float, 2>> in{"in"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func stored("stored");
        Expr sum = 0.0f;
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                sum = sum * 0.5f + in(x + dx, y + dy);
            }
        }
        stored(x, y) = sum;
        out(x, y) = stored(y, x) - stored(x, y);
        in.set_estimates({{0, 1026}, {0, 1026}});
        out.set_estimates({{0, 1024}, {0, 1024}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Turned, turned)

// A Func that computes the same everywhere, is dear, and is read both ways at places far apart, so that it has a kernel of its own.
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
                sum = sum * 0.5f + exp(in(x + dx, y + dy) * 0.125f);
            }
        }
        stored(x, y) = sum;
        out(x, y) = stored(y, x) - stored(x, y) + stored(y + 9, x) - stored(x, y + 9);
        in.set_estimates({{0, 4107}, {0, 4107}});
        out.set_estimates({{0, 4096}, {0, 4096}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Turned, turned)

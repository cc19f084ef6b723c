// A window of products of two gradients, whose rows are parts of a lane's code that load some of their places as vectors.
#include "Halide.h"

namespace {

using namespace Halide;

class PartWindows : public Generator<PartWindows> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func in = BoundaryConditions::repeat_edge(input), gx("gx"), gy("gy"), f("f");
        gx(x, y) = in(x + 1, y) - in(x - 1, y);
        gy(x, y) = in(x, y + 1) - in(x, y - 1);
        f(x, y) = gx(x, y) * gy(x, y);
        Expr sum = 0.f;
        for (int i = -1; i <= 1; i++) {
            for (int j = -1; j <= 1; j++) {
                sum = sum + f(x + i, y + j);
            }
        }
        out(x, y) = sum;
        input.set_estimates({{0, 1536}, {0, 1024}});
        out.set_estimates({{0, 1536}, {0, 1024}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(PartWindows, partwindows)

// What of each tile's histogram lies above a limit: a histogram of bytes whose bins a sum over all of them reads, as contrast is limited before it is equalized.

#include "Halide.h"

namespace {

using namespace Halide;

class Clipped : public Generator<Clipped> {
public:
    Input<Buffer<uint8_t, 2>> in{"in"};
    Input<int> limit{"limit", 9, 0, 1000};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), bin("bin");
        Expr across = (in.width() + 7) / 8, down = (in.height() + 7) / 8;
        Func near = BoundaryConditions::repeat_edge(in), counts("counts"), excess("excess");
        RDom p(0, across, 0, down, "p"), b(0, 256, "b");
        counts(bin, x, y) = 0;
        counts(cast<int>(near(x * across + p.x, y * down + p.y)), x, y) += 1;
        excess(x, y) += max(counts(b, x, y) - limit, 0);
        out(x, y) = excess(x, y) + counts(0, x, y);
    }

    void schedule() {
        in.set_estimates({{0, 1536}, {0, 1024}});
        limit.set_estimate(9);
        out.set_estimates({{0, 8}, {0, 8}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Clipped, clipped)

// An output that reads one Func on one side of a line and another beyond it. Halide asks for no more of each than its side, so that their parts have no fixed sizes, which only
// lowering shows.
#include <Halide.h>

using namespace Halide;

namespace {

class Sides : public Generator<Sides> {
public:
    Input<Buffer<float, 2>> in{"in"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func clamped = BoundaryConditions::repeat_edge(in), left("left"), right("right");
        RDom r(-4, 9, -4, 9);
        left(x, y) += clamped(x + r.x, y + r.y);
        right(x, y) += exp(clamped(x + r.x, y + r.y));
        out(x, y) = select(x < 64, left(x, y) + left(x, y + 1), right(x, y) + right(x, y + 1));
        in.set_estimates({{0, 64}, {0, 480}});
        out.set_estimates({{0, 64}, {0, 480}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Sides, sides)

// A corner measure of bytes with an edge, in as many forms as the lowering pass of demand order treats apart: colours around the points, products
// that become parts of sums, values that several points share, and places in the image that the data tell.
#include "Halide.h"

namespace {

using namespace Halide;

class Edges : public Generator<Edges> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func photo("photo"), gray("gray"), across("across"), along("along"), corner("corner");
        photo = BoundaryConditions::repeat_edge(input);
        gray(x, y) = cast<float>(photo(x, y, 0)) * 2 + cast<float>(photo(x, y, 1)) * 5 + cast<float>(photo(x, y, 2));
        across(x, y) = gray(x + 1, y) - gray(x - 2, y + 1);
        along(x, y) = gray(x, y + 2) - gray(x + 1, y - 1);
        corner(x, y) = across(x - 1, y) * along(x + 1, y + 1) + across(x, y - 1) * along(x, y);
        // Integers, and so the same places on any processor.
        out(x, y, c) = corner(x, y) * cast<float>(photo(x + cast<int>(across(x, y)) % 3, y, c)) + sqrt(abs(across(x + 1, y))) + cast<float>(photo(x, y, c));

        input.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Edges, edges)

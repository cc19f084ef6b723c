// A stencil of an image under each of Halide's boundary conditions, which a tile of a warp computes.
#include "Halide.h"

namespace {

using namespace Halide;

class Boundaries : public Generator<Boundaries> {
public:
    GeneratorParam<std::string> boundary{"boundary", "repeat_edge"};
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        using namespace BoundaryConditions;
        Var x("x"), y("y"), c("c");
        const std::string by = boundary;
        Func photo("photo"), twice("twice"), across("across");
        photo = by == "repeat_edge" ? repeat_edge(input) : by == "mirror_image" ? mirror_image(input) : by == "mirror_interior" ? mirror_interior(input) : by == "repeat_image" ? repeat_image(input) : constant_exterior(input, 7);
        twice(x, y, c) = cast<float>(photo(x, y, c)) * 2 + cast<float>(photo(x - 1, y + 1, c));
        across(x, y, c) = twice(x, y, c) + 3 * twice(x + 1, y, c) - twice(x - 2, y, c);
        out(x, y, c) = across(x, y, c) - 2 * across(x, y + 2, c) + across(x, y - 2, c);

        input.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Boundaries, boundaries)

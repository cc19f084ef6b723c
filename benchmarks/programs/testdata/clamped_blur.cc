// The 3x3 box blur of an image with a boundary condition, in two stages, in several types: what tiles of
// warps take, which compute whole tiles and so read beyond the image.
#include "Halide.h"

namespace {

using namespace Halide;

class ClampedBlur : public Generator<ClampedBlur> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<bool> pair{"pair", false};  // a Tuple of two types between the stages

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        // Files hold no values of 16-bit floats.
        const Type t = type;
        input.set_type(t == Float(16) ? Float(32) : t);
        output.set_type(t == Float(16) ? Float(32) : t);
    }

    void generate() {
        Var x("x"), y("y");
        Func clamped = BoundaryConditions::repeat_edge(input), in("in");
        in(x, y) = cast(type, clamped(x, y));
        Func across("across"), down("down");
        const auto third = [&](const Expr &a, const Expr &b, const Expr &c) {
            // Weights that no two taps share: a neighbour in the wrong lane shows.
            return a * cast(type, 2) + b * cast(type, 3) + c;
        };
        const Expr sum = third(in(x - 1, y), in(x, y), in(x + 1, y));
        if (pair) {
            across(x, y) = Tuple(sum, cast<uint8_t>(x + 3 * y));
            const auto at = [&](const Expr &i, const Expr &j) { return across(i, j)[0] + cast(type, across(i, j)[1]); };
            down(x, y) = third(at(x - 1, y - 1), at(x, y), at(x + 1, y + 1));
        } else {
            across(x, y) = sum;
            down(x, y) = third(across(x - 1, y - 1), across(x, y), across(x + 1, y + 1));
        }
        output(x, y) = cast(output.type(), third(down(x - 1, y), down(x, y), down(x + 1, y - 1)));

        input.set_estimates({{0, 1536}, {0, 2560}});
        output.set_estimates({{0, 1536}, {0, 2560}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ClampedBlur, clamped_blur)

// Transforms of blocks of points, as a decoder makes of the coefficients of each 8x8 block: Funcs that have so many points along two dimensions in every run, of an input that has no more than is read.
#include "Halide.h"

namespace {

using namespace Halide;

class BlockTransform : public Generator<BlockTransform> {
public:
    GeneratorParam<int> side{"side", 8};
    GeneratorParam<bool> columns{"columns", true};  // else rows alone
    GeneratorParam<bool> floats{"floats", false};

    Input<Buffer<int16_t, 4>> coefficients{"coefficients"};  // within a block, and by block
    Input<Buffer<int32_t, 2>> basis{"basis"};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), bx("bx"), by("by");
        const Type t = floats ? Float(32) : Int(32);
        RDom r(0, side, "r");
        Func rows("rows"), block("block");
        rows(x, y, bx, by) = cast(t, 0);
        rows(x, y, bx, by) += cast(t, basis(r, x)) * cast(t, coefficients(r, y, bx, by));
        if (columns) {
            block(x, y, bx, by) = cast(t, 0);
            block(x, y, bx, by) += cast(t, basis(r, y)) * rows(x, r, bx, by);
        } else {
            block(x, y, bx, by) = rows(x, y, bx, by) / 2;
        }
        out(x, y) = cast<int>(block(x % side, y % side, x / side, y / side)) + 128;
        basis.set_estimates({{0, side}, {0, side}});
        coefficients.set_estimates({{0, side}, {0, side}, {0, 64}, {0, 48}});
        out.set_estimates({{0, 64 * side}, {0, 48 * side}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BlockTransform, block_transform)

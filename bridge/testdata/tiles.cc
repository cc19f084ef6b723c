// A stencil of a volume in memory and a reader of it, which a tile of a warp computes row by row: with points that other lanes need, or without.
#include "Halide.h"

namespace {

using namespace Halide;

class Tiles : public Generator<Tiles> {
public:
    GeneratorParam<int> reach{"reach", 1};  // how far along a row the reader reads: 0 for no other lane's points
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), z("z");
        Func edge("edge"), stored("stored"), stencil("stencil");
        edge = BoundaryConditions::repeat_edge(input);
        stored(x, y, z) = edge(x, y, z) * 2.0f;
        RDom r(1, input.dim(2).extent() - 1);
        stored(x, y, r) += stored(x, y, r - 1) / 2;  // a scan is in memory
        stencil(x, y, z) = stored(x, y, z) + 3 * stored(x - 1, y, z) - stored(x, y - 1, z) + 2 * stored(x, y + 1, z) - stored(x, y, z + 1);
        out(x, y, z) = stencil(x, y, z) - 2 * stencil(x + reach, y, z);

        input.set_estimates({{0, 256}, {0, 256}, {0, 64}});
        out.set_estimates({{0, 256}, {0, 256}, {0, 64}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Tiles, tiles)

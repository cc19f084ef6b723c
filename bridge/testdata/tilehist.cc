// A histogram of each tile of an image: of the place that it adds to Halide simplifies the load and not the store, and then makes no atomic addition by itself.
#include "Halide.h"

namespace {

using namespace Halide;

class TileHist : public Generator<TileHist> {
public:
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<int32_t, 3>> out{"out"};

    void generate() {
        Var b("b"), x("x"), y("y");
        Func tiles("tiles");
        const Func in = BoundaryConditions::mirror_image(image);
        RDom r(0, 32, 0, 32, "r");
        tiles(b, x, y) = 0;
        tiles(cast<int>(in(32 * x + r.x - 16, 32 * y + r.y)), x, y) += 1;
        out(b, x, y) = tiles(b, x, y) + tiles(255 - b, x, y);
        image.set_estimates({{0, 256}, {0, 256}});
        out.set_estimates({{0, 256}, {0, 8}, {0, 8}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(TileHist, tilehist)

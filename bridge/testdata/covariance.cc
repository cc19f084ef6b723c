#include "Halide.h"

using namespace Halide;

namespace {

// Sums of the products of all pairs of colours of an image: few points, each a sum of all pixels, which share what they load.
class Covariance : public Generator<Covariance> {
public:
    Input<Buffer<uint8_t, 3>> image{"image"};
    Output<Buffer<int32_t, 2>> out{"out"};
    Var x{"x"}, y{"y"};

    void generate() {
        RDom r(0, image.width(), 0, image.height(), "r");
        Func sums("sums");
        sums(x, y) += cast<int32_t>(image(r.x, r.y, x)) * image(r.x, r.y, y);
        out(x, y) = sums(x, y);
        image.set_estimates({{0, 640}, {0, 480}, {0, 3}});
        out.set_estimates({{0, 3}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Covariance, covariance)

// Sums of products with 3x3 weights, whose strides hang on how the weights lie.
#include "Halide.h"

namespace {

using namespace Halide;

class Weights : public Generator<Weights> {
public:
    Input<Buffer<float, 3>> in{"in"};
    Input<Buffer<float, 4>> weights{"weights"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), m("m");
        RDom r(0, 3, 0, 3, 0, weights.dim(2).extent());
        Func sum("sum");
        sum(x, y, m) = 0.0f;
        sum(x, y, m) += weights(r.x, r.y, r.z, m) * in(x + r.x, y + r.y, r.z);
        out(x, y, m) = sum(x, y, m) * 0.5f;
        in.set_estimates({{0, 130}, {0, 130}, {0, 16}});
        weights.set_estimates({{0, 3}, {0, 3}, {0, 16}, {0, 16}});
        out.set_estimates({{0, 128}, {0, 128}, {0, 16}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Weights, weights)

// A layer of a convolutional network: convolution, bias, rectifier, written as a user
// writes it: the algorithm, estimates, no schedule. Planar, x first, as in NCHW; the input
// carries its own padding.
#include "Halide.h"

namespace {

using namespace Halide;

class ConvLayer : public Generator<ConvLayer> {
public:
    // Of the output.
    GeneratorParam<int> width{"width", 128};
    GeneratorParam<int> height{"height", 128};
    GeneratorParam<int> maps{"maps", 64};
    GeneratorParam<int> batch{"batch", 4};
    GeneratorParam<int> input_maps{"input_maps", 64};
    GeneratorParam<int> kernel{"kernel", 3};
    GeneratorParam<int> stride{"stride", 1};

    Input<Buffer<float, 4>> input{"input"};
    Input<Buffer<float, 4>> filter{"filter"};  // x, y, input's map, output's map
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 4>> output{"output"};

    void generate() {
        Var x("x"), y("y"), m("m"), n("n");
        RDom r(0, kernel, 0, kernel, 0, filter.dim(2).extent(), "r");

        Func convolved("convolved");
        convolved(x, y, m, n) = bias(m);
        convolved(x, y, m, n) += filter(r.x, r.y, r.z, m) * input(x * stride + r.x, y * stride + r.y, r.z, n);

        output(x, y, m, n) = max(convolved(x, y, m, n), 0.0f);

        auto reach = [&](int extent) { return (extent - 1) * stride + kernel; };
        input.set_estimates({{0, reach(width)}, {0, reach(height)}, {0, input_maps}, {0, batch}});
        filter.set_estimates({{0, kernel}, {0, kernel}, {0, input_maps}, {0, maps}});
        bias.set_estimates({{0, maps}});
        output.set_estimates({{0, width}, {0, height}, {0, maps}, {0, batch}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ConvLayer, conv_layer)

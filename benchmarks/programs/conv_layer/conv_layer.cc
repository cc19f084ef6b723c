// A layer of a convolutional network: convolution, bias, rectifier, written as a user
// writes it: the algorithm, estimates, and no schedule but for comparison. Planar, x first,
// as in NCHW; the input carries its own padding.
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
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

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

        if (scheduled == Schedule::expert) {
            // One kernel: a thread keeps the sums of 2x3 pixels and 4 maps in registers, so that a
            // weight is read once for 6 products and a pixel for up to 24; more sums spill at 64
            // registers. The warps of a block share pixels. Filters are dense.
            filter.dim(0).set_bounds(0, kernel);
            filter.dim(1).set_bounds(0, kernel).set_stride(kernel);
            filter.dim(2).set_min(0).set_stride(kernel * int(kernel));
            filter.dim(3).set_min(0);
            Var xt("xt"), xi("xi"), yi("yi"), mt("mt"), mi("mi"), rest("rest");
            output.never_partition_all()
                .split(x, x, xi, 64)
                .split(xi, xt, xi, 2)
                .split(y, y, yi, 3)
                .split(m, m, mi, 16)
                .split(mi, mt, mi, 4)
                .reorder(xi, yi, mi, xt, mt, m, x, y, n)
                .fuse(y, n, rest)
                .gpu_blocks(m, x, rest)
                .gpu_threads(xt, mt)
                .unroll(xi)
                .unroll(yi)
                .unroll(mi);
            convolved.compute_at(output, xt)
                .unroll(x)
                .unroll(y)
                .unroll(m)
                .update()
                .reorder(x, y, m, r.x, r.y, r.z)
                .unroll(x)
                .unroll(y)
                .unroll(m)
                .unroll(r.x)
                .unroll(r.y);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ConvLayer, conv_layer)

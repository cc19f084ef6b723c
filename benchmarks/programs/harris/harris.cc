// Harris corner response (Harris and Stephens 1988) of an RGB photograph, written as
// a user writes it: the algorithm, estimates, and no schedule but for comparison.
#include "Halide.h"

namespace {

using namespace Halide;

class Harris : public Generator<Harris> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y");
        const float k = 0.04f;

        Func photo("photo");
        photo = BoundaryConditions::repeat_edge(input);

        // Luma of ITU-R BT.601, in [0, 1].
        Func gray("gray");
        gray(x, y) = (0.299f * photo(x, y, 0) + 0.587f * photo(x, y, 1) + 0.114f * photo(x, y, 2)) * (1.0f / 255.0f);

        // Sobel derivatives, scaled by 1/12 as the weights ask for.
        Func gx("gx"), gy("gy");
        gx(x, y) = ((gray(x + 1, y - 1) - gray(x - 1, y - 1)) +
                    2.0f * (gray(x + 1, y) - gray(x - 1, y)) +
                    (gray(x + 1, y + 1) - gray(x - 1, y + 1))) * (1.0f / 12.0f);
        gy(x, y) = ((gray(x - 1, y + 1) - gray(x - 1, y - 1)) +
                    2.0f * (gray(x, y + 1) - gray(x, y - 1)) +
                    (gray(x + 1, y + 1) - gray(x + 1, y - 1))) * (1.0f / 12.0f);

        Func gxx("gxx"), gyy("gyy"), gxy("gxy");
        gxx(x, y) = gx(x, y) * gx(x, y);
        gyy(x, y) = gy(x, y) * gy(x, y);
        gxy(x, y) = gx(x, y) * gy(x, y);

        Func sxx = window(gxx, "sxx"), syy = window(gyy, "syy"), sxy = window(gxy, "sxy");

        Func det("det"), trace("trace");
        det(x, y) = sxx(x, y) * syy(x, y) - sxy(x, y) * sxy(x, y);
        trace(x, y) = sxx(x, y) + syy(x, y);

        output(x, y) = det(x, y) - k * trace(x, y) * trace(x, y);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}});

        if (scheduled == Schedule::expert) {
            // One kernel. Gray is staged in shared memory; a thread keeps the derivatives of
            // its 2x4 pixels in registers. 60x28 pixels with their halo are 32x8 threads' share of
            // gray, 2x4 each.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), xt("xt"), yt("yt");
            output.never_partition_all()
                .tile(x, y, xo, yo, xi, yi, 60, 28)
                .tile(xi, yi, xt, yt, xi, yi, 2, 4)
                .gpu_blocks(xo, yo)
                .gpu_threads(xt, yt)
                .unroll(xi)
                .unroll(yi);
            gx.compute_at(output, xt).unroll(x).unroll(y);
            gy.compute_at(output, xt).unroll(x).unroll(y);
            gray.in().compute_at(output, xt).unroll(x).unroll(y);
            gray.compute_at(output, xo)
                .never_partition_all()
                .tile(x, y, xt, yt, xi, yi, 2, 4)
                .gpu_threads(xt, yt)
                .unroll(xi)
                .unroll(yi);
        }
    }

private:
    // The sum over a 3x3 window.
    static Func window(Func f, const std::string &name) {
        Var x("x"), y("y");
        Func sum(name);
        sum(x, y) = f(x - 1, y - 1) + f(x, y - 1) + f(x + 1, y - 1) +
                    f(x - 1, y) + f(x, y) + f(x + 1, y) +
                    f(x - 1, y + 1) + f(x, y + 1) + f(x + 1, y + 1);
        return sum;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Harris, harris)

// Unsharp mask of an RGB photograph: the luma is sharpened by what a Gaussian blur takes
// away, and the colours are scaled by the ratio of sharpened to plain luma. Written as a
// user writes it: the algorithm, estimates, and no schedule but for comparison.
#include "Halide.h"

#include <cmath>

namespace {

using namespace Halide;

class Unsharp : public Generator<Unsharp> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<float> sigma{"sigma", 1.5f};  // of the blur, in pixels
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var x("x"), y("y"), c("c");

        Func photo("photo");
        photo = BoundaryConditions::repeat_edge(input);

        // Luma of ITU-R BT.601.
        Func gray("gray");
        gray(x, y) = 0.299f * photo(x, y, 0) + 0.587f * photo(x, y, 1) + 0.114f * photo(x, y, 2);

        // Seven taps hold 2 sigma on each side; their weights sum to 1.
        float weight[4], total = 0;
        for (int i = 0; i < 4; i++) {
            weight[i] = std::exp(-float(i * i) / (2 * float(sigma) * float(sigma)));
            total += (i ? 2 : 1) * weight[i];
        }
        for (float &w : weight) {
            w /= total;
        }
        Expr down = weight[0] * gray(x, y);
        for (int i = 1; i < 4; i++) {
            down += weight[i] * (gray(x, y - i) + gray(x, y + i));
        }
        Func blur_y("blur_y");
        blur_y(x, y) = down;

        Expr across = weight[0] * blur_y(x, y);
        for (int i = 1; i < 4; i++) {
            across += weight[i] * (blur_y(x - i, y) + blur_y(x + i, y));
        }
        Func blur_x("blur_x");
        blur_x(x, y) = across;

        Func sharpened("sharpened"), ratio("ratio");
        sharpened(x, y) = 2 * gray(x, y) - blur_x(x, y);
        // Black stays black: its ratio does not matter, but has to be finite.
        ratio(x, y) = sharpened(x, y) / max(gray(x, y), 1.0f / 255);

        output(x, y, c) = ratio(x, y) * input(x, y, c);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // One kernel. Gray and its blur along y are staged in shared memory; a thread
            // makes 10 rows of gray, and 8 of the blurs and of the output, so that what it reads of the column
            // above and below stays in registers.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), yt("yt");
            output.never_partition_all()
                .bound(c, 0, 3)
                .tile(x, y, xo, yo, xi, yi, 58, 24, TailStrategy::GuardWithIf)
                .split(yi, yt, yi, 8)
                .reorder(c, yi, xi, yt, xo, yo)
                .gpu_blocks(xo, yo)
                .gpu_threads(xi, yt)
                .unroll(yi)
                .unroll(c);
            ratio.compute_at(output, yi);
            blur_y.compute_at(output, xo)
                .never_partition_all()
                .split(y, yt, y, 8)
                .reorder(y, x, yt)
                .gpu_threads(x, yt)
                .unroll(y);
            gray.compute_at(output, xo)
                .never_partition_all()
                .split(y, yt, y, 10)
                .reorder(y, x, yt)
                .gpu_threads(x, yt)
                .unroll(y);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Unsharp, unsharp)

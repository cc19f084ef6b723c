// 3x3 box blur in two passes of some channels, for 16-bit and for f32 samples, written
// as a user writes it: the algorithm, estimates, and no schedule but for comparison. The input
// is two samples wider and higher, or as large with its edge repeated.
#include "Halide.h"

namespace {

using namespace Halide;

// Sum is wide enough for three samples.
template<typename Sample, typename Sum>
class Blur : public Generator<Blur<Sample, Sum>> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<bool> clamped{"clamped", false};

    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    GeneratorInput<Buffer<Sample, 3>> input{"input"};
    GeneratorOutput<Buffer<Sample, 3>> output{"output"};

    void generate() {
        Var x("x"), y("y"), c("c");
        auto mean = [](Expr a, Expr b, Expr c) {
            return cast<Sample>((cast<Sum>(a) + cast<Sum>(b) + cast<Sum>(c)) / cast<Sum>(3));
        };
        Func across("across");
        Func edge;
        if (clamped) {
            edge = BoundaryConditions::repeat_edge(input);
        }
        const auto in = [&](const Expr &i) { return clamped ? Expr(edge(i, y, c)) : Expr(input(i, y, c)); };
        across(x, y, c) = mean(in(x), in(x + 1), in(x + 2));
        output(x, y, c) = mean(across(x, y, c), across(x, y + 1, c), across(x, y + 2, c));

        const int more = clamped ? 0 : 2;
        input.set_estimates({{0, width + more}, {0, height + more}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // One kernel: a thread slides down 8 rows of 2 samples, blurred rows in registers.
            Var xt("xt"), yt("yt"), xi("xi"), yi("yi");
            Func blurred = output;
            blurred.never_partition_all()
                .split(x, x, xt, 64)
                .split(xt, xt, xi, 2)
                .split(y, y, yt, 32)
                .split(yt, yt, yi, 8)
                .reorder(xi, yi, xt, yt, x, y, c)
                .gpu_blocks(x, y, c)
                .gpu_threads(xt, yt)
                .unroll(xi)
                .unroll(yi);
            across.compute_at(blurred, xt).unroll(x).unroll(y);
        }
    }
};

using Blur16 = Blur<uint16_t, uint32_t>;
using BlurFloat = Blur<float, float>;

}  // namespace

HALIDE_REGISTER_GENERATOR(Blur16, blur)
HALIDE_REGISTER_GENERATOR(BlurFloat, blur_f32)

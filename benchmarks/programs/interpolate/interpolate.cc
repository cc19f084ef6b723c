// Fills the transparent parts of an RGBA image from their surroundings by multiscale
// interpolation, written as a user writes it: the algorithm, estimates, and no schedule but for comparison.
// Colours are weighted by alpha and carried down a pyramid; on the way up each level
// takes from the coarser one what its own alpha leaves open.
#include "Halide.h"

namespace {

using namespace Halide;

class Interpolate : public Generator<Interpolate> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> levels{"levels", 10};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    // Red, green, blue, alpha, all in [0, 1].
    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func image("image");
        image = BoundaryConditions::repeat_edge(input);

        std::vector<Func> down(levels), up(levels);
        down[0] = Func("weighted");
        down[0](x, y, c) = select(c == 3, 1.0f, image(x, y, c)) * image(x, y, 3);
        for (int l = 1; l < levels; l++) {
            Func finer = down[l - 1];
            if (l == edge_level + 1) {
                // The image ends here for all coarser levels, or the finest would be
                // asked for as many pixels around it as the coarsest pixel is wide.
                finer = BoundaryConditions::repeat_edge(finer, {{0, coarse(input.width())}, {0, coarse(input.height())}});
            }
            Func across("across_" + std::to_string(l));
            across(x, y, c) = (finer(2 * x - 1, y, c) + 2.0f * finer(2 * x, y, c) + finer(2 * x + 1, y, c)) * 0.25f;
            down[l] = Func("down_" + std::to_string(l));
            down[l](x, y, c) = (across(x, 2 * y - 1, c) + 2.0f * across(x, 2 * y, c) + across(x, 2 * y + 1, c)) * 0.25f;
        }

        up[levels - 1] = down[levels - 1];
        for (int l = levels - 2; l >= 0; l--) {
            Func coarser = up[l + 1];
            // Between two coarse samples their mean, on one the sample.
            Func across("stretched_" + std::to_string(l)), doubled("doubled_" + std::to_string(l));
            across(x, y, c) = (coarser(x / 2, y, c) + coarser((x + 1) / 2, y, c)) * 0.5f;
            doubled(x, y, c) = (across(x, y / 2, c) + across(x, (y + 1) / 2, c)) * 0.5f;
            up[l] = Func("up_" + std::to_string(l));
            up[l](x, y, c) = down[l](x, y, c) + (1.0f - down[l](x, y, 3)) * doubled(x, y, c);
        }

        output(x, y, c) = up[0](x, y, c) / up[0](x, y, 3);
        output.dim(2).set_bounds(0, 3); // RGB of RGBA

        input.set_estimates({{0, width}, {0, height}, {0, 4}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // A kernel a level on the way down, two rows and all colours a thread; on the way up
            // every second level, and the finest three with the output, in shared memory.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), xt("xt"), yt("yt");
            for (int l = 1; l < levels; l++) {
                down[l].compute_root()
                    .never_partition_all()
                    .reorder(c, x, y)
                    .bound(c, 0, 4)
                    .split(y, y, yi, 2, TailStrategy::RoundUp)
                    .reorder(c, yi, x, y)
                    .gpu_tile(x, y, xt, yt, 32, 4, TailStrategy::GuardWithIf)
                    .unroll(yi)
                    .unroll(c);
            }
            for (int l = 3; l < levels - 1; l += 2) {
                up[l].compute_root()
                    .never_partition_all()
                    .bound(c, 0, 4)
                    .tile(x, y, xt, yt, xi, yi, 2, 2, TailStrategy::RoundUp)
                    .reorder(c, xi, yi, xt, yt)
                    .gpu_tile(xt, yt, xo, yo, xt, yt, 16, 16, TailStrategy::GuardWithIf)
                    .unroll(xi)
                    .unroll(yi)
                    .unroll(c);
            }
            output.never_partition_all()
                .bound(c, 0, 3)
                .tile(x, y, xo, yo, xi, yi, 64, 32)
                .tile(xi, yi, xt, yt, xi, yi, 2, 4)
                .reorder(c, xi, yi, xt, yt, xo, yo)
                .gpu_blocks(xo, yo)
                .gpu_threads(xt, yt)
                .unroll(xi)
                .unroll(yi)
                .unroll(c);
            for (int l = 1; l <= 2; l++) {
                up[l].compute_at(output, xo)
                    .never_partition_all()
                    .bound(c, 0, 4)
                    .tile(x, y, xt, yt, xi, yi, 2, 2, TailStrategy::RoundUp)
                    .reorder(c, xi, yi, xt, yt)
                    .gpu_threads(xt, yt)
                    .unroll(xi)
                    .unroll(yi)
                    .unroll(c);
            }
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    static constexpr int edge_level = 4;

    // Samples of the edge level that lie within the image.
    static Expr coarse(Expr extent) {
        return ((extent - 1) >> edge_level) + 1;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Interpolate, interpolate)

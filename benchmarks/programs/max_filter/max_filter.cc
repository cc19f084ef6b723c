// The maximum over a disc around every pixel, by sliding maxima of power-of-two lengths:
// two of them cover a column of the disc, whatever its height. Written as a user writes
// it: the algorithm, estimates, and no schedule but for comparison.
#include "Halide.h"

namespace {

using namespace Halide;

class MaxFilter : public Generator<MaxFilter> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> radius{"radius", 26};  // of the disc, in pixels
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var x("x"), y("y"), c("c"), k("k"), t("t"), dx("dx");

        Func photo("photo");
        photo = BoundaryConditions::repeat_edge(input);

        const int radius = this->radius;
        // runs(x, y, c, k) is the maximum of the 2^k pixels from y down. The tallest column
        // has 2 radius + 1 of them.
        int levels = 1;
        while ((1 << levels) <= 2 * radius + 1) {
            levels++;
        }
        Func runs("runs");
        RDom r(-radius, input.height() + 2 * radius, 1, levels - 1, "r");
        Expr half = clamp(1 << (r.y - 1), 0, 1 << (levels - 2));
        runs(x, y, c, k) = photo(x, y, c);
        runs(x, r.x, c, r.y) = max(runs(x, r.x, c, r.y - 1), runs(x, r.x + half, c, r.y - 1));

        // The longest run that fits a column of 2 t + 1 pixels.
        Func level("level");
        Expr fits = 0;
        for (int i = 1; i < levels; i++) {
            fits += cast<int>((1 << i) <= 2 * t + 1);
        }
        level(t) = fits;

        Func column("column");
        Expr run = clamp(level(t), 0, levels - 1);
        column(x, y, c, t) = max(runs(x, y - t, c, run),
                                 runs(x, y + t + 1 - clamp(1 << run, 1, 2 * radius + 1), c, run));

        // Half the disc's height at distance dx from its middle. A quarter of a pixel makes
        // the disc round.
        Func reach("reach");
        Expr r2 = (radius + 0.25f) * (radius + 0.25f) - cast<float>(dx * dx);
        reach(dx) = cast<int>(sqrt(max(r2, 0.0f)));

        RDom d(-radius, 2 * radius + 1, "d");
        Func disc("disc");
        output(x, y, c) = maximum(d, column(x + d, y, c, clamp(reach(d), 0, radius)), disc);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // All lengths of runs, a kernel each, then the disc: its columns are unrolled, so that
            // what each reads where is known to the compiler.
            Var xi("xi"), yi("yi");
            RVar yo("yo"), yt("yt");
            runs.compute_root()
                .never_partition_all()
                .bound(k, 0, levels)
                .reorder(k, x, y, c)
                .unroll(k)
                .gpu_tile(x, y, xi, yi, 32, 8, TailStrategy::RoundUp)
                .gpu_blocks(c);
            runs.update()
                .never_partition_all()
                .allow_race_conditions()
                .split(x, x, xi, 32, TailStrategy::RoundUp)
                .split(r.x, yo, yt, 8)
                .reorder(xi, yt, x, yo, c, r.y)
                .gpu_blocks(x, yo, c)
                .gpu_threads(xi, yt);
            output.never_partition_all().gpu_tile(x, y, xi, yi, 32, 8, TailStrategy::GuardWithIf).gpu_blocks(c);
            disc.compute_at(output, xi).update().unroll(d);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MaxFilter, max_filter)

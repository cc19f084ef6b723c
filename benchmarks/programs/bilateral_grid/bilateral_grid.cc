// Fast bilateral filter of a gray image by a bilateral grid (Chen, Paris and Durand
// 2007): pixels are summed into a coarse grid over position and brightness, the grid is
// blurred, and the result is read back between the cells. Written as a user writes it:
// the algorithm, estimates, and no schedule but for comparison.
#include "Halide.h"

namespace {

using namespace Halide;

class BilateralGrid : public Generator<BilateralGrid> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> cell{"cell", 8};  // pixels a cell, in x and in y
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<float, 2>> input{"input"};
    Input<float> range{"range"};  // brightness a cell
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y"), z("z"), c("c");

        Func pixel("pixel");
        pixel(x, y) = clamp(BoundaryConditions::repeat_edge(input)(x, y), 0.0f, 1.0f);

        // What falls into a cell: the sum of the pixels (c = 0) and their number (c = 1). A
        // cell's pixels lie around its corner, as its brightness lies around its level.
        RDom r(0, cell, 0, cell, "r");
        Expr value = pixel(x * cell + r.x - cell / 2, y * cell + r.y - cell / 2);
        Func grid("grid");
        grid(x, y, z, c) = 0.0f;
        grid(x, y, cast<int>(value / range + 0.5f), c) += mux(c, {value, 1.0f});

        Func blur_z("blur_z"), blur_x("blur_x"), blur_y("blur_y");
        blur_z(x, y, z, c) = binomial(grid(x, y, z - 2, c), grid(x, y, z - 1, c), grid(x, y, z, c), grid(x, y, z + 1, c), grid(x, y, z + 2, c));
        blur_x(x, y, z, c) = binomial(blur_z(x - 2, y, z, c), blur_z(x - 1, y, z, c), blur_z(x, y, z, c), blur_z(x + 1, y, z, c), blur_z(x + 2, y, z, c));
        blur_y(x, y, z, c) = binomial(blur_x(x, y - 2, z, c), blur_x(x, y - 1, z, c), blur_x(x, y, z, c), blur_x(x, y + 1, z, c), blur_x(x, y + 2, z, c));

        // Between the eight cells around a pixel.
        Expr level = clamp(input(x, y), 0.0f, 1.0f) / range;
        Expr zi = cast<int>(level), zf = level - zi;
        Expr xi = x / cell, xf = cast<float>(x % cell) / int(cell);
        Expr yi = y / cell, yf = cast<float>(y % cell) / int(cell);
        auto across = [&](Expr row, Expr plane) { return lerp(blur_y(xi, row, plane, c), blur_y(xi + 1, row, plane, c), xf); };
        auto down = [&](Expr plane) { return lerp(across(yi, plane), across(yi + 1, plane), yf); };
        Func slice("slice");
        slice(x, y, c) = lerp(down(zi), down(zi + 1), zf);

        output(x, y) = slice(x, y, 0) / slice(x, y, 1);

        input.set_estimates({{0, width}, {0, height}});
        range.set_estimate(0.1f);
        output.set_estimates({{0, width}, {0, height}});

        if (scheduled == Schedule::expert) {
            // Four kernels: 8x8 cells of the grid in shared memory and blurred along z by the
            // threads that made them; the two other blurs; the pixels, 8 of a column a thread, so that most of what
            // finds their cells is common to them.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), yt("yt");
            output.dim(0).set_min(0);
            output.dim(1).set_min(0);
            blur_z.compute_root()
                .never_partition_all()
                .reorder(c, z, x, y)
                .reorder_storage(c, x, y, z)
                .bound(c, 0, 2)
                .vectorize(c)
                .gpu_tile(x, y, xi, yi, 8, 8, TailStrategy::RoundUp);
            grid.compute_at(blur_z, x).never_partition_all().reorder(c, z, x, y).gpu_threads(x, y);
            grid.update().never_partition_all().reorder(c, r.x, r.y, x, y).unroll(c).gpu_threads(x, y);
            for (Func f : {blur_x, blur_y}) {
                f.compute_root()
                    .never_partition_all()
                    .reorder_storage(c, x, y, z)
                    .bound(c, 0, 2)
                    .reorder(c, x, y, z)
                    .vectorize(c)
                    .unroll(y, 2, TailStrategy::RoundUp)
                    .gpu_tile(x, y, xi, yi, 32, 4, TailStrategy::GuardWithIf)
                    .gpu_blocks(z);
            }
            output.never_partition_all()
                .split(y, y, yt, 8, TailStrategy::GuardWithIf)
                .reorder(yt, x, y)
                .gpu_tile(x, y, xi, yi, 32, 4, TailStrategy::GuardWithIf)
                .unroll(yt);
            slice.compute_at(output, yt).vectorize(c);
        }
    }

private:
    // Binomial weights; their sum divides out.
    static Expr binomial(Expr a, Expr b, Expr c, Expr d, Expr e) {
        return a + 4 * b + 6 * c + 4 * d + e;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BilateralGrid, bilateral_grid)

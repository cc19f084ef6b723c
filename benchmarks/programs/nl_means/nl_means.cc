// Non-local means (Buades, Coll and Morel 2005) of an RGB photograph, written as a user
// writes it: the algorithm, estimates, and no schedule but for comparison. A pixel becomes the mean of the
// pixels around it, weighted by how alike the patches around both are.
#include "Halide.h"

namespace {

using namespace Halide;

class NlMeans : public Generator<NlMeans> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    // Sides of the patch and of the window that is searched, odd.
    GeneratorParam<int> patch{"patch", 7};
    GeneratorParam<int> search{"search", 7};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<float, 3>> input{"input"};
    // Noise's standard deviation.
    Input<float> sigma{"sigma"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var x("x"), y("y"), c("c"), dx("dx"), dy("dy");
        Func image("image");
        image = BoundaryConditions::repeat_edge(input);

        // How much a pixel differs from the one at (dx, dy) from it.
        RDom channel(0, 3, "channel");
        Func apart("apart");
        Expr difference = image(x, y, channel) - image(x + dx, y + dy, channel);
        apart(x, y, dx, dy) += difference * difference;

        RDom p(-(patch / 2), patch, "p");
        Func column("column"), patches_apart("patches_apart");
        column(x, y, dx, dy) += apart(x, y + p, dx, dy);
        patches_apart(x, y, dx, dy) += column(x + p, y, dx, dy);

        Func weight("weight");
        Expr scale = -1.0f / (2.0f * 3.0f * patch * patch * sigma * sigma);
        weight(x, y, dx, dy) = exp(patches_apart(x, y, dx, dy) * scale);

        // Weights are summed as a fourth channel.
        RDom s(-(search / 2), search, -(search / 2), search, "s");
        Func with_one("with_one"), total("total");
        with_one(x, y, c) = select(c < 3, image(x, y, min(c, 2)), 1.0f);
        total(x, y, c) += weight(x, y, s.x, s.y) * with_one(x + s.x, y + s.y, c);

        output(x, y, c) = total(x, y, c) / total(x, y, 3);

        sigma.set_estimate(0.1f);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // Two kernels: the image with its border, then all else. A block goes through the
            // window that is searched; differences and their sums along y are staged in shared memory for each
            // place of it, and what a thread sums stays in registers until it is whole. A thread makes 10
            // rows of the former and 8 of the latter.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), yt("yt");
            Var u = image.args()[0], v = image.args()[1], w = image.args()[2];
            image.compute_root().never_partition_all().gpu_tile(u, v, xi, yi, 32, 8, TailStrategy::GuardWithIf).gpu_blocks(w);
            output.never_partition_all()
                .bound(c, 0, 3)
                .tile(x, y, xo, yo, xi, yi, 58, 24)
                .split(yi, yt, yi, 8)
                .reorder(c, yi, xi, yt, xo, yo)
                .gpu_blocks(xo, yo)
                .gpu_threads(xi, yt)
                .unroll(yi)
                .unroll(c);
            total.compute_at(output, xo)
                .bound_extent(c, 4)
                .split(y, yt, yi, 8)
                .reorder(c, yi, x, yt)
                .gpu_threads(x, yt)
                .unroll(yi)
                .unroll(c)
                .update()
                .never_partition_all()
                .split(y, yt, yi, 8)
                .reorder(c, yi, x, yt, s.x, s.y)
                .gpu_threads(x, yt)
                .unroll(yi)
                .unroll(c);
            weight.compute_at(total, x).unroll(y);
            patches_apart.compute_at(total, x).unroll(y).update().reorder(p, y).unroll(y).unroll(p);
            Func differences = apart.in(), sums = column.in();
            sums.compute_at(total, s.x).split(y, yt, yi, 8).reorder(yi, x, yt).gpu_threads(x, yt).unroll(yi);
            column.compute_at(sums, x).unroll(y).update().reorder(p, y).unroll(y).unroll(p);
            differences.compute_at(total, s.x).split(y, yt, yi, 10).reorder(yi, x, yt).gpu_threads(x, yt).unroll(yi);
            apart.compute_at(differences, x).unroll(y).update().unroll(y).unroll(channel);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(NlMeans, nl_means)

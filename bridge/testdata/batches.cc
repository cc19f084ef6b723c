// A padded convolution with stride of a batch of images: four dimensions, of which the outermost's points share weights in a thread.
#include "Halide.h"

namespace {

using namespace Halide;

class Batches : public Generator<Batches> {
public:
    GeneratorParam<bool> by_hand{"by_hand", false};

    Input<Buffer<float, 4>> in{"in"};
    Input<Buffer<float, 4>> weights{"weights"};
    Output<Buffer<float, 4>> out{"out"};

    void generate() {
        const int from = 8, into = 16, width = 100, height = 75;
        Var x("x"), y("y"), c("c"), n("n"), x_o("x_o"), y_o("y_o"), x_i("x_i"), y_i("y_i"), c_i("c_i");
        Func padded = BoundaryConditions::constant_exterior(in, 0.0f, {{in.dim(0).min(), in.dim(0).extent()}, {in.dim(1).min(), in.dim(1).extent()}});
        RDom r(0, 3, 0, 3, 0, from);
        Func sum("sum");
        sum(x, y, c, n) = 0.0f;
        sum(x, y, c, n) += weights(r.x, r.y, r.z, c) * padded(2 * x + r.x - 1, 2 * y + r.y - 1, r.z, n);
        out(x, y, c, n) = max(sum(x, y, c, n), 0.0f);
        in.set_estimates({{0, 2 * width}, {0, 2 * height}, {0, from}, {0, 2}});
        weights.set_estimates({{0, 3}, {0, 3}, {0, from}, {0, into}});
        out.set_estimates({{0, width}, {0, height}, {0, into}, {0, 2}});
        if (by_hand && get_target().has_gpu_feature()) {
            out.bound(c, 0, into).tile(x, y, x_o, y_o, x_i, y_i, 32, 4, TailStrategy::GuardWithIf).split(c, c, c_i, 8).reorder(c_i, x_i, y_i, x_o, y_o, c, n).unroll(c_i).fuse(c, n, c).gpu_blocks(x_o, y_o, c).gpu_threads(x_i, y_i);
            sum.compute_at(out, x_i).unroll(c).update().reorder(c, r.x, r.y, r.z).unroll(c).unroll(r.x).unroll(r.y);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Batches, batches)

// The product of two matrices, written as a user writes it: the algorithm, estimates, and
// no schedule but for comparison. The first index counts columns.
#include "Halide.h"

namespace {

using namespace Halide;

class MatMul : public Generator<MatMul> {
public:
    GeneratorParam<int> size{"size", 1536};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<float, 2>> a{"a"};
    Input<Buffer<float, 2>> b{"b"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y");
        RDom k(0, a.width(), "k");

        Func product("product");
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);

        output(x, y) = product(x, y);

        a.set_estimates({{0, size}, {0, size}});
        b.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});

        if (scheduled == Schedule::expert) {
            // One kernel: a thread keeps 8x4 sums in registers. It serves matrices of whole tiles
            // whose rows begin at multiples of 16 bytes, which are read by vectors.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), xt("xt"), yt("yt");
            RVar ko("ko"), ki("ki"), kii("kii");
            whole(a, 8, 1);
            whole(b, 64, 8);
            whole(output, 64, 16);
            output.never_partition_all()
                .tile(x, y, xo, yo, xi, yi, 64, 16, TailStrategy::RoundUp)
                .tile(xi, yi, xt, yt, xi, yi, 8, 4)
                .gpu_blocks(xo, yo)
                .gpu_threads(xt, yt)
                .vectorize(xi, 4)
                .unroll(xi)
                .unroll(yi);
            product.compute_at(output, xt)
                .unroll(x)
                .unroll(y)
                .update()
                .split(k, ko, ki, 8)
                .split(ki, ki, kii, 2)
                .reorder(x, y, kii, ki, ko)
                .unroll(x)
                .unroll(y)
                .unroll(kii)
                .unroll(ki);
            Func tile_a = a.in(), tile_b = b.in();
            Var u = tile_a.args()[0], v = tile_a.args()[1];
            tile_a.compute_at(product, ki).bound_extent(u, 2).vectorize(u).unroll(v);
            u = tile_b.args()[0];
            tile_b.compute_at(product, kii).vectorize(u, 4).unroll(u);
        }
    }

private:
    // What a matrix has to be: whole tiles, and rows at multiples of 16 bytes.
    template<typename Matrix>
    static void whole(Matrix &m, int columns, int rows) {
        m.set_host_alignment(16);
        m.dim(0).set_bounds(0, m.width() / columns * columns);
        m.dim(1).set_bounds(0, m.height() / rows * rows).set_stride(m.dim(1).stride() / 4 * 4);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MatMul, mat_mul)

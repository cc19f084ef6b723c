// The product of two matrices, written as a user writes it: the algorithm, estimates,
// no schedule. The first index counts columns.
#include "Halide.h"

namespace {

using namespace Halide;

class MatMul : public Generator<MatMul> {
public:
    GeneratorParam<int> size{"size", 1536};

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
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MatMul, mat_mul)

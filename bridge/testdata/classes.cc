// What each point of a short dimension is divided by comes of all of them: a softmax, a norm.
#include "Halide.h"

namespace {

using namespace Halide;

class Classes : public Generator<Classes> {
public:
    enum class Kind { softmax, norm };
    GeneratorParam<Kind> kind{"kind", Kind::softmax, {{"softmax", Kind::softmax}, {"norm", Kind::norm}}};

    Input<Buffer<float, 3>> in{"in"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        RDom k(0, in.dim(2).extent(), "k");
        Func most("most"), e("e"), sum("sum");
        if (kind == Kind::softmax) {
            most(x, y) = -1e30f;
            most(x, y) = max(most(x, y), in(x, y, k));
            e(x, y, c) = exp(in(x, y, c) - most(x, y));
            sum(x, y) += e(x, y, k);
            out(x, y, c) = e(x, y, c) / sum(x, y);
        } else {
            sum(x, y) += in(x, y, k) * in(x, y, k);
            out(x, y, c) = in(x, y, c) / sqrt(sum(x, y) + 1.f);
        }
        in.set_estimates({{0, 512}, {0, 384}, {0, 21}});
        out.set_estimates({{0, 512}, {0, 384}, {0, 21}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Classes, classes)

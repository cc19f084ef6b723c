// Rows that are divided by what all their points have in common: a softmax, and a row less its mean over its deviation.
#include "Halide.h"

namespace {

using namespace Halide;

class RowSums : public Generator<RowSums> {
public:
    enum class Kind { softmax, layer };
    GeneratorParam<Kind> kind{"kind", Kind::softmax, {{"softmax", Kind::softmax}, {"layer", Kind::layer}}};
    GeneratorParam<bool> by_hand{"by_hand", false};
    GeneratorParam<int> width{"width", 1000};
    GeneratorParam<int> height{"height", 1024};

    Input<Buffer<float, 2>> in{"in"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Expr length = in.dim(0).extent();
        RDom r(0, length);
        Func first("first"), second("second"), value("value");
        if (kind == Kind::softmax) {
            first(y) = -1e9f;
            first(y) = max(first(y), in(r, y));
            value(x, y) = exp(in(x, y) - first(y));
            second(y) = 0.0f;
            second(y) += value(r, y);
            out(x, y) = value(x, y) / second(y);
        } else {
            first(y) = 0.0f;
            first(y) += in(r, y);
            value(x, y) = in(x, y) - first(y) / cast<float>(length);
            second(y) = 0.0f;
            second(y) += value(r, y) * value(r, y);
            out(x, y) = value(x, y) / sqrt(second(y) / cast<float>(length) + 1e-3f);
        }
        if (by_hand) {
            // A warp a row, four of them a block, each lane with a partial result in shared memory.
            Var xo("xo"), xi("xi"), yo("yo"), yi("yi"), u("u");
            out.split(x, xo, xi, 32, TailStrategy::GuardWithIf).split(y, yo, yi, 4, TailStrategy::GuardWithIf).reorder(xo, xi, yi, yo).gpu_blocks(yo).gpu_threads(xi, yi);
            for (Func f : {second, first}) {
                RVar ro("ro"), ri("ri");
                f.update().split(r, ro, ri, 32, TailStrategy::GuardWithIf);
                Func parts = f.update().rfactor(ri, u);
                f.compute_at(out, yo).gpu_threads(y);
                f.update().gpu_threads(y);
                parts.compute_at(out, yo).reorder(u, y).gpu_threads(u, y);
                parts.update().reorder(ro, u, y).gpu_threads(u, y);
            }
        }
        in.set_estimates({{0, width}, {0, height}});
        out.set_estimates({{0, width}, {0, height}});
    }

private:
    Var x{"x"}, y{"y"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(RowSums, rowsums)

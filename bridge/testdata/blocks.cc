// Blocks of known size, many of them, of which a stage needs rows or columns of the stage before: a cosine transform of 8x8 pixels, products of small matrices, attention within a head.
#include "Halide.h"

namespace {

using namespace Halide;

class Blocks : public Generator<Blocks> {
public:
    enum class Kind { cosine, products, attention };
    GeneratorParam<Kind> kind{"kind", Kind::cosine, {{"cosine", Kind::cosine}, {"products", Kind::products}, {"attention", Kind::attention}}};
    GeneratorParam<bool> by_hand{"by_hand", false};

    Input<Buffer<float, 3>> a{"a"};
    Input<Buffer<float, 3>> b{"b"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        const int columns = kind == Kind::attention ? 16 : kind == Kind::products ? 6 : 8;
        const int rows = kind == Kind::products ? 6 : 8;
        Func first("first"), second("second"), value("value"), most("most"), sum("sum"), basis("basis");
        RDom r(0, kind == Kind::attention ? 16 : rows), t(0, rows);
        if (kind == Kind::cosine) {
            basis(u, v) = select(u == 0, 0.35355339f, 0.5f * cos(3.14159265f * (2 * v + 1) * u / 16));
            value(u, v, n) = a(u, v, n) - b(u, v, n);
            first(u, v, n) = 0.0f;
            first(u, v, n) += basis(u, r) * value(r, v, n);
            second(u, v, n) = 0.0f;
            second(u, v, n) += basis(v, r) * first(u, r, n);
            out(u, v, n) = second(u, v, n) * 0.25f;
        } else if (kind == Kind::products) {
            first(u, v, n) = 0.0f;
            first(u, v, n) += a(u, r, n) * b(r, v, n);
            second(u, v, n) = 0.0f;
            second(u, v, n) += first(u, r, n) * a(v, r, n);
            out(u, v, n) = second(u, v, n) + b(u, v, n);
        } else {
            first(u, v, n) = 0.0f;
            first(u, v, n) += a(r, v, n) * b(r, u, n);
            most(v, n) = -1e30f;
            most(v, n) = max(most(v, n), first(t, v, n));
            value(u, v, n) = exp(first(u, v, n) - most(v, n));
            sum(v, n) = 0.0f;
            sum(v, n) += value(t, v, n);
            second(u, v, n) = 0.0f;
            second(u, v, n) += value(t, v, n) * b(u, t, n);
            out(u, v, n) = second(u, v, n) / sum(v, n);
        }
        out.dim(0).set_bounds(0, columns);
        out.dim(1).set_bounds(0, rows);
        if (by_hand) {
            // A thread a column, eight blocks a block of threads.
            Var no("no"), ni("ni");
            out.split(n, no, ni, 8, TailStrategy::GuardWithIf).reorder(v, u, ni, no).unroll(v).gpu_blocks(no).gpu_threads(u, ni);
            if (kind == Kind::cosine) {
                basis.compute_root().bound(u, 0, 8).bound(v, 0, 8).gpu_tile(u, v, no, ni, 8, 8);
                value.compute_at(out, no).reorder(v, u, n).unroll(v).gpu_threads(u, n);
            }
            first.compute_at(out, no).reorder(v, u, n).unroll(v).gpu_threads(u, n);
            first.update().reorder(r, v, u, n).unroll(r).unroll(v).gpu_threads(u, n);
            second.compute_at(out, u).unroll(v);
            second.update().unroll(v);
            if (kind == Kind::attention) {
                for (Func f : {most, sum}) {
                    f.compute_at(out, no).gpu_threads(v, n);
                    f.update().reorder(t, v, n).unroll(t).gpu_threads(v, n);
                }
                value.compute_at(out, no).reorder(v, u, n).unroll(v).gpu_threads(u, n);
                second.update().reorder(t, v).unroll(t);
            } else {
                second.update().reorder(r, v).unroll(r);
            }
        }
        for (auto *in : {&a, &b}) {
            in->set_estimates({{0, columns}, {0, rows}, {0, 8192}});
        }
        out.set_estimates({{0, columns}, {0, rows}, {0, 8192}});
    }

private:
    Var u{"u"}, v{"v"}, n{"n"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Blocks, blocks)

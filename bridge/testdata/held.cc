// Reductions of inputs that nothing borders, and what keeps them from being held within what is needed of them.
#include "Halide.h"

namespace {

using namespace Halide;

class Held : public Generator<Held> {
public:
    enum class Kind { products, shifted, attention, valid, bias, where, wide, border, output, window, scattered, few };
    GeneratorParam<Kind> kind{"kind", Kind::products, {{"products", Kind::products}, {"shifted", Kind::shifted}, {"attention", Kind::attention}, {"valid", Kind::valid}, {"bias", Kind::bias}, {"where", Kind::where}, {"wide", Kind::wide}, {"border", Kind::border}, {"output", Kind::output}, {"window", Kind::window}, {"scattered", Kind::scattered}, {"few", Kind::few}}};

    Input<Buffer<float, 2>> a{"a"}, b{"b"}, c{"c"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        RDom k(0, a.dim(1).extent(), "k"), h(0, c.dim(1).extent(), "h");
        Func f("f"), g("g");
        Func left = kind == Kind::border ? BoundaryConditions::repeat_edge(a) : Func(a), right = kind == Kind::border ? BoundaryConditions::repeat_edge(b) : Func(b);
        switch (kind) {
        case Kind::attention:  // rows of scores, each divided by what comes of all of it
        {
            RDom j(0, c.dim(1).extent(), "j");
            Func most("most"), sum("sum"), e("e");
            f(x, y) += a(x, k) * b(k, y);
            most(y) = -1e30f;
            most(y) = max(most(y), f(j, y));
            e(x, y) = exp(f(x, y) - most(y));
            sum(y) += e(j, y);
            g(x, y) += c(x, h) * e(h, y);
            out(x, y) = g(x, y) / sum(y);
            return;
        }
        case Kind::valid:  // windows, each as much smaller as it is wide
        {
            RDom r(0, c.dim(0).extent(), 0, c.dim(1).extent(), "r");
            f(x, y) += a(x + r.x, y + r.y) * c(r.x, r.y);
            g(x, y) = max(f(x, y), 0.f);
            Func last("last");
            last(x, y) += g(x + r.x, y + r.y) * c(r.x, r.y);
            out(x, y) = last(x, y);
            return;
        }
        case Kind::window:  // of one thing alone
        {
            RDom r(0, c.dim(0).extent(), 0, c.dim(1).extent(), "r");
            f(x, y) += a(x + r.x, y + r.y);
            out(x, y) = f(x, y) + f(x + 1, y + 1);
            return;
        }
        case Kind::few:  // of which partial results are made
            f(x, y) += a(x, k) * a(y, k);
            out(x, y) = f(x, y) + c(0, 0) + b(0, 0);
            return;
        case Kind::output:  // which only its own points of the output are asked of
            f(x, y) += a(x, k) * b(k, y);
            out(x, y) = max(f(x, y), 0.f);
            return;
        case Kind::bias:  // begins from an input, and reads through a definition
            right = Func("right");
            right(x, y) = b(x, y) * 2;
            f(x, y) = c(x, 0);
            f(x, y) += left(x, k) * right(k, y);
            break;
        case Kind::where:  // of a triangle
            k.where(k.x <= x);
            f(x, y) += left(x, k) * right(k, y);
            break;
        case Kind::wide:  // converted, two values
            f(x, y) = Tuple(0.f, 0);
            f(x, y) = Tuple(f(x, y)[0] + left(x, k) * right(k, y), f(x, y)[1] + cast<int>(left(x, k) + right(k, y)));
            g(x, y) = f(x, y)[0] + cast<float>(f(x, y)[1]);
            out(x, y) = product(g, h);
            return;
        case Kind::scattered:  // its readers' region is data's
            f(x, y) += left(x, k) * right(k, y);
            g(x, y) = max(f(x, y), 0.f);
            out(x, y) = g(clamp(cast<int>(c(x, y)), 0, 6), y);
            return;
        default:
            f(x, y) += left(x, k) * right(k, y);
        }
        if (kind == Kind::shifted) {  // read beside the output's points, by two
            Func twice("twice");
            twice(x, y) = f(x, y + 1) + f(x + 2, y);
            g(x, y) = max(twice(x, y), 0.f);
            out(x, y) = g(x, y) - f(x + 1, y);
            return;
        }
        g(x, y) = max(f(x, y), 0.f);
        out(x, y) = product(g, h);
    }

    void schedule() {
        for (Input<Buffer<float, 2>> *in : {&a, &b, &c}) {
            in->set_estimates({{0, 256}, {0, 256}});
        }
        if (kind == Kind::valid || kind == Kind::window) {
            a.set_estimates({{0, 260}, {0, 260}});
            c.set_estimates({{0, 3}, {0, 3}});
        }
        out.set_estimates({{0, 256}, {0, 256}});
        if (kind == Kind::few) {
            a.set_estimates({{0, 48}, {0, 20000}});
            out.set_estimates({{0, 48}, {0, 48}});
        }
    }

private:
    Expr product(Func &g, const RDom &h) {
        Func last("last");
        last(x, y) += c(x, h) * g(h, y);
        return last(x, y);
    }

    Var x{"x"}, y{"y"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Held, held)

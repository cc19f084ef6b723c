// Reductions that are outputs, that several Funcs read, or that one reads elsewhere than point by point.
#include "Halide.h"

namespace {

using namespace Halide;

class Cached : public Generator<Cached> {
public:
    enum class Kind { product, shared, around, channels, pair, three, where, relu, twice, only, narrow, small, scan, given, crossed, nested, wrapped };
    GeneratorParam<Kind> kind{"kind", Kind::product, {{"product", Kind::product}, {"shared", Kind::shared}, {"around", Kind::around}, {"channels", Kind::channels}, {"pair", Kind::pair}, {"three", Kind::three}, {"where", Kind::where}, {"relu", Kind::relu}, {"twice", Kind::twice}, {"only", Kind::only}, {"narrow", Kind::narrow}, {"small", Kind::small}, {"scan", Kind::scan}, {"given", Kind::given}, {"crossed", Kind::crossed}, {"nested", Kind::nested}, {"wrapped", Kind::wrapped}}};

    Input<Buffer<float, 2>> input{"input"};
    Input<int> n{"n", 8, 0, 64};  // iterations
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Func in = BoundaryConditions::repeat_edge(input);
        RDom r(0, n, "r");
        Func f("f");
        Expr term = in(x + r, y) * in(x, y + r);
        switch (kind) {
        case Kind::product:  // the output itself
            out(x, y) = 0.f;
            out(x, y) += in(r, y) * in(x, r);
            break;
        case Kind::shared:  // two readers
        {
            f(x, y) = 0.f;
            f(x, y) += term;
            Func g("g"), h("h");
            g(x, y) = f(x - 1, y) + f(x + 1, y);
            h(x, y) = f(x, y - 1) + f(x, y + 1);
            out(x, y) = g(x, y + 2) * h(x + 2, y);
            break;
        }
        case Kind::around:  // one reader, of neighbours
            f(x, y) = in(x, y);
            f(x, y) = max(f(x, y), term);
            out(x, y) = f(x - 1, y) + f(x, y) + f(x + 1, y);
            break;
        case Kind::channels:  // one reader, of all channels
            channels(f, in, r);
            out(x, y) = f(x, y, 0) / (1 + f(x, y, 1)) + f(x, y, 2);
            break;
        case Kind::pair:  // an argmax, which two read
        {
            Func best("best");
            best(x, y) = Tuple(-1.f, -1);
            Expr better = term > best(x, y)[0];
            best(x, y) = Tuple(select(better, term, best(x, y)[0]), select(better, r, best(x, y)[1]));
            f(x, y) = best(x, y)[1];
            out(x, y) = cast<float>(f(x - 1, y) + f(x + 1, y)) + best(x, y + 1)[0];
            break;
        }
        case Kind::three:  // three updates, one of which has no domain, and one two
        {
            RDom s(0, 2, -n, 2 * n, "s");
            out(x, y) = 1.f;
            out(x, y) += term;
            out(x, y) = out(x, y) * .5f + x;
            out(x, y) += in(x + s.x, y + s.y);
            break;
        }
        case Kind::where:  // a domain with a condition, which reads
            r.where(in(x + r, y) > 3.f && r % 3 != 1);
            out(x, y) = 0.f;
            out(x, y) += term;
            break;
        case Kind::relu:  // what is done to the result is little, and read by neighbours
        {
            Func g("g");
            f(x, y) = -20.f;
            f(x, y) += term;
            g(x, y) = max(f(x, y), 0.f);
            out(x, y) = g(x - 1, y) + g(x + 1, y - 1) * g(x, y);
            break;
        }
        case Kind::twice:  // a reduction of another's results
        {
            f(x, y) = 0.f;
            f(x, y) += term;
            RDom s(-3, 7 + n, "s");
            out(x, y) = 0.f;
            out(x, y) = max(out(x, y), f(x + s, y));
            break;
        }
        case Kind::only:  // an output beside it, of the same
        {
            f(x, y) = 0.f;
            f(x, y) += term;
            out(x, y) = f(x, y) * 2;
            break;
        }
        case Kind::narrow:  // in 16 bits
        {
            f(x, y) = cast<int16_t>(0);
            f(x, y) += cast<int16_t>(in(x + r, y));
            out(x, y) = cast<float>(f(x - 1, y) + f(x + 1, y));
            break;
        }
        case Kind::small:  // a few points of many terms each
            out(x, y) = 0.f;
            out(x, y) += in(r, y) * in(x, r);
            break;
        case Kind::scan:  // other points than its own
        {
            RDom s(1, n, "s");
            out(x, y) = in(x, y);
            out(x, s) += out(x, s - 1);
            break;
        }
        case Kind::given:  // a region that its user gives
            f(x, y, c) = 0.f;
            f(x, y, c) += term * (c + 1);
            f.bound(c, 0, 3);
            out(x, y) = f(x - 1, y, 0) + f(x, y, 1) + f(x + 1, y, 2);
            break;
        case Kind::crossed:  // a reader, point by point but for the order of dimensions
            f(x, y) = 0.f;
            f(x, y) += in(x + r, y);
            out(x, y) = f(y, x);
            break;
        case Kind::wrapped:  // what it reads is wrapped for it
        {
            Func g("g");
            g(x, y) = in(x, y) + 1;
            f(x, y) = 0.f;
            f(x, y) += g(x + r, y);
            g.in(f);
            out(x, y) = f(x - 1, y) + f(x + 1, y);
            break;
        }
        case Kind::nested:  // read by an update
        {
            RDom s(0, n, "s");
            f(x, y) = 0.f;
            f(x, y) += term;
            Func g("g");
            g(x, y) = 0.f;
            g(x, y) += f(x, y) * in(x, y + s);
            out(x, y) = g(x, y) + g(x + 1, y);
            break;
        }
        }
        const int width = kind == Kind::small ? 16 : 1536, height = kind == Kind::small ? 16 : 1024;
        input.set_estimates({{0, width}, {0, height}});
        n.set_estimate(kind == Kind::small ? 64 : 8);
        out.set_estimates({{0, width}, {0, height}});
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};

    // Sums over one loop for all channels, of which much is the same.
    void channels(Func f, Func in, RDom r) {
        Expr at = cast<int>(in(x, y + r)) % 7;
        f(x, y, c) = 0.f;
        f(x, y, c) += in(x + at, y + r) * (c + 1);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Cached, cached)

// Reductions that load neighbours along another of their arguments than the first, each in two forms of the same values: with its arguments in such an order, and with the one that loads neighbours first.
#include "Halide.h"

namespace {

using namespace Halide;

class Lanes : public Generator<Lanes> {
public:
    enum class Kind { matching, product, update };
    GeneratorParam<Kind> kind{"kind", Kind::matching, {{"matching", Kind::matching}, {"product", Kind::product}, {"update", Kind::update}}};
    GeneratorParam<bool> friendly{"friendly", false};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), a("a"), b("b"), c("c"), d("d");
        Func in("in");
        in(x, y) = cast<int>(BoundaryConditions::repeat_edge(input)(x, y));
        switch (kind) {
        case Kind::matching: {  // of each block of 16x16 points the nearest among those around it
            RDom p(0, 16, 0, 16, "p"), s(0, 12, 0, 12, "s");
            const auto apart = [&](Expr i, Expr j, Expr u, Expr v) { return cast<int>(absd(in(i * 16 + p.x, j * 16 + p.y), in(i * 16 + p.x + u - 6, j * 16 + p.y + v - 6))); };
            Func sad("sad"), least("least");
            if (friendly) {
                sad(c, d, a, b) += apart(a, b, c, d);
            } else {
                sad(a, b, c, d) += apart(a, b, c, d);
            }
            least(a, b) = 1 << 30;
            least(a, b) = min(least(a, b), friendly ? sad(s.x, s.y, a, b) : sad(a, b, s.x, s.y));
            out(x, y) = least(x / 16, y / 16);
            break;
        }
        case Kind::product: {  // of a matrix and a transposed one, which is the transposed of what is wanted
            RDom k(0, 40, "k");
            Func of("of");
            if (friendly) {
                of(y, x) += in(y, k) * in(k, x);
            } else {
                of(x, y) += in(y, k) * in(k, x);
            }
            out(x, y) = (friendly ? of(y, x) : of(x, y)) + (friendly ? of(y, x + 1) : of(x + 1, y));
            break;
        }
        case Kind::update: {  // twice over
            RDom k(0, 24, "k"), l(0, 24, "l");
            Func of("of");
            if (friendly) {
                of(y, x) = x + y;
                of(y, x) += in(y, k + x);
                of(y, x) = max(of(y, x), in(y + 1, l * 2 + x));
            } else {
                of(x, y) = x + y;
                of(x, y) += in(y, k + x);
                of(x, y) = max(of(x, y), in(y + 1, l * 2 + x));
            }
            out(x, y) = friendly ? of(y, x) : of(x, y);
            break;
        }
        }
        input.set_estimates({{0, 256}, {0, 192}});
        out.set_estimates({{0, 256}, {0, 192}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Lanes, lanes)

// Updates that change each point of a box once, in the forms in which they take over the pure definition of their Func; and some that must not.
#include "Halide.h"

namespace {

using namespace Halide;

class Inits : public Generator<Inits> {
public:
    enum class Kind { integral, zero, middle, grid, backwards, pointwise, pair, several, ahead, turned, taps, twice, where, by_data, strided };
    GeneratorParam<Kind> kind{"kind",
                              Kind::integral,
                              {{"integral", Kind::integral},
                               {"zero", Kind::zero},
                               {"middle", Kind::middle},
                               {"grid", Kind::grid},
                               {"backwards", Kind::backwards},
                               {"pointwise", Kind::pointwise},
                               {"pair", Kind::pair},
                               {"several", Kind::several},
                               {"ahead", Kind::ahead},
                               {"turned", Kind::turned},
                               {"taps", Kind::taps},
                               {"twice", Kind::twice},
                               {"where", Kind::where},
                               {"by_data", Kind::by_data},
                               {"strided", Kind::strided}}};

    Input<Buffer<float, 2>> input{"input"};
    Input<int> first{"first"}, rows{"rows"};  // those of middle
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func in = BoundaryConditions::repeat_edge(input), f("f");
        const Expr width = input.width(), height = input.height();
        RDom r(1, height - 1, "r"), c(1, width - 1, "c"), both(1, width - 1, 1, height - 1, "both");
        f(x, y) = in(x, y);
        Func result = f;
        switch (kind) {
        case Kind::integral:
            f(c, y) += f(c - 1, y);
            f(x, r) += f(x, r - 1);
            break;
        case Kind::zero: {
            Func sums("sums");
            sums(x, y) = 0.f;
            RDom all(0, height, "all");
            sums(x, all) = sums(x, all - 1) + f(x, all);
            result = sums;
            break;
        }
        case Kind::middle: {
            RDom some(first, rows, "some");
            f(x, some) = f(x, some) * .5f + f(x, some - 1);
            break;
        }
        case Kind::grid: f(both.x, both.y) += f(both.x - 1, both.y) * .25f + f(both.x, both.y - 1) * .25f - f(both.x + 1, both.y - 1) * .125f; break;
        case Kind::backwards: f(x, height - 1 - r) += f(x, height - r) * .5f; break;
        case Kind::pointwise: f(x, r) = f(x, r) * 3 + x; break;
        case Kind::pair: {
            Func both_sums("both_sums");
            both_sums(x, y) = {f(x, y), f(x, y) * f(x, y)};
            both_sums(x, r) = {both_sums(x, r)[0] + both_sums(x, r - 1)[0], both_sums(x, r)[1] + both_sums(x, r - 1)[1] - both_sums(x, r)[0]};
            result = Func("result");
            result(x, y) = both_sums(x, y)[0] + both_sums(x, y)[1];
            break;
        }
        case Kind::several: {  // the output itself, whose definition stands in more than the update
            out(x, y) = f(x, y) + f(x + 1, y);
            out(x, r) = max(out(x, r - 1), out(x, r) - 1) + out(x, r) * .5f;
            break;
        }
        case Kind::ahead: f(x, r - 1) = f(x, r - 1) + f(x, r); break;
        case Kind::turned: {
            Func other("other");
            other(x, y) = in(y, x);
            other(x, r) += other(x, r - 1);
            result = other;
            break;
        }
        case Kind::taps: {
            Func wide("wide");
            wide(x, y) = in(x - 2, y) + in(x - 1, y) + in(x, y) + in(x + 1, y) + in(x + 2, y);
            wide(x, r) += wide(x, r - 1);
            result = wide;
            break;
        }
        case Kind::twice: {
            RDom rounds(1, height - 1, 0, 2, "rounds");
            f(x, rounds.x) = f(x, rounds.x) * .5f + f(x, rounds.x - 1) * .25f;
            break;
        }
        case Kind::where:
            r.where(r % 2 == 1);
            f(x, r) += f(x, r - 1);
            break;
        case Kind::by_data: f(x, r) += f(x, clamp(cast<int>(in(0, r)), 0, r)); break;
        case Kind::strided: {
            RDom half(0, height / 2, "half");
            f(x, 2 * half) += 1.f;
            break;
        }
        }
        if (!out.defined()) {
            out(x, y) = result(x, y);
        }
        input.set_estimates({{0, 512}, {0, 384}});
        first.set_estimate(100);
        rows.set_estimate(200);
        out.set_estimates({{0, 512}, {0, 384}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Inits, inits)

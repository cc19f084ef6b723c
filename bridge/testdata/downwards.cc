// Updates that run down the columns: what an iteration loads is stored by none of those before it in the code, or some of it is.
#include "Halide.h"

namespace {

using namespace Halide;

class Downwards : public Generator<Downwards> {
public:
    enum class Kind { down, up, two_before, both_sides, other, looked_up, levels, planes, bins, halves };
    GeneratorParam<Kind> kind{"kind",
                              Kind::down,
                              {{"down", Kind::down},
                               {"up", Kind::up},
                               {"two_before", Kind::two_before},
                               {"both_sides", Kind::both_sides},
                               {"other", Kind::other},
                               {"looked_up", Kind::looked_up},
                               {"levels", Kind::levels},
                               {"planes", Kind::planes},
                               {"bins", Kind::bins},
                               {"halves", Kind::halves}}};

    Input<Buffer<float, 3>> input{"input"};
    Input<float> weight{"weight"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func a("a");
        a(x, y, c) = input(x, y, c);
        const Expr height = input.height(), w = weight;
        RDom r(1, height - 1, "r"), twice(2, max(height - 2, 0), "twice"), inner(1, max(height - 2, 0), "inner"), levels(0, height, 1, input.channels() - 1, "levels");
        switch (kind) {
        case Kind::down: a(x, r, c) = w * a(x, r, c) + (1 - w) * a(x, r - 1, c); break;
        case Kind::up: a(x, height - 1 - r, c) = w * a(x, height - 1 - r, c) + (1 - w) * a(x, height - r, c); break;
        case Kind::two_before: a(x, twice, c) = a(x, twice, c) - w * a(x, twice - 2, c); break;
        case Kind::both_sides: a(x, inner, c) = (a(x, inner - 1, c) + a(x, inner, c) + a(x, inner + 1, c)) / 3; break;
        case Kind::other: a(x, r, c) = a(x, r - 1, c) * w + input(x, r, c) * input(x, height - 1 - r, c); break;
        case Kind::looked_up: a(x, r, c) = a(x, r - 1, c) * w + a(x, clamp(cast<int>(a(x, r, c)), 0, height - 1), c); break;
        case Kind::levels: a(x, levels.x, levels.y) = max(a(x, levels.x, levels.y - 1), a(x, min(levels.x + 3, height - 1), levels.y - 1) * w); break;
        case Kind::bins: a(x, clamp(cast<int>(input(x, r, c)), 0, height - 1), c) += w; break;  // several iterations store one place
        case Kind::halves: a(x, r / 2, c) = a(x, r / 2, c) * w + input(x, r, c); break;
        case Kind::planes: a(x, r, 1) = a(x, r - 1, 0) + w * a(x, r - 1, 1); break;
        }
        // In fewer columns the rows of a level would be parallel; a block whose reader needs one column would compute it.
        const bool several = kind == Kind::levels;
        const int width = several ? 1 << 14 : 1536;
        out(x, y, c) = a(x, y, c) * 2 + (several ? a(min(x + 1, input.width() - 1), y, c) : Expr(0.0f));
        weight.set_estimate(.3f);
        input.set_estimates({{0, width}, {0, 1024}, {0, 3}});
        out.set_estimates({{0, width}, {0, 1024}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Downwards, downwards)

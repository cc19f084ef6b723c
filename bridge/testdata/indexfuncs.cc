// Places that Funcs compute: a resampling of what stencils and a reduction made, whose positions are Funcs or, with written=true, stand in the indices.
#include "Halide.h"

namespace {

using namespace Halide;

class IndexFuncs : public Generator<IndexFuncs> {
public:
    GeneratorParam<bool> written{"written", false};
    Input<Buffer<float, 2>> input{"input"};
    Input<float> scale{"scale", 1.5f, .1f, 10.f};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func in = BoundaryConditions::mirror_image(input), blurred("blurred"), sums("sums");
        blurred(x, y) = in(x - 1, y) + 2 * in(x, y + 1) + in(x + 1, y - 1);
        RDom r(0, input.width(), "r");  // no short one, which would be written out
        sums(x, y) = 0.0f;
        sums(x, y) += select(abs(r - x) < 3, blurred(r, y), 0.0f);

        Func half("half"), quarter("quarter"), position("position"), first("first");
        half(x) = x / 2;
        quarter(x) = half(half(x) + 1);
        position(x) = (cast<float>(x) + .5f) / scale - .5f;
        first(x) = cast<int>(floor(position(x)));
        const auto value = [&](Func f, const Expr &e, const Expr &at) { return written ? e : f(at); };
        const Expr row = value(quarter, (y / 2 + 1) / 2, y), column = value(first, cast<int>(floor((cast<float>(x) + .5f) / scale - .5f)), x);
        const Expr part = (cast<float>(x) + .5f) / scale - .5f - cast<float>(column);
        out(x, y) = sums(value(half, x / 2, x), row) + lerp(blurred(column, row), blurred(column + 1, row), clamp(part, 0.0f, 1.0f));

        input.set_estimates({{0, 96}, {0, 64}});
        scale.set_estimate(1.5f);
        out.set_estimates({{0, 96}, {0, 96}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(IndexFuncs, indexfuncs)

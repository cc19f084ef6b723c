// Tables, Funcs whose values hang on their arguments alone, read where a short reduction makes constants of them, also through a Func that hands an argument on;
// and read where nothing does: at a place of the output, at data, along a reduction that is too long.
#include "Halide.h"

namespace {

using namespace Halide;

class Tables : public Generator<Tables> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), t("t");
        Func photo("photo"), weight("weight"), half("half"), segment("segment"), disc("disc"), bell("bell"), ramp("ramp"), curve("curve"), wave("wave"), tail("tail");
        photo = BoundaryConditions::repeat_edge(input);
        weight(t) = exp(cast<float>(-t * t) / 8.0f);
        half(t) = cast<int>(sqrt(cast<float>(max(26 - t * t, 0))));
        const Expr reach = clamp(half(t), 0, 5);
        segment(x, y, t) = photo(x, y - reach) + photo(x, y + reach);
        RDom d(-5, 11, "d");
        disc(x, y) = 0.0f;
        disc(x, y) += segment(x + d, y, clamp(d, -5, 5)) * weight(d);
        ramp(x) = sqrt(cast<float>(max(x, 0)));
        curve(t) = exp(cast<float>(t) / 16.0f);
        wave(t) = sin(cast<float>(t));
        RDom l(0, 70, "l");
        tail(x, y) = 0.0f;
        tail(x, y) += photo(x + l, y) * wave(l);
        bell(x, y) = disc(x, y) + ramp(x) + curve(clamp(cast<int>(photo(x, y)), 0, 15)) + tail(x, y);
        out(x, y) = bell(x, y);

        input.set_estimates({{0, 4096}, {0, 3072}});
        out.set_estimates({{0, 4096}, {0, 3072}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Tables, tables)

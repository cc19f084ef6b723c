// Votes of bright pixels for lines through them, by distance and angle: a place that the domain says, and what is added where a condition allows it. Rows of angles alone are few threads.
#include "Halide.h"

namespace {

using namespace Halide;

class Votes : public Generator<Votes> {
public:
    enum class Kind { where, chosen };
    GeneratorParam<Kind> kind{"kind", Kind::where, {{"where", Kind::where}, {"chosen", Kind::chosen}}};
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var d("d"), angle("angle");
        RDom r(0, image.width(), 0, image.height(), "r");
        Expr bright = image(r.x, r.y) > 240;
        if (kind == Kind::where) {
            r.where(bright);
        }
        Expr distance = clamp((r.x * angle + r.y * (16 - angle)) / 16, 0, 1023);
        out(d, angle) = 0;
        out(distance, angle) += kind == Kind::where ? Expr(1) : select(bright, 1, 0);
        image.set_estimates({{0, 512}, {0, 384}});
        out.set_estimates({{0, 1024}, {0, 16}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Votes, votes)

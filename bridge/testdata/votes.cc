// Votes of bright pixels for lines through them, by distance and angle: a place that the domain says, and what is added where a condition allows it. Rows of angles alone are few threads.
#include "Halide.h"

namespace {

using namespace Halide;

class Votes : public Generator<Votes> {
public:
    enum class Kind { where, chosen, halves };
    GeneratorParam<Kind> kind{"kind", Kind::where, {{"where", Kind::where}, {"chosen", Kind::chosen}, {"halves", Kind::halves}}};
    GeneratorParam<int> angles{"angles", 16};
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<void, 2>> out{"out"};

    void generate() {
        Var d("d"), angle("angle");
        RDom r(0, image.width(), 0, image.height(), "r");
        Expr bright = image(r.x, r.y) > 240;
        if (kind == Kind::where) {
            r.where(bright);
        }
        Expr distance = clamp((r.x * angle + r.y * (16 - angle)) / 16, 0, 1023);
        Expr none = 0, one = 1;
        if (kind == Kind::halves) {
            none = 0.0f, one = 0.5f;
        }
        out(d, angle) = none;
        out(distance, angle) += kind == Kind::where ? one : select(bright, one, none);
        image.set_estimates({{0, 512}, {0, 384}});
        out.set_estimates({{0, 1024}, {0, angles}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Votes, votes)

// Colours of a pixel from three values that a thread keeps of it. The loop over colours goes around a thread's pixels: what each colour is made of does not depend on the turn.
#include "Halide.h"

namespace {

using namespace Halide;

class Colours : public Generator<Colours> {
public:
    Input<Buffer<float, 3>> in{"in"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func light("light"), blue("blue"), red("red");
        Expr r = in(x, y, 0), g = in(x, y, 1), b = in(x, y, 2);
        light(x, y) = sqrt(r * r + g * g + b * b);
        blue(x, y) = b / light(x, y);
        red(x, y) = r / light(x, y);
        Expr l = light(x, y), u = blue(x, y), v = red(x, y);
        out(x, y, c) = mux(c, {l * v + v, l * u - v * u, l * u + u}) * l;
        in.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Colours, colours)

// Channels that share what a thread works out of what it has loaded: each is stored behind that, and its neighbours with it.
#include "Halide.h"

namespace {

using namespace Halide;

class Together : public Generator<Together> {
public:
    enum class Kind { saturation, chosen, looked_up };
    GeneratorParam<Kind> kind{"kind", Kind::saturation, {{"saturation", Kind::saturation}, {"chosen", Kind::chosen}, {"looked_up", Kind::looked_up}}};

    Input<Buffer<float, 3>> in{"in"};
    Input<Buffer<float, 1>> table{"table"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Expr grey = 0.25f * in(x, y, 0) + 0.5f * in(x, y, 1) + 0.25f * in(x, y, 2);
        switch (kind) {
        case Kind::saturation:
            out(x, y, c) = clamp(grey + (in(x, y, c) - grey) * 1.5f, 0.0f, 200.0f) + table(0);
            break;
        case Kind::chosen: {
            Expr red = sqrt(grey + 2.0f * in(x, y, 1)), green = sqrt(grey), blue = sqrt(grey + 2.0f * in(x, y, 2));
            out(x, y, c) = mux(c, {red / (blue + 1.0f), green + table(0), blue / (red + 1.0f)});
            break;
        }
        case Kind::looked_up: {  // where the table is read hangs on what is loaded
            Expr place = clamp(cast<int>(grey), 0, 63);
            out(x, y, c) = table(place) * in(x, y, c) + table(place + c);
            break;
        }
        }
        out.dim(2).set_bounds(0, 3);
        in.dim(2).set_bounds(0, 3);
        in.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
        table.set_estimates({{0, 66}});
        out.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Together, together)

// Stencils whose outputs have several points a thread, in the forms in which Halide lowers their edges.
#include "Halide.h"

namespace {

using namespace Halide;

class AnySize : public Generator<AnySize> {
public:
    enum class Form { plain, uneven, clamped, window, pair, apart, line, channels };
    GeneratorParam<Form> form{"form", Form::plain, {{"plain", Form::plain}, {"uneven", Form::uneven}, {"clamped", Form::clamped}, {"window", Form::window}, {"pair", Form::pair}, {"apart", Form::apart}, {"line", Form::line}, {"channels", Form::channels}}};
    Input<Buffer<float, 2>> input{"input"};
    Output<Func> output{"output"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func in("in"), sum("sum"), result("result");
        in = form == Form::clamped ? BoundaryConditions::mirror_interior(input) : Func(input);
        // Of floats that are not exact: sums in another order differ.
        auto cross = [&](const Func &f) { return f(x, y) * .3f + (f(x + 1, y) * .7f + f(x + 2, y + 1) * 1.3f) + f(x + 1, y + 2) / 3.1f; };
        sum(x, y) = cross(in);
        switch (form) {
        case Form::window:
            result(x, y) = cross(sum) * sum(x + 1, y + 1);
            break;
        case Form::pair:
            result(x, y) = Tuple(sum(x, y), sum(x, y) * input(x, y));
            break;
        case Form::apart:  // what the window is for is done before the tuple is
            result(x, y) = Tuple(cross(sum) * sum(x + 1, y + 1), cast<uint8_t>(x + y));
            break;
        case Form::line:
            result(x) = sum(x, 0) * sum(x, 1);
            break;
        case Form::channels:
            result(x, y, c) = select(c == 0, sum(x, y), sqrt(sum(x, y) + c));
            result.bound(c, 0, 3);
            break;
        default:
            result(x, y) = sum(x, y);
        }
        output = result;
        input.set_estimates({{0, 1028}, {0, 772}});
        if (form == Form::line) {
            output.set_estimates({{0, 1024}});
        } else if (form == Form::channels) {
            output.set_estimates({{0, 1024}, {0, 768}, {0, 3}});
        } else if (form == Form::uneven) {
            output.set_estimates({{0, 1021}, {0, 763}});
        } else {
            output.set_estimates({{0, 1024}, {0, 768}});
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(AnySize, any_size)

// A blur by a first-order recursive filter that runs forwards and backwards along the
// columns and then along the rows, written as a user writes it: the algorithm,
// estimates, no schedule. Both directions share one Func by way of two transposes.
#include "Halide.h"

namespace {

using namespace Halide;

class IirBlur : public Generator<IirBlur> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};

    Input<Buffer<float, 3>> input{"input"};
    // The weight of the new sample, above 0 and at most 1.
    Input<float> weight{"weight"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func columns = along_columns(input, input.height(), "columns");
        Func rows = along_columns(transpose(columns, "turned"), input.width(), "rows");
        output(x, y, c) = rows(y, x, c);

        weight.set_estimate(0.25f);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};

    // Each sample moves towards its filtered neighbour above, then towards the one
    // below; the first and the last start from themselves.
    Func along_columns(Func f, Expr extent, const std::string &name) {
        Func filtered(name);
        filtered(x, y, c) = f(x, y, c);
        RDom down(1, extent - 1, "down");
        filtered(x, down, c) = weight * filtered(x, down, c) + (1.0f - weight) * filtered(x, down - 1, c);
        RDom up(0, extent - 1, "up");
        Expr from_end = extent - 2 - up;
        filtered(x, from_end, c) = weight * filtered(x, from_end, c) + (1.0f - weight) * filtered(x, from_end + 1, c);
        return filtered;
    }

    Func transpose(Func f, const std::string &name) {
        Func turned(name);
        turned(x, y, c) = f(y, x, c);
        return turned;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(IirBlur, iir_blur)

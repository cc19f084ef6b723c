// Steps of the heat equation in a box by explicit differences of 7 points, written as a user
// writes it: the algorithm, estimates, no schedule.
#include "Halide.h"

namespace {

using namespace Halide;

class Heat : public Generator<Heat> {
public:
    GeneratorParam<int> width{"width", 256};
    GeneratorParam<int> height{"height", 256};
    GeneratorParam<int> depth{"depth", 256};
    GeneratorParam<int> steps{"steps", 4};

    Input<Buffer<float, 3>> input{"input"};
    Input<float> rate{"rate"};  // conductivity times the step in time over the square of that in space; stable up to 1/6
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var x("x"), y("y"), z("z");
        Func heat = BoundaryConditions::repeat_edge(input);
        for (int i = 1; i <= steps; i++) {
            Func next("heat_" + std::to_string(i));
            Expr here = heat(x, y, z);
            Expr around = heat(x - 1, y, z) + heat(x + 1, y, z) + heat(x, y - 1, z) + heat(x, y + 1, z) + heat(x, y, z - 1) + heat(x, y, z + 1);
            next(x, y, z) = here + rate * (around - 6.0f * here);
            heat = next;
        }
        output(x, y, z) = heat(x, y, z);

        rate.set_estimate(0.125f);
        input.set_estimates({{0, width}, {0, height}, {0, depth}});
        output.set_estimates({{0, width}, {0, height}, {0, depth}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Heat, heat)

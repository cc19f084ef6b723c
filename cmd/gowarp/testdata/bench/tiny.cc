// Two stages without a boundary condition: the input is needed from -1 on.
#include "Halide.h"

namespace {

using namespace Halide;

class Tiny : public Generator<Tiny> {
public:
    GeneratorParam<int> width{"width", 300};
    GeneratorParam<int> height{"height", 200};
    enum class Schedule { none, expert };
    GeneratorParam<Schedule> schedule{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<float> weight{"weight"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y"), xo("xo"), yo("yo");
        Func rows("rows");
        rows(x, y) = weight * input(x - 1, y) + input(x + 1, y);
        output(x, y) = rows(x, y - 1) + rows(x, y + 1);
        weight.set_estimate(0.5f);
        input.set_estimates({{-1, width + 2}, {-1, height + 2}});
        output.set_estimates({{0, width}, {0, height}});
        if (schedule == Schedule::expert) {
            output.gpu_tile(x, y, xo, yo, 32, 8, TailStrategy::GuardWithIf);
        }
    }
};

// A kernel that nothing can launch.
class TooWide : public Generator<TooWide> {
public:
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y");
        output(x, y) = cast<float>(x + y);
        output.set_estimates({{0, 2048}, {0, 64}});
        if (!using_autoscheduler()) {
            output.bound(x, 0, 2048).gpu_threads(x).gpu_blocks(y);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Tiny, tiny)
HALIDE_REGISTER_GENERATOR(TooWide, too_wide)

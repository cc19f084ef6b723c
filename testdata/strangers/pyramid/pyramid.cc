// A two-level pyramid of 16-bit samples, down and up again, whose difference from the
// input is amplified, and a tone curve from a table applied: strides, divisions of
// coordinates, saturation, a gather.
#include "Halide.h"

using namespace Halide;
using Halide::ConciseCasts::i32;
using Halide::ConciseCasts::u16_sat;

class Pyramid : public Generator<Pyramid> {
public:
    GeneratorParam<int> levels{"levels", 2};
    Input<Buffer<uint16_t, 2>> samples{"samples"};
    Input<Buffer<uint16_t, 1>> curve{"curve"};
    Input<int32_t> gain{"gain"};
    Output<Buffer<uint16_t, 2>> result{"result"};

    void generate() {
        Func level = BoundaryConditions::repeat_edge(samples);
        for (int i = 0; i < levels; i++) {
            level = down(level, "down" + std::to_string(i));
        }
        for (int i = 0; i < levels; i++) {
            level = up(level, "up" + std::to_string(i));
        }
        Func detail("detail");
        Expr base = i32(level(x, y));
        detail(x, y) = u16_sat(base + (i32(samples(x, y)) - base) * gain / 4);
        result(x, y) = curve(i32(detail(x, y) >> 8));

        samples.set_estimates({{0, 900}, {0, 1300}});
        curve.set_estimates({{0, 256}});
        gain.set_estimate(7);
        result.set_estimates({{0, 900}, {0, 1300}});
    }

private:
    Var x{"x"}, y{"y"};

    // [1 3 3 1] in both directions, at half the resolution.
    Func down(Func f, const std::string &name) {
        Func across(name + "_x"), along(name);
        across(x, y) = i32(f(2 * x - 1, y)) + 3 * (i32(f(2 * x, y)) + i32(f(2 * x + 1, y))) + i32(f(2 * x + 2, y));
        along(x, y) = cast<uint16_t>((across(x, 2 * y - 1) + 3 * (across(x, 2 * y) + across(x, 2 * y + 1)) + across(x, 2 * y + 2) + 32) >> 6);
        return along;
    }

    // Between the two nearest samples of the coarser level, three to one.
    Func up(Func f, const std::string &name) {
        Func across(name + "_x"), along(name);
        across(x, y) = 3 * i32(f(x / 2, y)) + i32(f(x / 2 - 1 + 2 * (x % 2), y));
        along(x, y) = cast<uint16_t>((3 * across(x, y / 2) + across(x, y / 2 - 1 + 2 * (y % 2)) + 8) >> 4);
        return along;
    }
};

HALIDE_REGISTER_GENERATOR(Pyramid, pyramid)

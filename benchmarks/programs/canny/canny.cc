// Edges of an RGB photograph (Canny 1986): blur, gradient, the ridge of its magnitude, two
// thresholds, weak edges kept beside strong ones. Written as a user writes it: the
// algorithm, estimates, no schedule. In whole numbers, so that every device finds the same.
#include "Halide.h"

namespace {

using namespace Halide;

class Canny : public Generator<Canny> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};

    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<int> weak{"weak"};      // thresholds of the gradient's magnitude, 0 to 1442
    Input<int> strong{"strong"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y");
        Func image = BoundaryConditions::repeat_edge(input);

        // ITU-R BT.601, in 1/256.
        Func gray("gray"), across("across"), smooth("smooth");
        gray(x, y) = (77 * cast<int>(image(x, y, 0)) + 150 * cast<int>(image(x, y, 1)) + 29 * cast<int>(image(x, y, 2))) >> 8;
        across(x, y) = gray(x - 2, y) + gray(x + 2, y) + 4 * (gray(x - 1, y) + gray(x + 1, y)) + 6 * gray(x, y);
        smooth(x, y) = (across(x, y - 2) + across(x, y + 2) + 4 * (across(x, y - 1) + across(x, y + 1)) + 6 * across(x, y) + 128) >> 8;

        // Sobel's, up to 1020 each.
        Func gx("gx"), gy("gy"), strength("strength");
        auto column = [&](int dx) { return smooth(x + dx, y - 1) + 2 * smooth(x + dx, y) + smooth(x + dx, y + 1); };
        auto row = [&](int dy) { return smooth(x - 1, y + dy) + 2 * smooth(x, y + dy) + smooth(x + 1, y + dy); };
        gx(x, y) = column(1) - column(-1);
        gy(x, y) = row(1) - row(-1);
        strength(x, y) = gx(x, y) * gx(x, y) + gy(x, y) * gy(x, y);

        // The gradient's direction is one of four; 2/5 is the tangent of 21.8 degrees.
        Func ridge("ridge");
        Expr across_x = cast<int>(abs(gx(x, y))), across_y = cast<int>(abs(gy(x, y)));
        Expr flat = 5 * across_y < 2 * across_x, steep = 5 * across_x < 2 * across_y;
        Expr falling = (gx(x, y) > 0) == (gy(x, y) > 0);
        auto highest = [&](int dx, int dy) { return strength(x, y) > strength(x - dx, y - dy) && strength(x, y) >= strength(x + dx, y + dy); };
        ridge(x, y) = select(select(flat, highest(1, 0), steep, highest(0, 1), falling, highest(1, 1), highest(1, -1)), strength(x, y), 0);

        Expr beside = ridge(x - 1, y - 1);
        for (int d = 1; d < 9; d++) {
            beside = max(beside, ridge(x + d % 3 - 1, y + d / 3 - 1));
        }
        output(x, y) = select(ridge(x, y) >= weak * weak && ridge(x, y) > 0 && beside >= strong * strong, cast<uint8_t>(255), cast<uint8_t>(0));

        weak.set_estimate(40);
        strong.set_estimate(100);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Canny, canny)

// Two outputs of different shapes and a reduction: the mean gradient of each row of a
// height field, and the gradients relative to it. One output is also an intermediate
// of the other. A scalar input keeps flat rows finite.
#include "Halide.h"

using namespace Halide;

class Profile : public Generator<Profile> {
public:
    Input<Buffer<float, 2>> heights{"heights"};
    Input<float> floor_{"floor"};
    Output<Buffer<float, 2>> relief{"relief"};
    Output<Buffer<float, 1>> row_mean{"row_mean"};

    void generate() {
        Func surface = BoundaryConditions::mirror_interior(heights);
        Func slope("slope"), total("total");
        Expr dx = (surface(x + 1, y) - surface(x - 1, y)) * 0.5f;
        Expr dy = (surface(x, y + 1) - surface(x, y - 1)) * 0.5f;
        slope(x, y) = sqrt(dx * dx + dy * dy);

        RDom row(0, heights.width());
        total(y) += slope(row, y);
        row_mean(y) = total(y) / cast<float>(heights.width());
        relief(x, y) = slope(x, y) / max(row_mean(y), floor_);

        heights.set_estimates({{0, 1000}, {0, 700}});
        floor_.set_estimate(0.001f);
        relief.set_estimates({{0, 1000}, {0, 700}});
        row_mean.set_estimates({{0, 700}});
    }

private:
    Var x{"x"}, y{"y"};
};

HALIDE_REGISTER_GENERATOR(Profile, profile)

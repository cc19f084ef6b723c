// The winning class of each pixel under a small convolution: a four-dimensional table
// of weights, a reduction over a plus-shaped part of the window, a tuple-valued argmax
// over classes, and pixels below a threshold left without a label.
#include "Halide.h"

using namespace Halide;

class Labels : public Generator<Labels> {
public:
    Input<Buffer<int8_t, 3>> features{"features"};  // x, y, channel
    Input<Buffer<int8_t, 4>> weights{"weights"};    // x, y, channel, class
    Input<Buffer<int32_t, 1>> bias{"bias"};         // class
    Input<int32_t> threshold{"threshold"};
    Output<Buffer<uint8_t, 2>> label{"label"};
    Output<Buffer<int32_t, 2>> score{"score"};

    void generate() {
        const int classes = 6, channels = 4;
        Var x("x"), y("y"), k("k");
        Func padded = BoundaryConditions::constant_exterior(features, Expr((int8_t)-3));

        Func response("response");
        RDom r(-1, 3, -1, 3, 0, channels);
        r.where(r.x == 0 || r.y == 0);
        response(x, y, k) = bias(k);
        response(x, y, k) += cast<int32_t>(padded(x + r.x, y + r.y, r.z)) * cast<int32_t>(weights(r.x + 1, r.y + 1, r.z, k));

        Func best("best");
        RDom c(0, classes);
        best(x, y) = Tuple(Int(32).min(), cast<uint8_t>(0));
        Expr better = response(x, y, c) > best(x, y)[0];
        best(x, y) = Tuple(select(better, response(x, y, c), best(x, y)[0]),
                           select(better, cast<uint8_t>(c), best(x, y)[1]));

        score(x, y) = best(x, y)[0];
        label(x, y) = select(best(x, y)[0] < threshold, cast<uint8_t>(255), best(x, y)[1]);

        features.set_estimates({{0, 640}, {0, 480}, {0, channels}});
        weights.set_estimates({{0, 3}, {0, 3}, {0, channels}, {0, classes}});
        bias.set_estimates({{0, classes}});
        threshold.set_estimate(100);
        label.set_estimates({{0, 640}, {0, 480}});
        score.set_estimates({{0, 640}, {0, 480}});
    }
};

HALIDE_REGISTER_GENERATOR(Labels, labels)

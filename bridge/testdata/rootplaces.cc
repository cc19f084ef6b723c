// Places that are a root, or a logarithm, times a scalar of floats: the least that an interval has what is under the root be has none.
#include "Halide.h"

namespace {

using namespace Halide;

class RootPlaces : public Generator<RootPlaces> {
public:
    GeneratorParam<bool> logarithm{"logarithm", false};
    GeneratorParam<bool> estimated{"estimated", true};
    Input<Buffer<uint16_t, 1>> input{"input"};
    Input<float> rate{"rate"};
    Output<Buffer<uint16_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        const Expr u = cast<float>(x - 40), v = cast<float>(y - 30);
        const Expr r = u * u + v * v + 1.f;
        const Expr at = (logarithm ? log(r) : sqrt(r)) * rate;
        const Func in = BoundaryConditions::repeat_edge(input);
        out(x, y) = in(clamp(cast<int>(at), 0, 1023)) + in(cast<int>(at) % 512);
        input.set_estimates({{0, 1024}});
        out.set_estimates({{0, 200}, {0, 150}});
        if (estimated) {
            rate.set_estimate(8.f);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(RootPlaces, rootplaces)

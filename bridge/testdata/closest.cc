// The plane of a volume that is closest to a pixel by three distances of weights of its own. Every turn of the loop over planes finds a pixel's values the same.
#include "Halide.h"

namespace {

using namespace Halide;

class Closest : public Generator<Closest> {
public:
    Input<Buffer<uint32_t, 3>> in{"in"};
    Input<Buffer<uint32_t, 2>> one{"one"};
    Input<Buffer<uint32_t, 2>> two{"two"};
    Input<int> planes{"planes", 32, 1, 64};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), k("k");
        RDom r(0, planes, "r");
        Func distance("distance"), least("least");
        Expr a = one(x, y) & 255, b = two(x, y) & 255;
        Expr at = in(x, y, k) & 255;
        distance(x, y, k) = (a * a + 1) * absd(at, (a + b) / 2) + (b * a + 3) * absd(at, b ^ a) + (b * b + 5) * absd(at, max(a, b));
        out(x, y) = argmin(r, distance(x, y, r), least)[0];
        planes.set_estimate(32);
        in.set_estimates({{0, 1536}, {0, 2560}, {0, 32}});
        one.set_estimates({{0, 1536}, {0, 2560}});
        two.set_estimates({{0, 1536}, {0, 2560}});
        out.set_estimates({{0, 1536}, {0, 2560}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Closest, closest)

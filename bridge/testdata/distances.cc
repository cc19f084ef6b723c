// Three pictures of half the height, made larger and mixed by a mask. The loop over colours goes around a thread's pixels: how far apart the rows of each buffer are every turn finds the same.
#include "Halide.h"

namespace {

using namespace Halide;

class Distances : public Generator<Distances> {
public:
    Input<Buffer<float, 3>> first{"first"}, second{"second"}, third{"third"};
    Input<Buffer<float, 2>> mask{"mask"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        auto larger = [&](Input<Buffer<float, 3>> &f) {
            return 0.75f * f(x, y / 2 + 1, c) + 0.25f * f(x, y / 2 + 2 * (y % 2), c);
        };
        Expr m = mask(x, y) * 2.0f + mask(x, y + 1), n = 1.0f - m;
        out(x, y, c) = m * larger(first) + n * larger(second) + max(m, n) * larger(third);
        for (auto *f : {&first, &second, &third}) {
            f->set_estimates({{0, 1536}, {0, 1282}, {0, 3}});
        }
        mask.set_estimates({{0, 1536}, {0, 2561}});
        out.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Distances, distances)

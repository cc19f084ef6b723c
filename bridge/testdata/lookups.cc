// What a tile of a warp looks up in layers of a volume that its own data choose, several rows and columns of each.
#include "Halide.h"

namespace {

using namespace Halide;

class Lookups : public Generator<Lookups> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), z("z");
        Func edge("edge"), layers("layers"), level("level"), chosen("chosen");
        edge = BoundaryConditions::repeat_edge(input);
        layers(x, y, z) = edge(x, y, z) * 2.0f;
        RDom r(1, input.dim(2).extent() - 1);
        layers(x, y, r) += layers(x, y, r - 1) / 2;  // a scan is in memory
        level(x, y) = edge(x, y, 0) / 256.0f;
        level(x, r.x) += level(x, r.x - 1) / 8;  // this one too
        const Expr at = clamp(cast<int>(level(x, y) * 3.5f), 0, 2);
        const auto smooth = [&](const Expr &l) {
            return layers(x, y, l) + 3 * layers(x + 1, y, l) - layers(x, y + 1, l) + 2 * layers(x + 1, y + 1, l);
        };
        chosen(x, y) = smooth(at) - 2 * smooth(at + 1);
        out(x, y) = chosen(x, y) - 2 * chosen(x + 1, y);

        input.set_estimates({{0, 256}, {0, 256}, {0, 4}});
        out.set_estimates({{0, 256}, {0, 256}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Lookups, lookups)

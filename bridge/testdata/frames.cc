// Filters of coloured frames: four dimensions, so that two loops over blocks are one, and all colours of a point share weights.
#include "Halide.h"

namespace {

using namespace Halide;

class Frames : public Generator<Frames> {
public:
    GeneratorParam<bool> deep{"deep", false};  // a dimension more
    Input<Buffer<int32_t>> input{"input"};
    Output<Buffer<int32_t>> out{"out"};

    void configure() {
        input.set_dimensions(deep ? 5 : 4);
        out.set_dimensions(deep ? 5 : 4);
    }

    void generate() {
        Var x("x"), y("y"), c("c"), t("t"), u("u");
        Func in("in"), sum("sum");
        std::vector<Var> at{x, y, c, t};
        std::vector<Expr> grey{x, y, 0, t};
        if (deep) {
            at.push_back(u);
            grey.emplace_back(u);
        }
        in = BoundaryConditions::repeat_edge(input, {{input.dim(0).min(), input.dim(0).extent()}, {input.dim(1).min(), input.dim(1).extent()}});
        RDom r(-3, 7, -3, 7, "r");
        r.where(r.x * r.x + r.y * r.y < 12);
        const auto moved = [&](std::vector<Expr> place) {
            place[0] = place[0] + r.x;
            place[1] = place[1] + r.y;
            return in(place);
        };
        const Expr near = 64 - min(absd(in(grey), moved(grey)), 63);
        sum(at) = 0;
        sum(at) += cast<int>(near) * moved({at.begin(), at.end()});
        out(at) = sum(at) / 64;
        for (int d = 0; d < out.dimensions(); d++) {
            const int sizes[] = {256, 192, 3, 8, 2};
            input.dim(d).set_estimate(0, sizes[d]);
            out.dim(d).set_estimate(0, sizes[d]);
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Frames, frames)

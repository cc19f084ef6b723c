// Reductions of which all channels of an output share most: the weights of a filter, or what is looked up. The channels are as many as the caller has.
#include "Halide.h"

namespace {

using namespace Halide;

class Channels : public Generator<Channels> {
public:
    enum class Kind { weighted, normalized, bounded, moved };
    GeneratorParam<Kind> kind{"kind", Kind::weighted, {{"weighted", Kind::weighted}, {"normalized", Kind::normalized}, {"bounded", Kind::bounded}, {"moved", Kind::moved}}};

    Input<Buffer<int32_t, 3>> input{"input"};
    Output<Buffer<int32_t, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func in("in"), grey("grey"), sum("sum"), weights("weights");
        in = BoundaryConditions::repeat_edge(input, {{input.dim(0).min(), input.dim(0).extent()}, {input.dim(1).min(), input.dim(1).extent()}});
        grey(x, y) = in(x, y, input.dim(2).min());
        RDom r(-3, 7, -3, 7, "r");
        r.where(r.x * r.x + r.y * r.y < 12);
        const Expr near = 64 - min(absd(grey(x, y), grey(x + r.x, y + r.y)), 63);
        sum(x, y, c) = 0;
        sum(x, y, c) += cast<int>(near) * in(x + r.x, y + r.y, c);
        weights(x, y) = 0;
        weights(x, y) += cast<int>(near);
        switch (kind) {
        case Kind::bounded:  // in every run so many
            out.dim(2).set_bounds(0, 3);
            input.dim(2).set_bounds(0, 3);
            [[fallthrough]];
        case Kind::weighted:
            out(x, y, c) = sum(x, y, c) / 64;
            break;
        case Kind::normalized:
            out(x, y, c) = sum(x, y, c) / max(weights(x, y), 1);
            break;
        case Kind::moved:  // its channels are read the other way round
            out(x, y, c) = sum(x, y, out.dim(2).max() - c) - in(x, y, c);
            break;
        }
        input.set_estimates({{0, 256}, {0, 192}, {0, 3}});
        out.set_estimates({{0, 256}, {0, 192}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Channels, channels)

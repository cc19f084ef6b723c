// Updates each of whose iterations takes what the one before has stored, in the forms that the lanes of a warp run through together; and some that they must not.
#include "Halide.h"

namespace {

using namespace Halide;

class Scans : public Generator<Scans> {
public:
    enum class Kind { sum, greatest, least, recurrence, less, halves, shared, growing, backwards, planes, alone, two_before, doubled, by_place, along_both, where };
    GeneratorParam<Kind> kind{"kind",
                              Kind::sum,
                              {{"sum", Kind::sum},
                               {"greatest", Kind::greatest},
                               {"least", Kind::least},
                               {"recurrence", Kind::recurrence},
                               {"less", Kind::less},
                               {"halves", Kind::halves},
                               {"shared", Kind::shared},
                               {"growing", Kind::growing},
                               {"backwards", Kind::backwards},
                               {"planes", Kind::planes},
                               {"alone", Kind::alone},
                               {"two_before", Kind::two_before},
                               {"doubled", Kind::doubled},
                               {"by_place", Kind::by_place},
                               {"along_both", Kind::along_both},
                               {"where", Kind::where}}};
    GeneratorParam<Type> of{"of", Float(32)};
    GeneratorParam<bool> vertical{"vertical", false};  // along y, beside each other along x

    Input<Buffer<float, 3>> input{"input"};
    Input<float> weight{"weight"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func a("a");
        a(x, y, c) = cast(of, input(x, y, c));
        const auto at = [&](const Expr &along, const Expr &plane) { return vertical ? a(x, along, plane) : a(along, y, plane); };
        const Expr extent = vertical ? input.height() : input.width();
        RDom r(1, extent - 1, "r"), p(1, input.channels() - 1, "p"), twice(2, max(extent - 2, 0), "twice"), both(1, extent - 1, 0, 2, "both");
        const Expr own = at(r, c), before = at(r - 1, c), w = cast(of, weight);
        switch (kind) {
        case Kind::sum: at(r, c) += before; break;
        case Kind::greatest: at(r, c) = max(before, own - cast(of, 3)); break;
        case Kind::least: at(r, c) = min(own + cast(of, 3), before); break;
        case Kind::recurrence: at(r, c) = w * own + (1 - w) * before; break;
        case Kind::less: at(r, c) = own * cast(of, 2) - before * w; break;
        case Kind::halves: at(r, c) = own * cast(of, .5f) + before * cast(of, .25f); break;  // Halide takes a factor out
        case Kind::shared: {
            Expr e = own;  // of 2^24 paths
            for (int i = 0; i < 24; i++) {
                e = e * e * cast(of, .001f) + e * cast(of, .5f);
            }
            at(r, c) = e + before * w;
            break;
        }
        case Kind::growing: at(r, c) = own + before * cast(of, 1.05f); break;
        case Kind::backwards: {
            const Expr last = extent - 1;
            at(last - r, c) = at(last - r, c) + at(last - r + 1, c);
            break;
        }
        case Kind::planes: a(x, y, p) += a(x, y, p - 1); break;
        case Kind::alone: {
            Func total("total");
            total(x) = a(x, 0, 0);
            total(r) += total(r - 1);
            out(x, y, c) = cast<float>(total(x)) + cast<float>(a(x, y, c));
            break;
        }
        case Kind::two_before: at(twice, c) += at(twice - 2, c); break;
        case Kind::doubled: at(r, c) = own + before + before * w; break;
        case Kind::by_place: at(r, c) = own + before * cast(of, select(r % 3 == 0, 0, 1)); break;
        case Kind::along_both: a(both.x, y, c) += a(both.x - 1, y, c); break;
        case Kind::where:
            r.where(r % 2 == 1);
            at(r, c) += at(r - 1, c);
            break;
        }
        if (!out.defined()) {
            out(x, y, c) = cast<float>(a(x, y, c)) * 2;
        }
        weight.set_estimate(.3f);
        input.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 1024}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Scans, scans)

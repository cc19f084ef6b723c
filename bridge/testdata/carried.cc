// Updates over several variables of a domain, of which the outer ones carry all dependences, or do not.
#include "Halide.h"

namespace {

using namespace Halide;

class Carried : public Generator<Carried> {
public:
    enum class Kind { rows, steps, plane, both, triangle, down, pairs, in_place, scattered, halves, next, bordered, interior, planes, reduced, clamped };
    GeneratorParam<Kind> kind{"kind",
                              Kind::rows,
                              {{"rows", Kind::rows},
                               {"steps", Kind::steps},
                               {"plane", Kind::plane},
                               {"both", Kind::both},
                               {"triangle", Kind::triangle},
                               {"down", Kind::down},
                               {"pairs", Kind::pairs},
                               {"in_place", Kind::in_place},
                               {"scattered", Kind::scattered},
                               {"halves", Kind::halves},
                               {"next", Kind::next},
                               {"bordered", Kind::bordered},
                               {"interior", Kind::interior},
                               {"planes", Kind::planes},
                               {"reduced", Kind::reduced},
                               {"clamped", Kind::clamped}}};

    GeneratorParam<bool> small{"small", false};  // few states, each of which a reduction over all of them is for

    Input<Buffer<float, 3>> input{"input"};
    Input<float> weight{"weight"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func a("a"), pair("pair");
        const Expr width = input.width(), height = input.height(), w = weight;
        const RDom r(0, width, 1, height - 1, "r");                                // rows below the first
        const RDom s(0, width, 0, height, 1, input.channels() - 1, "s");           // planes behind the first
        const RDom both(0, width, 1, height - 1, 1, input.channels() - 1, "both");
        const auto column = [&](const Expr &at) { return clamp(at, 0, width - 1); };
        const auto row = [&](const Expr &at) { return clamp(at, 0, height - 1); };
        const Func border = BoundaryConditions::repeat_edge(input);
        a(x, y, c) = input(x, y, c);
        pair(x, y, c) = {input(x, y, c), cast<int>(input(x, y, c))};
        switch (kind) {
        case Kind::rows:  // the least sum of a path from the first row
            a(r.x, r.y, c) += min(a(column(r.x - 1), r.y - 1, c), a(r.x, r.y - 1, c), a(column(r.x + 1), r.y - 1, c));
            break;
        case Kind::steps:  // the steps of a solver
            a(s.x, s.y, s.z) = w * (a(column(s.x - 1), s.y, s.z - 1) + a(column(s.x + 1), s.y, s.z - 1)) + (1 - w) * (a(s.x, row(s.y - 1), s.z - 1) + a(s.x, row(s.y + 1), s.z - 1));
            break;
        case Kind::plane:  // rows of one plane
            a(r.x, r.y, 1) = a(r.x, r.y, 1) * w + a(column(r.x + 2), r.y - 1, 1) + a(r.x, r.y - 1, 0);
            break;
        case Kind::both:
            a(both.x, both.y, both.z) = w * a(column(both.x + 1), both.y - 1, both.z) + a(both.x, row(both.y + 1), both.z - 1);
            break;
        case Kind::triangle: {
            RDom t(0, width, 1, height - 1, "t");
            t.where(t.x >= t.y);
            a(t.x, t.y, c) = max(a(t.x - 1, t.y - 1, c), a(t.x, t.y - 1, c)) + w * input(t.x, t.y, c);
            break;
        }
        case Kind::down:  // a thread's own column, turned round
            a(width - 1 - r.x, r.y, c) += w * a(column(r.x), r.y - 1, c);
            break;
        case Kind::pairs:
            pair(r.x, r.y, c) = {min(pair(column(r.x - 1), r.y - 1, c)[0], pair(r.x, r.y - 1, c)[0]) + pair(r.x, r.y, c)[0], pair(column(r.x + 1), r.y - 1, c)[1] + 1};
            a(x, y, c) += pair(x, y, c)[0] + pair(x, y, c)[1];
            break;
        case Kind::in_place:  // each reads what the one beside it has just stored
            a(r.x, r.y, c) = w * a(column(r.x - 1), r.y, c) + a(r.x, r.y - 1, c);
            break;
        case Kind::scattered:
            a(clamp(cast<int>(input(r.x, r.y, c)), 0, width - 1), r.y, c) += a(r.x, r.y - 1, c);
            break;
        case Kind::halves:  // two store one place
            a(r.x / 2, r.y, c) = w * a(r.x / 2, r.y, c) + a(r.x, r.y - 1, c);
            break;
        case Kind::next:  // from rows that come later
            a(r.x, r.y, c) = w * a(column(r.x + 1), row(r.y + 1), c) + a(r.x, r.y - 1, c);
            break;
        case Kind::bordered:  // Halide would make several loops of the one around the launches
            a(r.x, r.y, c) = w * a(column(r.x - 1), r.y - 1, c) + border(r.x + 2, r.y - 4, c);
            break;
        case Kind::interior: {  // of pictures two pixels wide there is none
            RDom i(1, width - 2, 1, height - 1, "i");
            a(i.x, i.y, c) += w * (a(i.x - 1, i.y - 1, c) + a(i.x + 1, i.y - 1, c));
            break;
        }
        case Kind::reduced: {  // the best way to each state from all states of the row before
            RDom v(0, width, 0, width, 1, height - 1, "v");
            a(v.y, v.z, c) = max(a(v.y, v.z, c), a(v.x, v.z - 1, c) + w * input(v.x, v.z, c) - cast<float>(abs(v.x - v.y)));
            break;
        }
        case Kind::clamped: {  // for the rows that are left out, so that it says nothing
            RDom q(0, width, 2, height - 2, "q");
            a(q.x, q.y, c) = min(a(column(q.x - 1), max(q.y - 1, 0), c), a(q.x, max(q.y - 2, 0), c)) + w * input(q.x, q.y, c);
            break;
        }
        case Kind::planes: {  // known to be parallel, and empty too
            RDom i(1, width - 2, 1, height - 2, "i");
            a(i.x, i.y, c) += w * input(i.x, i.y, c);
            break;
        }
        }
        out(x, y, c) = a(x, y, c) * 2;
        weight.set_estimate(.3f);
        const Region sizes = small ? Region{{0, 32}, {0, 48}, {0, 8}} : Region{{0, 1536}, {0, 1024}, {0, 3}};
        input.set_estimates(sizes);
        out.set_estimates(sizes);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Carried, carried)

// Updates whose domains have conditions that read something, each in two forms of the same values: under the condition, and as the choice between a new value and the old one.
#include "Halide.h"

namespace {

using namespace Halide;

class Conditional : public Generator<Conditional> {
public:
    enum class Kind { marks, rows, turns, masked, least, nearest, itself, running, both, pair, output, unfinished, by_data, promised, outside, plain, votes, voted };
    GeneratorParam<Kind> kind{"kind",
                              Kind::marks,
                              {{"marks", Kind::marks},
                               {"rows", Kind::rows},
                               {"turns", Kind::turns},
                               {"masked", Kind::masked},
                               {"least", Kind::least},
                               {"nearest", Kind::nearest},
                               {"itself", Kind::itself},
                               {"running", Kind::running},
                               {"both", Kind::both},
                               {"pair", Kind::pair},
                               {"output", Kind::output},
                               {"unfinished", Kind::unfinished},
                               {"by_data", Kind::by_data},
                               {"promised", Kind::promised},
                               {"outside", Kind::outside},
                               {"plain", Kind::plain},
                               {"votes", Kind::votes},
                               {"voted", Kind::voted}}};
    GeneratorParam<bool> written{"written", false};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        const Expr width = input.width(), height = input.height();
        RDom all(0, width, 0, height, "all"), down(0, height, "down"), again(0, height, "again"), below(1, height - 1, "below");
        RDom box(-2, 5, -2, 5, "box"), other(-2, 5, -2, 5, "other"), rounds(0, 3, "rounds");
        Func in("in"), f("f");
        in(x, y) = cast<int>(BoundaryConditions::repeat_edge(input)(x, y));
        f(x, y) = in(x, y);
        Func result = f;
        switch (kind) {
        case Kind::marks:
            if_(all, in(all.x, all.y) > 200, f, {all.x, all.y}, in(all.x, all.y) / 2);
            break;
        case Kind::rows:
            if_(down, in(x, down) > 100 || x == down, f, {x, down}, f(x, down) * 3 + down);
            if_(again, in(0, again) > 50, f, {x, again}, -f(x, again));
            break;
        case Kind::turns:
            if_(rounds, in(x, y + rounds) > 60, f, {x, y}, f(x, y) * 3 / 2 + rounds * in(x + 1, y));
            result = Func("result");
            result(x, y) = f(x, y) + f(x + 1, y) - f(x, y + 2);
            break;
        case Kind::masked: {
            Func sum("sum"), count("count");
            const auto near = [&](RDom r) { return abs(in(x + r.x, y + r.y) - in(x, y)) < 40; };
            sum(x, y) = 0;
            if_(box, near(box), sum, {x, y}, sum(x, y) + in(x + box.x, y + box.y));
            count(x, y) = 0;
            if_(other, near(other), count, {x, y}, count(x, y) + 1);
            result = Func("result");
            result(x, y) = sum(x, y) / max(count(x, y), 1) + sum(x + 1, y);
            break;
        }
        case Kind::least: {
            Func least("least");
            least(x, y) = 255;
            if_(box, in(x + box.x, y + box.y) > 30, least, {x, y}, min(least(x, y), in(x + box.x, y + box.y)));
            result = least;
            break;
        }
        case Kind::nearest: {  // the least with its place
            Func nearest("nearest");
            nearest(x, y) = Tuple(1000, 0, 0);
            const Expr v = in(x + box.x, y + box.y), first = v < nearest(x, y)[0];
            if_(box, v > 30, nearest, {x, y},
                Tuple(select(first, v, nearest(x, y)[0]), select(first, Expr(box.x), nearest(x, y)[1]), select(first, Expr(box.y), nearest(x, y)[2])));
            result = Func("result");
            result(x, y) = nearest(x, y)[0] + 7 * nearest(x, y)[1] + 50 * nearest(x, y)[2];
            break;
        }
        case Kind::itself:
            if_(down, f(x, down) % 3 == 1, f, {x, down}, f(x, down) + 1000);
            break;
        case Kind::running:
            if_(below, in(x, below) > 20, f, {x, below}, f(x, below) + f(x, below - 1));
            break;
        case Kind::both:
            all.where(all.x % 3 < 2);
            if_(all, in(all.x, all.y) > 128, f, {all.x, all.y}, all.x - all.y);
            break;
        case Kind::pair: {
            Func two("two");
            two(x, y) = Tuple(in(x, y), cast<uint8_t>(in(x, y) / 3));
            if_(down, in(x, down) > 77, two, {x, down}, Tuple(two(x, down)[0] + 1, cast<uint8_t>(two(x, down)[0])));
            result = Func("result");
            result(x, y) = two(x, y)[0] + cast<int>(two(x, y)[1]);
            break;
        }
        case Kind::output:
            out(x, y) = in(x, y) - 5;
            if_(all, in(all.x, all.y) < 9, out, {all.x, all.y}, Expr(-1));
            break;
        case Kind::unfinished: {  // where it is not to be, it is what the caller has there
            out(x, y) = undef<int>();
            RDom rest(0, width, 0, height, "rest");
            rest.where(in(rest.x, rest.y) <= 200);
            out(rest.x, rest.y) = 3;
            all.where(in(all.x, all.y) > 200);
            out(all.x, all.y) = in(all.x, all.y);
            break;
        }
        case Kind::by_data: {
            all.where(in(all.x, all.y) > 128);
            f(clamp(in(all.x, all.y), 0, width - 1), all.y) = all.x;
            break;
        }
        case Kind::votes: {  // which atomic operations count, and none of them where the condition does not hold
            Func votes("votes");
            votes(x, y) = 0;
            if_(all, in(all.x, all.y) > 180, votes, {in(all.x, all.y), y}, votes(in(all.x, all.y), y) + (all.x + y) % 7);
            result = Func("result");
            result(x, y) = votes(x % 256, y % 4);
            break;
        }
        case Kind::voted: {  // where the place holds only where the condition does
            Func votes("votes");
            votes(x, y) = 0;
            all.where(in(all.x, all.y) < 100);
            votes(unsafe_promise_clamped(in(all.x, all.y), 0, 99), y) += 1;
            result = Func("result");
            result(x, y) = votes(x % 100, y % 4);
            break;
        }
        case Kind::promised: {  // which holds only where the condition does
            down.where(in(0, down) < height);
            f(x, down) = in(x, unsafe_promise_clamped(in(0, down), 0, height - 1));
            break;
        }
        case Kind::outside: {  // of which nobody asks for a definition, which the input has nothing for
            Func g("g");
            g(x, y) = input(x, y) * 2;
            RDom beyond(width, 5, 0, height, "beyond");
            beyond.where(in(beyond.x, beyond.y) > 10);
            g(beyond.x, beyond.y) = cast<uint8_t>(in(beyond.x, beyond.y));
            result = g;
            break;
        }
        case Kind::plain: {  // of the input itself, which the update reads where it stores
            Func g("g");
            g(x, y) = input(x, y) / 2;
            if_(all, input(all.x, all.y) > 200, g, {all.x, all.y}, cast<uint8_t>(all.x));
            result = Func("result");
            result(x, y) = g(x, y) + BoundaryConditions::repeat_edge(g, {{0, width}, {0, height}})(x, y + 1);
            break;
        }
        }
        if (!out.defined()) {
            out(x, y) = cast<int>(result(x, y));
        }
        input.set_estimates({{0, 256}, {0, 192}});
        out.set_estimates({{0, 256}, {0, 192}});
    }

private:
    // f(place) = value, where a condition holds: of the domain, or of the value.
    void if_(RDom domain, Expr condition, Func f, const std::vector<Expr> &place, const Tuple &value) {
        if (!written) {
            domain.where(condition);
            if (value.size() == 1) {
                f(place) = value[0];
            } else {
                f(place) = value;
            }
            return;
        }
        std::vector<Expr> values;
        for (size_t i = 0; i < value.size(); i++) {
            values.push_back(select(condition, value[i], value.size() == 1 ? Expr(f(place)) : Expr(f(place)[i])));
        }
        if (value.size() == 1) {
            f(place) = values[0];
        } else {
            f(place) = Tuple(values);
        }
    }
    void if_(RDom domain, Expr condition, Func f, const std::vector<Expr> &place, const Expr &value) { if_(domain, condition, f, place, Tuple(value)); }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Conditional, conditional)

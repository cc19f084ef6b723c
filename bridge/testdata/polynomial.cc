// A generator that holds polynomials (bridge/halidecc/polynomial.h) against the expressions that they are of, at random: the same values, and the same
// polynomial for the same sum said differently.
#include <Halide.h>

#include "../halidecc/polynomial.cc"
#include "evaluate.h"

#include <random>

using namespace Halide;
using namespace Halide::Internal;

namespace {

class Polynomials : public Generator<Polynomials> {
public:
    GeneratorParam<int> seed{"seed", 1};
    Output<Buffer<int, 1>> out{"out"};

    void generate() {
        rng_.seed(seed);
        int same = 0, opaque = 0;
        for (int i = 0; i < 2000; i++) {
            const Expr e = expression(4), other = said_differently(e);
            const gowarp::Polynomial p = of(e, 1000), q = of(other, 1000), few = of(e, 6);
            for (int at = 0; at < 8; at++) {
                const int64_t y = any(-9, 9), s = any(-9, 9);
                const auto point = [&](const std::string &name) { return name == "x" ? 2 * y + 3 : name == "y" ? y : s; };
                const int64_t want = value(e, point);
                for (const gowarp::Polynomial &q : {p, few}) {
                    if (value(q.expr(), point) != want) {
                        fail(e, "is not " + text(q.expr()));
                    }
                }
                const auto [with_s, without] = p.split([](const gowarp::Factors &f) {
                    return std::any_of(f.begin(), f.end(), [](const Expr &g) { return expr_uses_var(g, "s"); });
                });
                if (value(with_s.expr(), point) + value(without.expr(), point) != want || expr_uses_var(without.expr(), "s")) {
                    fail(e, "its parts are " + text(with_s.expr()) + " and " + text(without.expr()));
                }
            }
            (has_opaque(p) ? opaque : same)++;
            if (p < q || q < p || !p.plus(q, -1).terms().empty()) {
                fail(e, "is not the same as " + text(other));
            }
        }
        std::cout << "same " << same << " opaque " << opaque << "\n";
        out(Var()) = 0;
        out.set_estimates({{0, 1000}});
    }

private:
    int any(int from, int to) { return std::uniform_int_distribution<int>(from, to)(rng_); }

    static std::string text(const Expr &e) {
        std::ostringstream s;
        s << e;
        return s.str();
    }

    // y stands for what is no sum; x is known to be 2 y + 3.
    gowarp::Polynomial of(const Expr &e, size_t most) const {
        static const gowarp::Polynomial x = gowarp::Polynomial(Variable::make(Int(32), "y")).times(gowarp::Polynomial(2)).plus(gowarp::Polynomial(3));
        return gowarp::polynomial(e, [](const std::string &name) { return name == "x" ? &x : nullptr; }, most);
    }

    static bool has_opaque(const gowarp::Polynomial &p) {
        for (const auto &term : p.terms()) {
            for (const Expr &f : term.first) {
                if (!f.as<Variable>()) {
                    return true;
                }
            }
        }
        return false;
    }

    Expr expression(int depth) {
        if (depth == 0) {
            const char *names[] = {"x", "y", "s"};
            return any(0, 3) ? Expr(Variable::make(Int(32), names[any(0, 2)])) : Expr(any(-4, 4));
        }
        const Expr a = expression(depth - 1), b = expression(any(0, depth - 1));
        if (depth <= 2 && any(0, 3) == 0) { // of what is no sum, parts are
            const Expr by = any(1, 5);
            switch (any(0, 4)) {
            case 0: return Div::make(a, by);
            case 1: return Mod::make(a, by);
            case 2: return Min::make(a, b);
            case 3: return Max::make(a, b);
            }
            return Select::make(a < b, a, by);
        }
        switch (any(0, 7)) {
        case 0:
        case 1: return Mul::make(a, b);
        case 2:
        case 3:
        case 4: return Sub::make(a, b);
        }
        return Add::make(a, b);
    }

    // The same value: products distributed, sums turned round.
    Expr said_differently(const Expr &e) {
        if (const Add *a = e.as<Add>()) {
            return Sub::make(said_differently(a->b), Mul::make(-1, said_differently(a->a)));
        } else if (const Sub *s = e.as<Sub>()) {
            return Add::make(Mul::make(said_differently(s->b), -1), said_differently(s->a));
        } else if (const Mul *m = e.as<Mul>()) {
            const Expr a = said_differently(m->a), b = said_differently(m->b);
            if (const Add *sum = b.as<Add>()) {
                return Add::make(Mul::make(sum->b, a), Mul::make(a, sum->a));
            }
            return Mul::make(b, a);
        } else if (const Div *d = e.as<Div>()) {
            return Div::make(said_differently(d->a), d->b);
        } else if (const Mod *m = e.as<Mod>()) {
            return Mod::make(said_differently(m->a), m->b);
        } else if (const Min *m = e.as<Min>()) {
            return Min::make(said_differently(m->a), said_differently(m->b));
        } else if (const Max *m = e.as<Max>()) {
            return Max::make(said_differently(m->a), said_differently(m->b));
        } else if (const Select *s = e.as<Select>()) {
            const LT *less = s->condition.as<LT>();
            return Select::make(said_differently(less->a) < said_differently(less->b), said_differently(s->true_value), s->false_value);
        }
        return e;
    }

    std::mt19937 rng_;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Polynomials, polynomial)

// What test generators that hold a part of halidecc against an oracle share.
#ifndef GOWARP_EVALUATE_H
#define GOWARP_EVALUATE_H

#include <Halide.h>

[[noreturn]] inline void fail(const Halide::Expr &e, const std::string &why) {
    std::cerr << e << ": " << why << "\n";
    exit(1);
}

// The value of an expression of integers, 1 of a condition that holds; at says that of a variable.
template<typename At>
int64_t value(const Halide::Expr &e, const At &at) {
    using namespace Halide::Internal;
    if (const auto n = as_const_int(e)) {
        return *n;
    } else if (const Variable *v = e.as<Variable>()) {
        return at(v->name);
    } else if (const Add *a = e.as<Add>()) {
        return value(a->a, at) + value(a->b, at);
    } else if (const Sub *s = e.as<Sub>()) {
        return value(s->a, at) - value(s->b, at);
    } else if (const Mul *m = e.as<Mul>()) {
        return value(m->a, at) * value(m->b, at);
    } else if (const Min *m = e.as<Min>()) {
        return std::min(value(m->a, at), value(m->b, at));
    } else if (const Max *m = e.as<Max>()) {
        return std::max(value(m->a, at), value(m->b, at));
    }
    const auto quotient = [](int64_t p, int64_t q) {
        int64_t least = p / q;
        while (least * q > p) {
            least--;
        }
        return least;
    };
    if (const Div *d = e.as<Div>()) {
        return quotient(value(d->a, at), value(d->b, at));
    } else if (const Mod *m = e.as<Mod>()) {
        const int64_t p = value(m->a, at), q = value(m->b, at);
        return p - quotient(p, q) * q;
    } else if (const EQ *same = e.as<EQ>()) {
        return value(same->a, at) == value(same->b, at);
    } else if (const LE *c = e.as<LE>()) {
        return value(c->a, at) <= value(c->b, at);
    } else if (const LT *c = e.as<LT>()) {
        return value(c->a, at) < value(c->b, at);
    } else if (const And *c = e.as<And>()) {
        return value(c->a, at) && value(c->b, at);
    } else if (const Select *s = e.as<Select>()) {
        return value(value(s->condition, at) ? s->true_value : s->false_value, at);
    }
    fail(e, "nobody knows what it is");
}

#endif

//go:build halide

#include "alignment.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// What an expression is one of.
std::vector<Expr> alternatives(const Expr &e) {
    if (const Min *m = e.as<Min>()) {
        return {m->a, m->b};
    } else if (const Max *m = e.as<Max>()) {
        return {m->a, m->b};
    } else if (const Select *s = e.as<Select>()) {
        return {s->true_value, s->false_value};
    }
    return {};
}

class Multiple {
public:
    Multiple(int n, const Meaning &m)
        : n_(n), meaning_(m) {}

    std::vector<Expr> conditions;

    // Adds the conditions; false if there are none under which it is known.
    bool is(const Polynomial &sum) {
        Polynomial uniform;
        for (const auto &[factors, times] : sum.terms()) {
            if (times % n_ == 0) {
                continue;
            }
            Polynomial same(times), differs(1);
            for (const Expr &f : factors) {
                Polynomial &p = meaning_.uniform(f) ? same : differs;
                p = p.times(Polynomial(f));
            }
            if (differs.constant() == 1) {
                uniform = uniform.plus(same);
            } else if (!any_of(differs, same)) {
                if (same.constant() != 0) {
                    return false;
                }
                join(same);
            }
        }
        if (uniform.terms().size() == 1 && uniform.constant() != 0) {
            return false;
        }
        if (!uniform.terms().empty()) {
            join(uniform);
        }
        return true;
    }

private:
    const int n_;
    const Meaning &meaning_;

    // The same for what is one of several, times what is the same for all threads: a multiple whichever it is.
    bool any_of(const Polynomial &differs, const Polynomial &same) {
        const Factors &factors = differs.terms().begin()->first;
        const std::vector<Expr> all = factors.size() == 1 ? alternatives(factors[0]) : std::vector<Expr>();
        const size_t before = conditions.size();
        for (const Expr &a : all) {
            if (!is(meaning_.value(a).times(same))) {
                conditions.resize(before);
                return false;
            }
        }
        return !all.empty();
    }

    void join(const Polynomial &p) {
        conditions.push_back(p.expr() % n_ == 0);
    }
};

}  // namespace

std::optional<std::vector<Expr>> multiple_if(const Polynomial &sum, int n, const Meaning &m) {
    Multiple all(n, m);
    if (!all.is(sum)) {
        return {};
    }
    return all.conditions;
}

}  // namespace gowarp

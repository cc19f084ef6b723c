//go:build halide

#include "linear.h"

#include <algorithm>
#include <cstdlib>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

void Linear::add(const Expr &e, int64_t times) {
    const Add *a = e.as<Add>();
    const Sub *s = e.as<Sub>();
    const Mul *m = e.as<Mul>();
    if (const auto n = as_const_int(e)) {
        constant += *n * times;
    } else if (a) {
        add(a->a, times);
        add(a->b, times);
    } else if (s) {
        add(s->a, times);
        add(s->b, -times);
    } else if (const auto n = m ? as_const_int(m->b) : std::nullopt) {
        add(m->a, times * *n);
    } else if ((terms[e] += times) == 0) {
        terms.erase(e);
    }
}

std::optional<Linear> at_least_0(const Expr &e) {
    Linear l;
    const auto difference = [&](const Expr &more, const Expr &less, int strict) {
        if (more.type() != Int(32)) {
            return std::optional<Linear>();
        }
        l.add(more, 1);
        l.add(less, -1);
        l.constant -= strict;
        return std::optional<Linear>(l);
    };
    if (const LE *c = e.as<LE>()) {
        return difference(c->b, c->a, 0);
    } else if (const LT *c = e.as<LT>()) {
        return difference(c->b, c->a, 1);
    } else if (const GE *c = e.as<GE>()) {
        return difference(c->a, c->b, 0);
    } else if (const GT *c = e.as<GT>()) {
        return difference(c->a, c->b, 1);
    }
    return std::nullopt;
}

namespace {

using Bound = std::optional<int64_t>;

// The most sums that are looked at, and the largest constant in one: products of it fit 64 bits.
constexpr int most_sums = 4000;
constexpr int64_t most = int64_t(1) << 31;

// A quotient by a positive constant: p / d.
struct Quotient {
    Expr p;
    int64_t d = 0;

    explicit Quotient(const Expr &e) {
        const Div *div = e.as<Div>();
        if (const auto n = div ? as_const_int(div->b) : std::nullopt; n && *n > 0 && *n < most) {
            p = div->a;
            d = *n;
        }
    }
};

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

class Greatest {
public:
    explicit Greatest(int64_t enough) : enough_(enough) {}

    Bound of(const Linear &l) {
        if (++sums_ > limit_ || std::abs(l.constant) >= most) {
            return std::nullopt;
        }
        for (const auto &[e, times] : l.terms) {
            if (std::abs(times) >= most) {
                return std::nullopt;
            }
        }
        if (l.terms.empty()) {
            return l.constant;
        }
        // Of cases that may all be the worst counts, of those of which one may be chosen the best: all that may be come first, also those inside others, so
        // that something else can be chosen for each. A quotient that meets itself once something is chosen cancels; else it is better bounded before.
        Bound best;
        const auto better = [&](const Bound &b) {
            if (b && (!best || *b < *best)) {
                best = b;
            }
        };
        for (const auto choose : {Case::all, Case::one_of_all, Case::one_of_divided, Case::quotient, Case::one}) {
            if (choose == Case::quotient) {
                better(of_quotients(l));
                if (best && *best <= enough_) {
                    return best;
                }
                continue;
            }
            for (const auto &[e, times] : l.terms) {
                const Min *least = e.as<Min>();
                const Max *largest = e.as<Max>();
                if (!least && !largest) {
                    continue;
                }
                const Expr &p = least ? least->a : largest->a, &q = least ? least->b : largest->b;
                const bool all = (times > 0) == (largest != nullptr);
                const bool of_all = choose == Case::one_of_all || choose == Case::one_of_divided, divided = choose == Case::one_of_divided;
                if (all != (choose == Case::all) || (of_all && !has_cases(p, times > 0, divided) && !has_cases(q, times > 0, divided))) {
                    continue;
                }
                if (all) {
                    const Bound a = with(l, e, p), b = a ? with(l, e, q) : std::nullopt;
                    return b ? Bound(std::max(*a, *b)) : std::nullopt;
                }
                // The simpler one first, and with half of the sums: what does not lead anywhere leaves some to the other.
                const bool swapped = nodes_in(q) < nodes_in(p);
                {
                    const ScopedValue<int> half(limit_, sums_ + (limit_ - sums_) / 2);
                    better(with(l, e, swapped ? q : p));
                }
                if (!best || *best > enough_) {
                    better(with(l, e, swapped ? p : q));
                }
                return best;
            }
        }
        return best;
    }

private:
    static int nodes_in(const Expr &e) {
        class Nodes : public IRGraphVisitor {
        public:
            int count = 0;

        private:
            void include(const Expr &e) override {
                count++;
                IRGraphVisitor::include(e);
            }
        } all;
        e.accept(&all);
        return all.count;
    }

    // A bound inside another, of which better is never enough.
    Bound inside(const Linear &l) {
        const ScopedValue<int64_t> never(enough_, std::numeric_limits<int64_t>::min());
        return of(l);
    }

    enum class Case {
        all,             // cases of which any may be
        one_of_all,      // choices between what has such cases
        one_of_divided,  // choices between what has such cases in quotients, which cancel as they are where they meet themselves
        quotient,        // no minimum or maximum, but a quotient
        one,             // choices
    };

    // Whether there are cases of which any may be in what is added, or taken off; also in what is divided.
    static bool has_cases(const Expr &e, bool added, bool divided) {
        if (const Min *m = e.as<Min>()) {
            return !added || has_cases(m->a, added, divided) || has_cases(m->b, added, divided);
        } else if (const Max *m = e.as<Max>()) {
            return added || has_cases(m->a, added, divided) || has_cases(m->b, added, divided);
        } else if (const Add *a = e.as<Add>()) {
            return has_cases(a->a, added, divided) || has_cases(a->b, added, divided);
        } else if (const Sub *s = e.as<Sub>()) {
            return has_cases(s->a, added, divided) || has_cases(s->b, !added, divided);
        } else if (const Mul *m = e.as<Mul>()) {
            const auto n = as_const_int(m->b);
            return n && has_cases(m->a, added == (*n > 0), divided);
        }
        const Quotient q(e);
        return divided && q.d && has_cases(q.p, added, divided);
    }

    // With the term e another.
    Bound with(Linear l, const Expr &e, const Expr &other) {
        const int64_t times = l.terms.at(e);
        l.terms.erase(e);
        l.add(other, times);
        return of(l);
    }

    Bound of_quotients(const Linear &l) {
        for (const auto &[e, times] : l.terms) {
            const Quotient p(e);
            for (const auto &[f, less] : l.terms) {
                const Quotient q(f);
                if (!p.d || p.d != q.d || times < 0 || less > 0) {
                    continue;
                }
                Linear apart;
                apart.add(p.p, 1);
                apart.add(q.p, -1);
                if (const Bound b = inside(apart)) {
                    Linear rest = l;
                    const int64_t both = std::min(times, -less);
                    rest.add(e, -both);
                    rest.add(f, both);
                    rest.constant += both * floor_div(*b + p.d - 1, p.d);
                    return of(rest);
                }
            }
        }
        // One alone is at most the quotient of the most that is divided.
        Bound best;
        for (const auto &[e, times] : l.terms) {
            const Quotient q(e);
            if (!q.d) {
                continue;
            }
            const int64_t sign = times < 0 ? -1 : 1;
            Linear divided;
            divided.add(q.p, sign);
            if (const Bound b = inside(divided)) {
                Linear rest = l;
                rest.terms.erase(e);
                rest.constant += times * floor_div(sign * *b, q.d);
                best = of(rest);
            }
            // Where that does not cancel with others: it lies within (p - d + 1) / d and p / d of the rationals, so that d times the sum has no quotient there.
            Linear all;
            all.constant = l.constant * q.d - (times < 0 ? times * (q.d - 1) : 0);
            for (const auto &[f, n] : l.terms) {
                all.add(f.same_as(e) ? q.p : f, f.same_as(e) ? n : n * q.d);
            }
            if (const Bound b = inside(all); b && (!best || floor_div(*b, q.d) < *best)) {
                best = floor_div(*b, q.d);
            }
            break;
        }
        return best;
    }

    int64_t enough_;
    int sums_ = 0, limit_ = most_sums;
};

}  // namespace

std::optional<int64_t> greatest(const Linear &sum, int64_t enough) { return Greatest(enough).of(sum); }

}  // namespace gowarp

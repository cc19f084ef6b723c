//go:build halide

#include "polynomial.h"
#include "small.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr int most_nodes = 200;  // of a factor with its parts written out; one of more stays as it is said

using Defined = std::function<const Polynomial *(const std::string &)>;

// What is no sum or product, with the integers that it is of said as polynomials: it is the same then, whatever names those have where it stands.
class Parts : public IRMutator {
public:
    Parts(const Defined &defined, size_t most)
        : defined_(defined), most_(most) {}

    Expr of(const Expr &e) { return IRMutator::mutate(e); }

    using IRMutator::mutate;
    Expr mutate(const Expr &e) override { return e.type() == Int(32) ? polynomial(e, defined_, most_).expr() : IRMutator::mutate(e); }

private:
    const Defined &defined_;
    const size_t most_;
};

// A sum without the whole multiples of a positive constant that its terms have, whatever the factors come to, and those multiples. No term grows or turns round: what the
// sum of the rest is fits where the whole did.
std::pair<Polynomial, Polynomial> reduced(const Polynomial &sum, int64_t by) {
    Polynomial rest(mod_imp(sum.constant(), by)), multiples(div_imp(sum.constant(), by));
    for (const auto &[factors, times] : sum.terms()) {
        if (!factors.empty()) {
            rest.add(factors, times % by);
            multiples.add(factors, times / by);
        }
    }
    return {rest, multiples};
}

bool is_constant(const Polynomial &p) {
    return p.terms().size() == (p.constant() != 0);
}

// The divisor of a division or a remainder, if that is a positive constant.
template<typename Op>
std::optional<int64_t> divisor(const Op *op) {
    const auto by = op ? as_const_int(op->b) : std::nullopt;
    return by && *by > 0 ? by : std::nullopt;
}

}  // namespace

bool FactorsLess::operator()(const Factors &a, const Factors &b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), IRDeepCompare());
}

Polynomial::Polynomial(int64_t constant) {
    add({}, constant);
}

Polynomial::Polynomial(const Expr &factor) {
    add({factor}, 1);
}

int64_t Polynomial::constant() const {
    const auto c = terms_.find({});
    return c == terms_.end() ? 0 : c->second;
}

void Polynomial::add(const Factors &factors, int64_t times) {
    if (times != 0 && (terms_[factors] += times) == 0) {
        terms_.erase(factors);
    }
}

Polynomial Polynomial::plus(const Polynomial &p, int64_t times) const {
    Polynomial sum = *this;
    for (const auto &[factors, n] : p.terms_) {
        sum.add(factors, n * times);
    }
    return sum;
}

Polynomial Polynomial::times(const Polynomial &p) const {
    Polynomial product;
    for (const auto &[a, n] : terms_) {
        for (const auto &[b, m] : p.terms_) {
            Factors factors;
            std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(factors), IRDeepCompare());
            product.add(factors, n * m);
        }
    }
    return product;
}

std::pair<Polynomial, Polynomial> Polynomial::split(const std::function<bool(const Factors &)> &such) const {
    Polynomial are, others;
    for (const auto &[factors, n] : terms_) {
        (such(factors) ? are : others).add(factors, n);
    }
    return {are, others};
}

Expr Polynomial::expr() const {
    Expr sum;
    for (const auto &[factors, n] : terms_) {
        Expr product;
        for (const Expr &f : factors) {
            product = product.defined() ? product * f : f;
        }
        const Expr times = IntImm::make(Int(32), n);
        const Expr term = !product.defined() ? times : n == 1 ? product : product * times;
        sum = sum.defined() ? sum + term : term;
    }
    return sum.defined() ? sum : Expr(0);
}

bool Polynomial::operator<(const Polynomial &p) const {
    const FactorsLess less;
    return std::lexicographical_compare(terms_.begin(), terms_.end(), p.terms_.begin(), p.terms_.end(), [&](const auto &a, const auto &b) {
        return less(a.first, b.first) || (!less(b.first, a.first) && a.second < b.second);
    });
}

Polynomial polynomial(const Expr &e, const std::function<const Polynomial *(const std::string &)> &defined, size_t most) {
    const auto of = [&](const Expr &part) { return polynomial(part, defined, most); };
    const auto with = [&](const Polynomial &sum, const Expr &factor) { return Small::is(factor, most_nodes) ? sum.plus(Polynomial(factor)) : Polynomial(e); };
    Polynomial p;
    if (const auto n = as_const_int(e)) {
        return Polynomial(*n);
    } else if (const Variable *v = e.as<Variable>()) {
        const Polynomial *known = defined(v->name);
        return known ? *known : Polynomial(e);
    } else if (const Add *a = e.as<Add>()) {
        p = of(a->a).plus(of(a->b));
    } else if (const Sub *s = e.as<Sub>()) {
        p = of(s->a).plus(of(s->b), -1);
    } else if (const Mul *m = e.as<Mul>()) {
        const Polynomial a = of(m->a), b = of(m->b);
        if (a.terms().size() * b.terms().size() > most) {
            return Polynomial(e);
        }
        p = a.times(b);
    } else if (const auto by = divisor(e.as<Div>())) {
        const auto [rest, multiples] = reduced(of(e.as<Div>()->a), *by);
        p = is_constant(rest) ? multiples : with(multiples, Div::make(rest.expr(), e.as<Div>()->b));
    } else if (const auto by = divisor(e.as<Mod>())) {
        const Polynomial rest = reduced(of(e.as<Mod>()->a), *by).first;
        p = is_constant(rest) ? rest : with({}, Mod::make(rest.expr(), e.as<Mod>()->b));
    } else {
        return with({}, Parts(defined, most).of(e));
    }
    return p.terms().size() > most ? Polynomial(e) : p;
}

Polynomial apart(const Expr &a, const Expr &b) {
    constexpr size_t most_terms = 64;
    const auto sum = [](const Expr &e) { return polynomial(e, [](const std::string &) { return nullptr; }, most_terms); };
    return sum(a).plus(sum(b), -1);
}

bool same(const Expr &a, const Expr &b) { return apart(a, b).terms().empty(); }

}  // namespace gowarp

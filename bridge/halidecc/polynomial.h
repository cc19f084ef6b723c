// Sums of products of integers.
#ifndef GOWARP_POLYNOMIAL_H
#define GOWARP_POLYNOMIAL_H

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "Halide.h"

namespace gowarp {

using Factors = std::vector<Halide::Expr>;  // in the order of IRDeepCompare

struct FactorsLess {
    bool operator()(const Factors &a, const Factors &b) const;
};

// A sum of products of 32-bit integers, each times a constant that is not 0. The constant term has no factors.
class Polynomial {
public:
    using Terms = std::map<Factors, int64_t, FactorsLess>;

    Polynomial() = default;
    Polynomial(int64_t constant);
    explicit Polynomial(const Halide::Expr &factor);

    const Terms &terms() const { return terms_; }
    int64_t constant() const;
    void add(const Factors &factors, int64_t times);
    Polynomial plus(const Polynomial &p, int64_t times = 1) const;
    Polynomial times(const Polynomial &p) const;
    // The terms that are so, and those that are not.
    std::pair<Polynomial, Polynomial> split(const std::function<bool(const Factors &)> &such) const;
    Halide::Expr expr() const;

    bool operator<(const Polynomial &p) const;

private:
    Terms terms_;
};

// An expression as a polynomial of variables and of what is no sum or product. defined says what a variable stands for: null for itself.
// What would have more than most terms is left as a factor.
Polynomial polynomial(const Halide::Expr &e, const std::function<const Polynomial *(const std::string &)> &defined, size_t most);

// What one sum is more than another, each of its variables standing for itself.
Polynomial apart(const Halide::Expr &a, const Halide::Expr &b);

// Whether two expressions are the same sum, each of its variables standing for itself.
bool same(const Halide::Expr &a, const Halide::Expr &b);

}  // namespace gowarp

#endif

// The stores that stand one after the other in the body of a loop.
#ifndef GOWARP_ITERATIONS_H
#define GOWARP_ITERATIONS_H

#include <Halide.h>

#include <vector>

namespace gowarp {

// The loads of an expression.
std::vector<const Halide::Internal::Load *> loads_of(const Halide::Expr &e);

// What stands in a loop, its definitions put in: stores of single values, and the tests around them. It is not whole where there is something else, or a definition of loaded values stands before
// more than one store: put in behind the first it might load what that has stored.
struct Iterations {
    bool whole = true;
    std::vector<const Halide::Internal::Store *> stores;
    std::vector<Halide::Expr> index, value;  // of each store
    std::vector<Halide::Expr> tests;

    explicit Iterations(const Halide::Internal::Stmt &body) { take(body); }

private:
    std::vector<const Halide::Internal::LetStmt *> lets_;

    Halide::Expr put_in(Halide::Expr e) const;
    void take(const Halide::Internal::Stmt &s);
};

}  // namespace gowarp

#endif

// Reductions in whatever form their author wrote them, as the old value and another combined by one operator.
#ifndef GOWARP_RESTATE_H
#define GOWARP_RESTATE_H

#include "graph.h"

namespace gowarp {

// What an update does to one of its Func's values.
struct Operation {
    enum Op { keep, add, mul, min, max, logical_and, logical_or, bit_and, bit_or, bit_xor } op = keep;  // bit_xor of bools is !=
    Halide::Expr self, other;  // the old value, and what is combined with it; keep has no other
};

// a op b; a alone for keep.
Halide::Expr combined(Operation::Op op, const Halide::Expr &a, const Halide::Expr &b);

// What changes nothing by an operator.
Halide::Expr identity(Operation::Op op, Halide::Type t);

// What an update does to each of its Func's values, where each is combined with its own old one alone; empty where that is not so, or not seen. Where a condition of its
// domain loads something, it is part of them: a value that it rules out is one that changes nothing.
std::vector<Operation> operations(const Halide::Internal::Function &f, const Halide::Internal::Definition &def);

// The values that are the operations' results.
std::vector<Halide::Expr> restated(const std::vector<Operation> &all);

// Whether Halide's prover takes an update, as it is written, for these operations, in any order: then its rfactor does.
bool proven(const Halide::Internal::Function &f, const Halide::Internal::Definition &def, const std::vector<Operation> &all);

// The values to export beside those of an update that is a reduction in another form than old value, operator, other value, over a domain with conditions that load something, or
// that Halide's prover refuses; none for others.
std::vector<Halide::Expr> restatement(const Halide::Internal::Function &f, const Halide::Internal::Definition &def);

// Whether an expression is the value that the point of an update had before it.
bool is_self(const Halide::Expr &e, const Halide::Internal::Function &f, const Halide::Internal::Definition &def, int out);

// Whether any part of an expression is a load of that Func's; known is what was found of parts.
bool reads(const Halide::Expr &e, const std::string &func, std::map<const Halide::Internal::BaseExprNode *, bool> &known);

// Whether an expression loads something.
bool loads_anything(const Halide::Expr &e);

// Whether an update reduces its domain, in every run, and is_small.
bool reduces(const Halide::Internal::Definition &def);

// The conditions of an update's domain, all of those that load something as one, and all others; undefined where there are none.
struct Conditions {
    Halide::Expr loading, others;
};

Conditions conditions(const Halide::Internal::Definition &def);

// Whether a condition of an update's domain reads the Func itself.
bool reads_in_conditions(const Halide::Internal::Function &f, const Halide::Internal::Definition &def);

// Whether a value relies on a promise of the user's, which may hold only where the conditions do.
bool has_promise(const Halide::Expr &value);

// Updates whose values are larger are not looked at: they are no plain reductions, and Halide's prover undoes CSE, which can make them exponentially large.
bool is_small(const Halide::Internal::Definition &def);

}  // namespace gowarp

#endif

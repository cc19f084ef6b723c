// Drops checks, inside kernels, of extents that always do.
#ifndef GOWARP_EXTENTS_H
#define GOWARP_EXTENTS_H

#include <set>
#include <string>
#include <vector>

#include "Halide.h"

namespace gowarp {

// Whether an assertion is about the extent that a Func is given by a schedule (bound_extent), and of which Func.
// The name is empty for others.
std::string given_extent(const Halide::Internal::AssertStmt *op);

// A lowering pass that drops assertions about the extents that some Funcs are given which hold whatever the sizes are. What is left of one in a
// kernel is a trap behind barriers that not all threads reach.
class Extents : public Halide::Internal::IRMutator {
public:
    explicit Extents(std::set<std::string> funcs) : funcs_(std::move(funcs)) {}

    using Halide::Internal::IRMutator::mutate;

protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::IfThenElse *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::AssertStmt *op) override;

private:
    // What a name stands for, in terms of names that have no such value.
    struct Definition {
        Halide::Expr value;  // undefined for loops, and for what is too large
        int nodes = 0;
    };
    class Resolve;

    template<typename T>
    Halide::Internal::Stmt within(const T *op, const Definition &d);

    const std::set<std::string> funcs_;
    Halide::Internal::Scope<Definition> definitions_;
    std::vector<Halide::Expr> facts_;  // what holds here
    bool hidden_ = false;              // a name means another thing here than further out
};

}  // namespace gowarp

#endif

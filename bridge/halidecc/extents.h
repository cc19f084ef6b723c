// Drops checks, inside kernels, of extents and storage that always do.
#ifndef GOWARP_EXTENTS_H
#define GOWARP_EXTENTS_H

#include <array>
#include <set>
#include <string>
#include <vector>

#include "Halide.h"

namespace gowarp {

// Whether an assertion is about the extent that a Func is given by a schedule (bound_extent), and of which Func.
// The name is empty for others.
std::string given_extent(const Halide::Internal::AssertStmt *op);

// Whether an assertion is about the storage that a schedule gives a Func (bound_storage), and of which Func.
// The name is empty for others.
std::string bounded_storage(const Halide::Internal::AssertStmt *op);

// A lowering pass that drops assertions about the extents and the storage that some Funcs are given which hold whatever the sizes are: Halide 21 leaves those that
// only what names stand for proves. What is left of one in a kernel is a trap behind barriers that not all threads reach.
class Extents : public Halide::Internal::IRMutator {
public:
    explicit Extents(std::set<std::string> funcs) : funcs_(std::move(funcs)) {}

    using Halide::Internal::IRMutator::mutate;
    Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &s) override;

protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::IfThenElse *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::AssertStmt *op) override;

private:
    // How far what a name stands for is followed. Where a region begins is mostly a minimum over all that is read of it, worked out on the host: each is one case more
    // for what it does not matter to.
    enum Far {
        to_minima,  // names of minima and maxima outside kernels stay names
        to_end,
        ways,
    };
    // What a name stands for, in terms of names that have no such value.
    struct Value {
        Halide::Expr value;  // undefined for loops, and for what is too large
        int nodes = 0;
    };
    using Definition = std::array<Value, ways>;
    class Resolve;

    bool checked(const Halide::Internal::AssertStmt *op) const;

    Value resolved(const Halide::Expr &e, Far far) const;
    template<typename T>
    Halide::Internal::Stmt within(const T *op, const Definition &d);

    const std::set<std::string> funcs_;
    Halide::Internal::Scope<Definition> definitions_;
    std::array<std::vector<Halide::Expr>, ways> facts_;  // what holds here
    bool in_kernel_ = false;
    bool looked_ = false;  // for anything to drop; most pipelines have nothing
    bool hidden_ = false;  // a name means another thing here than further out
};

}  // namespace gowarp

#endif

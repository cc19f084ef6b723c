// A lowering pass of gowarp's own: additions that Halide sees in atomic operations.
#ifndef GOWARP_ATOMICADDS_H
#define GOWARP_ATOMICADDS_H

#include "expand.h"

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

// Has the atomic stores of these stages, each "func.s1", be plain additions to one place. Where the place and what is added share work Halide 21 computes that in a let around the store or in its value, no longer
// finds that the place cancels out of the value, and makes a loop of compare-and-swap, which loads the old value once more without protection. Here all lets are before the atomic node, as are the place, which is loaded and stored by one name, and what is added.
// A store of another form stays as it is.
class AtomicAdditions : public Halide::Internal::IRMutator {
public:
    explicit AtomicAdditions(std::map<std::string, int> stages) : stages_(std::move(stages)) {}

protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::Atomic *op) override;

private:
    const std::map<std::string, int> stages_;
    bool within_ = false;  // a loop of one of them
    Lets lets_;            // those around, there
};

}  // namespace gowarp

#endif

// A lowering pass of gowarp's own: shared memory whose size only a run knows.
#ifndef GOWARP_SHAREDORGLOBAL_H
#define GOWARP_SHAREDORGLOBAL_H

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

// A launch that asks for more shared memory than a block can have fails. Of the kernels of these Funcs, each with the most bytes that its block may
// take, there are two forms where how much they take is known at run time only: the host launches the one where it fits, and else one
// in which every block has as much global memory of its own.
class SharedOrGlobal : public Halide::Internal::IRMutator {
public:
    explicit SharedOrGlobal(std::map<std::string, int> most);

protected:
    using IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;

private:
    const std::map<std::string, int> most_;  // by the name of the Func
};

// Whether a statement is that choice between two forms of one kernel.
bool chooses_memory(const Halide::Internal::IfThenElse *op);

}  // namespace gowarp

#endif

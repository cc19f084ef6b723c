// A lowering pass of gowarp's own: iterations that stand one after the other in the code load before any of them stores.
#ifndef GOWARP_LOADSFIRST_H
#define GOWARP_LOADSFIRST_H

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

// Rewrites the loops, in kernels, of these stages, each "func.s1", in whose bodies several iterations of an update stand one after the other, each of which stores one value. The compiler moves no
// load over a store to the same buffer, since it does not know strides: without this each iteration waits for memory anew. What an iteration loads of other buffers,
// and of the very place that it stores, no iteration before has stored; where its number is 2, nor anything else that it loads. Where tests stand between iterations, the rewritten ones run
// where all tests hold, and the others as they were elsewhere. A loop of another form stays as it is.
class LoadsFirst : public Halide::Internal::IRMutator {
public:
    explicit LoadsFirst(std::map<std::string, int> stages) : stages_(std::move(stages)) {}  // with 2 where all is apart, else 1

protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;

private:
    const std::map<std::string, int> stages_;
    bool in_kernel_ = false;
};

}  // namespace gowarp

#endif

// A lowering pass of gowarp's own: bytes in memory are combined by bits each by itself.
#ifndef GOWARP_APARTBYTES_H
#define GOWARP_APARTBYTES_H

#include "graph.h"

#include <Halide.h>

namespace gowarp {

// Whether definitions combine bytes or booleans by bits: what ApartBytes may be needed for.
bool combines_bytes(const Graph &g);

// LLVM joins operations of bits on neighbouring bytes and booleans in memory into operations on four at once, and the code generator of the LLVM that Halide 21 comes with aborts on some of these
// ("Illegal bit extraction": a mask that is eroded by a disk), with the process that it is in. Where it does, each result goes through a permutation of bytes that changes nothing, which LLVM does not see
// through. It is not for free (a parity over 25 points that LLVM does not abort on: 62 instructions in PTX, 103 with it).
class ApartBytes : public Halide::Internal::IRMutator {
protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;
    Halide::Expr visit(const Halide::Internal::And *op) override;
    Halide::Expr visit(const Halide::Internal::Or *op) override;
    Halide::Expr visit(const Halide::Internal::Call *op) override;

private:
    Halide::Expr apart_within(const Halide::Expr &e) const;
    bool within_ = false;  // a kernel for CUDA
};

}  // namespace gowarp

#endif

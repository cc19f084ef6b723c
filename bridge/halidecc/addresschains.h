// Addresses in global memory, each from another a known distance away.
#ifndef GOWARP_ADDRESSCHAINS_H
#define GOWARP_ADDRESSCHAINS_H

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "Halide.h"
#include "surroundings.h"

namespace gowarp {

// A lowering pass for CUDA kernels of some Funcs. Places in a buffer that differ by what is the same for all threads (rows, planes: multiples of strides) are
// computed from each other, in 64 bits: one addition each. Halide computes every one anew in 32 bits, and LLVM has to widen each by itself, since it does
// not know that their sums do not overflow: an addition, a multiplication and another addition. A distance that only one pair has is no gain, and a place
// that none is known near to stays as it is.
class AddressChains : public Halide::Internal::IRMutator {
public:
    // What is done in the kernels of a Func.
    struct Kernels {
        // How many places are at most computed one from the other: LLVM looks through no more than six additions to see that what is read is never
        // written, which matters where only such loads go through a cache (before capability 7.0).
        int longest = 0;
        // Whether four neighbouring elements of 8, 16 or 32 bits are loaded or stored by one instruction where a kernel accesses all four of them. The kernel then
        // stands twice: such accesses need pointers, strides and first elements at multiples of four elements, which is known at run time.
        bool vectors = false;
    };
    explicit AddressChains(std::map<std::string, Kernels> funcs) : funcs_(std::move(funcs)) {}

    using Halide::Internal::IRMutator::mutate;
    Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &s) override;

protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *op) override;

private:
    const std::map<std::string, Kernels> funcs_;
    Surroundings::Definitions definitions_;  // around what is visited
    std::optional<std::vector<Halide::Parameter>> parameters_;  // of the whole pipeline
};

}  // namespace gowarp

#endif

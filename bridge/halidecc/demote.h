// A lowering pass of gowarp's own: registers of warps' lanes into shared memory.
#ifndef GOWARP_DEMOTE_H
#define GOWARP_DEMOTE_H

#include <Halide.h>

#include <string>
#include <vector>

namespace gowarp {

// What of a Func that a warp's lanes hold in registers is kept in the warp's scratch in shared memory
// instead: of every lane so many of the first registers.
struct Demotion {
    std::string func;  // its name
    int slots = 0;     // registers of a lane
    int offset = 0;    // of its first byte in the scratch of its warp; components of a tuple follow each other
};

// Rewrites the kernels of warps that hold these Funcs, after Halide has turned what lanes exchange
// into shuffles and before GPU code is split off: the stores go to shared memory, and so do the loads of such a register and the
// shuffles of it. Barriers are set between the writes and the reads of others, where all threads of
// the block come by, and so no shuffle or barrier stands under a condition any more. A kernel that has not the form of
// gowarp's own stays in registers, which is right too, and Halide warns of it.
class Demote : public Halide::Internal::IRMutator {
public:
    explicit Demote(std::vector<Demotion> demotions);

protected:
    using IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;

private:
    const std::vector<Demotion> demotions_;
};

}  // namespace gowarp

#endif

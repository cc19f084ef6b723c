// A lowering pass of gowarp's own: the warps of a block run through chunks of a scan together.
#ifndef GOWARP_SCANCHUNKS_H
#define GOWARP_SCANCHUNKS_H

#include "scanloop.h"

namespace gowarp {

// How many iterations a chunk has: as many as there are registers for, with what each adds and the address of what it stores. Of 16 some spill at 64 registers (8 to 64 B; of 12 up to 20 B, from capability 9.0 on); with 8 the chunks of
// others are a greater part of the work (iir_blur 47 warp instructions for 32 outputs, not 43).
constexpr int chunk_iterations = 12;

// Rewrites the kernels of these stages, each "func.s1" with a number of chunks, in which a thread runs through f(r) = f(r - 1) op b(r) in order, op being a sum, a minimum or a maximum, or
// through f(r) = a f(r - 1) + b(r). Afterwards a thread's column is that of as many threads as there are chunks, in a block's dimension y: each works out b of its chunk's iterations and what
// they come to by themselves, tells the others by shared memory, adds up what the chunks before its own come to, and from that runs through its own. The last chunk's result goes on to the
// next turn. Each value is as it was but for what is before its chunk, which is added up in another order. Where |a| is more than 1 powers of it may overflow where the results do not: then
// the first chunk's thread goes through all alone. (Where they vanish, of an |a| below 1/1500, an infinity is a NaN in the next chunk but one.) A kernel that has not the form of gowarp's own stays as it is, which is right
// too.
class ScanChunks : public ScanPass {
    using ScanPass::ScanPass;
    std::unique_ptr<ScanKernel> kernel(const std::string &func, int chunks, const Surroundings::Definitions &around) override;
};

}  // namespace gowarp

#endif

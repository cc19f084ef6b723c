// A lowering pass of gowarp's own: the lanes of a warp run through a scan together.
#ifndef GOWARP_SCANLANES_H
#define GOWARP_SCANLANES_H

#include "scanloop.h"

namespace gowarp {

// Rewrites the kernels of these stages, each "func.s1", in which a thread runs through f(r) = f(r - 1) op b(r) in order, op being a sum, a minimum or a maximum, or through
// f(r) = a f(r - 1) + b(r). Afterwards a warp does what a thread did: 32 lanes work out b of 32 neighbours, add up what is before them in five exchanges (Kogge, Stone: A parallel
// algorithm for the efficient solution of a general class of recurrence equations, 1973), and the last lane's result goes on to the next 32. The threads of a block become
// its warps. Sums of floats are added up in another order. Where |a| is more than 1 powers of it may overflow where the results do not: then the first lane goes
// through all alone. (Where they vanish, of an |a| below 1/20, an infinity is a NaN 32 places on.) A kernel that has not the form of gowarp's own stays as it is, which is right too.
class ScanLanes : public ScanPass {
    using ScanPass::ScanPass;
    std::unique_ptr<ScanKernel> kernel(const std::string &func, int, const Surroundings::Definitions &around) override;
};

}  // namespace gowarp

#endif

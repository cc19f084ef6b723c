// Addresses of bytes in parts that many of them share.
#ifndef GOWARP_ADDRESSES_H
#define GOWARP_ADDRESSES_H

#include "lanebody.h"

namespace gowarp {

// The same straight line with the indices of bytes in memory as sums of 64 bits. What several of them have in common is added once, the most common
// first. Halide sums 32 bits, of which the compiler has to widen every single one; of wider elements it multiplies and widens in one instruction, and
// those are left.
StraightLine share_addresses(const StraightLine &line, const Held &held);

}  // namespace gowarp

#endif

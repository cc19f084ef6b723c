// Tiles that lie inside: no condition of theirs fails.
#ifndef GOWARP_INTERIOR_H
#define GOWARP_INTERIOR_H

#include "lanebody.h"

namespace gowarp {

// A straight line without the conditions that hold wherever one does, which is the same in all threads of a block: that all of the block lies within
// the sizes. The compiler sees that no warp parts there. Conditions that are about the lane alone, or about what was computed, stay.
struct Interior {
    Halide::Expr condition;  // undefined if there is none
    StraightLine line;
};

Interior interior(const StraightLine &line, const Halide::Internal::For *lanes, const Halide::Internal::For *warps);

}  // namespace gowarp

#endif

// Tiles that lie inside: no condition of theirs fails.
#ifndef GOWARP_INTERIOR_H
#define GOWARP_INTERIOR_H

#include "lanekernel.h"
#include "straight.h"

namespace gowarp {

// A straight line without the conditions that hold wherever one does, which is the same in all lanes of a warp: that all of its tile lies within the
// sizes, and all that it reads within what that is clamped to. Conditions that are about the lane alone, or about what was computed, stay.
struct Interior {
    Halide::Expr condition;  // undefined if there is none
    StraightLine line;
};

Interior interior(const StraightLine &line, const LaneKernel &kernel);

}  // namespace gowarp

#endif

// The body of a lane with registers in the scratch of its warp.
#ifndef GOWARP_LANEBODY_H
#define GOWARP_LANEBODY_H

#include "place.h"
#include "straight.h"

namespace gowarp {

using Held = std::map<std::string, const Halide::Internal::Allocate *>;  // what lanes hold, by name

using Definitions = std::vector<std::pair<std::string, Halide::Expr>>;

// Lays a lane's body out as a straight line, with copies of definitions that stand around it, and moves registers to the scratch, of so many bytes a warp, on the way. There may be no loop over
// warps.
StraightLine straighten(const Places &places, const Held &held, const Halide::Internal::For *lanes, const Halide::Internal::For *warps, int scratch_bytes,
                        const Definitions &around, const Halide::Internal::Stmt &body);

}  // namespace gowarp

#endif

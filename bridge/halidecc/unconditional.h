// Updates under conditions that load something.
#ifndef GOWARP_UNCONDITIONAL_H
#define GOWARP_UNCONDITIONAL_H

#include "graph.h"

namespace gowarp {

// Makes conditions of updates' domains that load something part of what is stored: where they do not hold, a point keeps its value. Halide evaluates
// such a condition beyond the end of a loop that is split, and so each point was a block. Not for updates that data scatter: atomics skip what a condition rules
// out; nor where an input would have to be larger, because a definition is to be computed where nothing asked for it. The result is the pipeline's graph afterwards; before is the one that it had. Not for a pipeline of which the user has scheduled anything.
Graph store_unconditionally(const Halide::Pipeline &pipeline, const Graph &before);

}  // namespace gowarp

#endif

// Where updates read their own Func.
#ifndef GOWARP_OWNREADS_H
#define GOWARP_OWNREADS_H

#include "graph.h"

namespace gowarp {

// Simplifies the places at which updates read their own Func by what their domains say of their variables: f(x, max(r - 2, 0)) for r from 2 on reads f(x, r - 2), of which it is known how
// far behind it is, so that its dependences are. People clamp what they read before they start a domain behind its first rows. The result is the pipeline's
// graph afterwards; before is the one that it had. Not for a pipeline of which the user has scheduled anything.
Graph simplify_own_reads(const Halide::Pipeline &pipeline, const Graph &before);

}  // namespace gowarp

#endif

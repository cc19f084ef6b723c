// Pure definitions, in the updates that change every point once.
#ifndef GOWARP_FUSEINIT_H
#define GOWARP_FUSEINIT_H

#include "graph.h"

namespace gowarp {

// Has the first updates of the pipeline's Funcs take over their pure definitions, where an update changes each point of a box once, whatever it reads of
// the box besides that point being changed before: f(x, y) = e(x, y); f(x, r) = f(x, r) + f(x, r - 1) for r in 1..h becomes
// f(x, y) = e(x, y) where y < 1 or y > h, undefined elsewhere, and f(x, r) = e(x, r) + f(x, r - 1). What was stored and read again is computed where it
// is needed; values are the same. A definition is taken over if it is small and what it reads is beside each other where points are, so that threads of
// the update read it in whole sectors too (not what turns an image). The result is the pipeline's graph afterwards; before is the one that it had. Not
// for a pipeline of which the user has scheduled anything.
Graph fuse_inits(const Halide::Pipeline &pipeline, const Graph &before);

// The condition under which the values of a pure definition are computed, where they are undefined elsewhere; values are what they are then. Undefined where
// the definition is of another form.
Halide::Expr partly_computed(std::vector<Halide::Expr> &values);

}  // namespace gowarp

#endif

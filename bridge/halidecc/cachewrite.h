// Reductions computed in a Func of their own, which the one that the user wrote copies.
#ifndef GOWARP_CACHEWRITE_H
#define GOWARP_CACHEWRITE_H

#include "graph.h"

namespace gowarp {

// Has a Func whose updates reduce to each of its points be the copy of another, which has its definitions: f(x) = 0; f(x) += g(x, r) becomes h(x) = 0; h(x) += g(x, r) and f(x) = h(x). One kernel
// then computes both, h in the registers of its threads, where f would have a kernel for each update that loads and stores it in every iteration. TVM calls that cache_write. A Func that is
// read by one other alone, point by point, needs none: it is computed with that. Nor does one of few points, a small output or a row, whose reduction is for trees. Values are the same.
//
// The result is the pipeline's graph afterwards; before is the one that it had. Not for a pipeline of which the user has scheduled anything.
Graph cache_writes(const Halide::Pipeline &pipeline, const Graph &before);

}  // namespace gowarp

#endif

// Places that a reduction reads, held within what is needed of it.
#ifndef GOWARP_HOLDREADS_H
#define GOWARP_HOLDREADS_H

#include "graph.h"

namespace gowarp {

// Has reductions of products and the like, where their points are not just those of an output, or are few and split among threads, read inputs within the region that their readers need, by the sizes of the
// outputs: f(i, n) += a(i, r) * b(r, n), of which i in 0..h-1 and n in y.min..y.max are read, becomes f(i, n) += a(clamp(i, 0, h - 1), r) * b(r, clamp(n, y.min, y.max)). Whatever is
// needed is the same, and no input has to be larger or smaller than before; but now f can be computed further out, so that the threads of the kernel that stores it, or what is made of it,
// can compute whole groups of points. What bounds its places already stays, and a Func of which Halide finds no region, or a long one, or
// along one dimension whole groups of points in every run.
//
// The result is the pipeline's graph afterwards; before is the one that it had. Not for a pipeline of which the user has scheduled anything.
Graph hold_reads(const Halide::Pipeline &pipeline, const Graph &before);

}  // namespace gowarp

#endif

// Places that Funcs compute, looked through.
#ifndef GOWARP_INDEXFUNCS_H
#define GOWARP_INDEXFUNCS_H

#include "graph.h"

namespace gowarp {

// Puts the definitions of Funcs that say where something is read in the place of their calls, where their values have no bounds and hang on no memory: of a(off(x)) with
// off(x) = x / 2, as of a(x / 2), it is then known what a tile reads. Halide inlines such Funcs before it infers bounds, for what they index has none otherwise, and so
// the values are the same. The result is the pipeline's graph afterwards; before is the one that it had. Not for a pipeline of which the user has scheduled anything.
Graph look_through_index_funcs(const Halide::Pipeline &pipeline, const Graph &before);

}  // namespace gowarp

#endif

// Short reductions, written out.
#ifndef GOWARP_WRITEOUT_H
#define GOWARP_WRITEOUT_H

#include "graph.h"

namespace gowarp {

// Writes what an update does into the values that it begins from; false where that cannot be done.
bool write_into(const Halide::Internal::Function &f, const Halide::Internal::Definition &def, std::vector<Halide::Expr> &values);

// Has the definitions of the pipeline's Funcs take over what their first updates do, where those add to each point by itself
// over a short domain of literal bounds: f(x) = 0; f(x) += g(x + r) for r in -1..1 becomes f(x) = g(x - 1) + g(x) + g(x + 1).
// Operations keep their order, and values are the same. The result is the pipeline's graph afterwards; before is the one that it had. Not for a pipeline of which the user has scheduled anything.
Graph write_out_reductions(const Halide::Pipeline &pipeline, const Graph &before);

}  // namespace gowarp

#endif

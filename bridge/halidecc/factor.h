// Reductions that a schedule factors (Halide's rfactor), before anything else of it is done.
#ifndef GOWARP_FACTOR_H
#define GOWARP_FACTOR_H

#include "../abi/gowarp_abi.h"
#include "graph.h"

namespace gowarp {

// So many of the directives, the first, factor reductions.
int count_factors(const gowarp_directive *directives, int count);

// Which of the two sets of Funcs is changed.
enum class Twin { copies, originals };

// Factors reductions and returns the graph that the other directives are for: each factoring puts two Funcs in front of its own. Of Twin::copies
// the graph has the copies for originals too. Throws Halide::CompileError.
Graph factor_reductions(const Graph &g, const gowarp_directive *directives, int count, Twin twin);

// That graph with nothing but names of what factoring makes, for messages; nothing is changed.
Graph names_of_factored(const Graph &g, const gowarp_directive *directives, int count);

}  // namespace gowarp

#endif

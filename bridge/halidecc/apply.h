// Directives onto Funcs.
#ifndef GOWARP_APPLY_H
#define GOWARP_APPLY_H

#include "gowarp_abi.h"
#include "graph.h"

namespace gowarp {

// Checks every directive against the untouched loops, then rehearses them all
// on g's copies, and only then touches the user's Funcs. Throws
// Halide::CompileError that names the directive and the Func; the user's Funcs
// are then as they were. Returns the graph that all but the directives that factor reductions are for: g, if there are none of those.
Graph apply_directives(const Graph &g, const gowarp_directive *directives, int count);

}  // namespace gowarp

#endif

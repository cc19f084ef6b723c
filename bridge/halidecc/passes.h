// Lowering passes of gowarp's own: what no schedule can say.
#ifndef GOWARP_PASSES_H
#define GOWARP_PASSES_H

#include "gowarp_abi.h"
#include "graph.h"

#include <memory>
#include <vector>

namespace gowarp {

// The passes that directives ask for, in their order. The directives have been checked.
std::vector<std::unique_ptr<Halide::Internal::IRMutator>> lowering_passes(const Graph &g, const gowarp_directive *directives, int count);

// Lets every compilation of the pipeline run them; with apart ApartBytes behind them.
void install_passes(const Halide::Pipeline &p, const Graph &g, const gowarp_directive *directives, int count, bool apart = false);

}  // namespace gowarp

#endif

// Which Funcs' values decide where something is loaded from.

#ifndef GOWARP_INDEXING_H
#define GOWARP_INDEXING_H

#include <set>
#include <string>
#include <vector>

#include "Halide.h"

namespace gowarp {

// The names of the Funcs of whose values the boxes of these expressions depend: those that are
// called in an index of a load, in a condition, or anywhere in `whole`.
std::set<std::string> indexing_funcs(const std::vector<Halide::Expr> &evaluated, const std::vector<Halide::Expr> &whole);

}  // namespace gowarp

#endif

// What the estimates say of the sizes of a pipeline's buffers and of its scalars.
#ifndef GOWARP_SIZES_H
#define GOWARP_SIZES_H

#include "graph.h"

#include <map>
#include <string>

namespace gowarp {

// Constants by the names that lowered code has for them: "f.min.0", "f.extent.0", or a
// scalar's own name.
using Values = std::map<std::string, Halide::Expr>;

// Remembers an expression, if it is a constant.
void define(Values &v, const std::string &name, const Halide::Expr &e);

// All that the estimates and the constraints of outputs and inputs determine.
Values known_sizes(const Graph &g);

}  // namespace gowarp

#endif

// What addresses hang on that is loaded: in definitions of its own.
#ifndef GOWARP_CONVERSIONS_H
#define GOWARP_CONVERSIONS_H

#include <Halide.h>

namespace gowarp {

// The kernel with the integers that it makes of loaded floats, inside definitions of indices, defined by themselves, once each. With a kernel of lanes anywhere in the pipeline Halide 21 writes them
// out in every index, and an index that loads something is no sum of things that others have too. Only where nothing that they load is stored to in the kernel.
Halide::Internal::Stmt with_conversions_apart(const Halide::Internal::Stmt &kernel);

}  // namespace gowarp

#endif

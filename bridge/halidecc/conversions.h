// What addresses hang on that is loaded: in definitions of its own.
#ifndef GOWARP_CONVERSIONS_H
#define GOWARP_CONVERSIONS_H

#include <Halide.h>

#include <functional>

namespace gowarp {

// Whether what is loaded is a register that is set once, before all that loads it.
using IsSetOnce = std::function<bool(const Halide::Internal::Load *)>;

// The kernel with the integers that it makes of loaded floats, inside indices and definitions of them, defined by themselves, once for each definition or store. With a kernel of lanes anywhere in the pipeline Halide 21 writes them
// out in every index, and an index that loads something is no sum of things that others have too. Only where nothing that they load is stored to in the kernel but registers that are set once.
Halide::Internal::Stmt with_conversions_apart(const Halide::Internal::Stmt &kernel, const IsSetOnce &is_set_once);

}  // namespace gowarp

#endif

// A stack for walks over definitions tens of thousands of nodes deep.
#ifndef GOWARP_STACK_H
#define GOWARP_STACK_H

#include <functional>

namespace gowarp {

// Runs action on the calling thread with a stack of deep_stack_bytes, and lets
// its exceptions through. Halide's own run_with_large_stack takes its size from
// a global, which cannot be changed while another thread compiles.
void with_deep_stack(const std::function<void()> &action);

}  // namespace gowarp

#endif

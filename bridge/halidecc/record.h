// What a schedule has a CUDA driver do.
#ifndef GOWARP_RECORD_H
#define GOWARP_RECORD_H

#include "code.h"

namespace gowarp {

// Applies the reply's directives in a forked child, compiles the pipeline there for this machine and runs it at the estimated sizes, on made-up inputs and a driver
// that only writes down what it is asked for. The text is that record, as package replay reads it. Nothing changes in this process.
Code record(const Graph &g, const Halide::Target &target, const gowarp_reply &reply);

}  // namespace gowarp

#endif

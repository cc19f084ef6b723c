// What a schedule has a CUDA driver do.
#ifndef GOWARP_RECORD_H
#define GOWARP_RECORD_H

#include "trial.h"

namespace gowarp {

// Compiles a trial for this machine and runs it at the estimated sizes, on made-up inputs and a driver that only writes down what it is asked
// for. The text is that record, as package replay reads it.
Trial record(const Graph &g, const Halide::Target &target, const gowarp_reply &reply);

}  // namespace gowarp

#endif

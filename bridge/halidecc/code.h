// The device code that Halide makes of a schedule.
#ifndef GOWARP_CODE_H
#define GOWARP_CODE_H

#include "trial.h"

namespace gowarp {

// Compiles a trial as far as its device code, which is the text.
Trial device_code(const Graph &g, const Halide::Target &target, const gowarp_reply &reply);

}  // namespace gowarp

#endif

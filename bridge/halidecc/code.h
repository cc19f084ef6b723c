// The device code that Halide makes of a schedule.
#ifndef GOWARP_CODE_H
#define GOWARP_CODE_H

#include "gowarp_abi.h"
#include "graph.h"

#include <string>

namespace gowarp {

// Device code, or why there is none.
struct Code {
    std::string text, why;
};

// Applies the reply's directives in a forked child and compiles the pipeline there as far as its device code. Nothing
// changes in this process.
Code device_code(const Graph &g, const Halide::Target &target, const gowarp_reply &reply);

}  // namespace gowarp

#endif

// A schedule tried in a child process.
#ifndef GOWARP_TRIAL_H
#define GOWARP_TRIAL_H

#include "gowarp_abi.h"
#include "graph.h"

#include <functional>
#include <string>

namespace gowarp {

// What a trial was to make, or why there is nothing.
struct Trial {
    std::string text, why;
};

// Applies the reply's directives in a forked child and hands the scheduled pipeline, and its Funcs, to make there. What make returns is the
// text; it holds no NUL. Nothing changes in this process.
Trial try_in_child(const Graph &g, const gowarp_reply &reply, const std::function<std::string(Halide::Pipeline &, const Graph &)> &make);

}  // namespace gowarp

#endif

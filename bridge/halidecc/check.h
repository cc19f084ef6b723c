// Whether Halide makes of a schedule what its author expects.
#ifndef GOWARP_CHECK_H
#define GOWARP_CHECK_H

#include "gowarp_abi.h"
#include "graph.h"

#include <string>
#include <vector>

namespace gowarp {

// What a check found.
struct Verdict {
    enum Kind {
        agrees,     // notes may hold what no other schedule would change
        disagrees,  // funcs are those of the kernels that do not
        refused,    // Halide does not lower it, dies of it, or asks for more of an input than is needed
        unchecked,  // nothing is known
    };
    Kind kind = agrees;
    std::vector<int> funcs;
    std::vector<std::string> notes;  // for people, a line each
    std::vector<int> unneeded;  // those of them of which Halide needs no point at the estimated sizes
    std::vector<int> torn;      // those of them with an operation that is not atomic
    std::vector<int> unproven;  // Funcs whose extents the schedule says and Halide cannot prove to do
    std::vector<int> unbounded;  // Funcs that read something of which Halide finds no bounds
};

// Applies the reply's directives in a forked child, lowers the pipeline there up to the
// point where GPU code is split off, and compares the kernels and what is asked of inputs. Nothing changes in this
// process, not even the counters that Halide's unique names come from.
Verdict check(const Graph &g, const Halide::Target &target, const gowarp_reply &reply);

}  // namespace gowarp

#endif

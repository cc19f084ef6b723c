// What a lowered pipeline does at the estimated sizes: the kernels that it launches, and what
// it asks its inputs for.
#ifndef GOWARP_LAUNCHES_H
#define GOWARP_LAUNCHES_H

#include "graph.h"

#include <set>
#include <string>
#include <vector>

namespace gowarp {

constexpr int64_t unknown = -1;

// One kernel at the estimated sizes, x first.
struct Launch {
    int func = -1, stage = 0;  // func is -1 where the loop's name tells none
    int64_t blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
    int64_t shared_bytes = 0;
    int64_t times = 1;          // iterations of host loops around it
    bool trap = false;          // it checks something at run time
    bool torn = false;          // an atomic operation takes its old value from a load of its own
    bool global_scratch = false;  // its private storage is in global memory
    bool unheld = false;          // it frees what it does not hold
    std::vector<int> unproven;    // Funcs of which it may need more than the schedule says
    bool general = false;         // its Func has a special case for whole groups of points, which this size is not
};

// The points of an input that it must have along one dimension.
struct Need {
    int input = -1, dim = 0;  // the position in Graph::inputs
    int64_t min = 0, max = -1;
};

struct Lowered {
    std::vector<Launch> launches;
    std::vector<Need> needs;  // only those that the estimates determine
    std::set<int> named;      // Funcs that something refers to: a kernel's loads, or sizes
};

// Reads the code of a pipeline after all of lowering, before GPU code is split off.
// A number that the estimates do not determine is unknown.
Lowered read_lowered(const Halide::Internal::Stmt &s, const Graph &g);

// As text, and back.
std::string print_lowered(const Lowered &all);
Lowered parse_lowered(const std::string &text);

}  // namespace gowarp

#endif

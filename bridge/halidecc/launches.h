// The kernels that a lowered pipeline launches.
#ifndef GOWARP_LAUNCHES_H
#define GOWARP_LAUNCHES_H

#include "graph.h"

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
    bool global_scratch = false;  // its private storage is in global memory
};

// Reads the code of a pipeline after all of lowering, before GPU code is split off.
// A number that the estimates do not determine is unknown.
std::vector<Launch> read_launches(const Halide::Internal::Stmt &s, const Graph &g);

// As text, and back.
std::string print_launches(const std::vector<Launch> &all);
std::vector<Launch> parse_launches(const std::string &text);

}  // namespace gowarp

#endif

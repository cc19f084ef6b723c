// Loops by their names: those over threads and blocks, and those of a stage.
#ifndef GOWARP_GPULOOP_H
#define GOWARP_GPULOOP_H

#include <Halide.h>

#include <algorithm>
#include <map>
#include <string>

namespace gowarp {

// The x, y or z of a loop over threads ("thread_id_") or blocks ("block_id_"), 0 for another loop: ".thread_id_y", and ".thread_id_y$2" where Halide has made names unique.
inline char gpu_axis(const std::string &loop, const std::string &over) {
    const std::string with = "." + over;
    const size_t at = loop.rfind(with);
    const size_t axis = at + with.size();
    if (at == std::string::npos || axis >= loop.size()) {
        return 0;
    }
    const bool whole = axis + 1 == loop.size() || (loop[axis + 1] == '$' && loop.find_first_not_of("0123456789", axis + 2) == std::string::npos);
    return whole ? loop[axis] : 0;
}

// Whether a loop is one of these stages', each "func.s1".
inline bool in_stages(const std::string &loop, const std::map<std::string, int> &stages) {
    return std::any_of(stages.begin(), stages.end(), [&](const auto &stage) { return Halide::Internal::starts_with(loop, stage.first + "."); });
}

}  // namespace gowarp

#endif

// Loops over threads and blocks, by their names.
#ifndef GOWARP_GPULOOP_H
#define GOWARP_GPULOOP_H

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

}  // namespace gowarp

#endif

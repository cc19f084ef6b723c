// Whose kernel a loop begins.
#ifndef GOWARP_KERNELOF_H
#define GOWARP_KERNELOF_H

#include <Halide.h>

#include <algorithm>
#include <map>
#include <string>

namespace gowarp {

// Of Funcs by their names the one that a loop is of; the map's end if it is of none.
template<typename T>
typename std::map<std::string, T>::const_iterator kernel_of(const std::map<std::string, T> &funcs, const Halide::Internal::For *loop) {
    return std::find_if(funcs.begin(), funcs.end(), [&](const auto &f) { return Halide::Internal::starts_with(loop->name, f.first + ".s"); });
}

}  // namespace gowarp

#endif

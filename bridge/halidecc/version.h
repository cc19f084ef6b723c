// Which Halide is loaded, as opposed to the one whose headers this was compiled with.
#ifndef GOWARP_VERSION_H
#define GOWARP_VERSION_H

#include <string>

namespace gowarp {

// What to tell the user if the two do not fit together; empty if they do, or if the loaded
// one does not say. It goes by major and minor version: Halide keeps no ABI between those.
std::string version_mismatch();

}  // namespace gowarp

#endif

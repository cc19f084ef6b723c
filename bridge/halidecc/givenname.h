// The names that users give.
#ifndef GOWARP_GIVENNAME_H
#define GOWARP_GIVENNAME_H

#include <string>

namespace gowarp {

// The name that its user gave something, without what Halide adds to one that is taken.
inline std::string given_name(const std::string &name) { return name.substr(0, name.find('$')); }

}  // namespace gowarp

#endif

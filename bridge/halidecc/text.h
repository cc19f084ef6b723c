// Text that crosses the C ABI.
#ifndef GOWARP_TEXT_H
#define GOWARP_TEXT_H

#include <string>

namespace gowarp {

// A string that may be missing is empty then.
inline std::string str(const char *s) { return s ? s : ""; }

}  // namespace gowarp

#endif

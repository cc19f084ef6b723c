// What the compiler shares of a straight line.
#ifndef GOWARP_SHARING_H
#define GOWARP_SHARING_H

#include "lanebody.h"

namespace gowarp {

// An estimate of how many operations the compiler makes of a straight line. What is computed without condition it computes once; under a
// condition it computes anew what no earlier run without one has computed. A product costs nothing where it becomes part of an addition, for which both
// have to stand between the same two conditions; one that is shared across conditions costs an instruction of its own. Conditions cost theirs.
int operations(const StraightLine &line, const Held &held);

}  // namespace gowarp

#endif

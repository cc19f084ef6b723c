#ifndef GOWARP_LEAVE_H
#define GOWARP_LEAVE_H

#include "graph.h"

namespace gowarp {

// Where gowarp was asked for by HL_AUTOSCHEDULER, for a build as a whole, a pipeline with
// a schedule of its own is given back: throws, and the preload library runs the generator
// again as it is. Where somebody asked for gowarp by name this does nothing, and the
// pipeline is refused with a message as any other mistake is.
void leave_scheduled_alone(const Graph &g);

}  // namespace gowarp

#endif

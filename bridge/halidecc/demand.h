// A straight line sorted by who demands what.
#ifndef GOWARP_DEMAND_H
#define GOWARP_DEMAND_H

#include "lanebody.h"

namespace gowarp {

// The same statements and definitions, each just before the first row of stores to memory that needs it, itself or through others; among those that
// one row needs the order is kept. A row is so many stores, one after the other. Registers that are computed from registers alone may lose the conditions that they are computed under: what a
// lane that needs no value then computes nobody reads. Rows that ptxas would load for before it has computed those before them end parts.
StraightLine in_demand_order(const StraightLine &line, const Held &held, int row, bool drop_guards);

}  // namespace gowarp

#endif

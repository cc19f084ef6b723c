// What the conditions of an update's domain say of its variables, said where those are used.
#ifndef GOWARP_PROMISES_H
#define GOWARP_PROMISES_H

#include <Halide.h>

namespace gowarp {

// Promises of each variable of an update's domain what conditions of it leave of its range: values are computed only where those hold, and where a loop over a variable is
// split, or rfactor makes two variables of one, Halide sees less well how they bound what is read.
void promise_ranges(Halide::Internal::Definition &def, const Halide::Expr &conditions);

}  // namespace gowarp

#endif

// What is read of inputs however far out a Func is computed.
#ifndef GOWARP_ABSORBS_H
#define GOWARP_ABSORBS_H

#include "anypart.h"

#include <map>
#include <string>

namespace gowarp {

// Whether what is read at some point of a Func, however far out, makes no input be larger: places are bounded, by a boundary condition mostly, somewhere before each of them.
class Absorbs {
public:
    bool is(const Halide::Internal::Function &f);
    // Whether the Func that is called does.
    bool of(const Halide::Internal::Call *c);
    // Whether a place is bounded by itself, wherever the variables of a definition are that have no range; not where that is a long question.
    static bool bounded(const Halide::Expr &place, const Halide::Internal::Scope<Halide::Internal::Interval> &ranges);

private:
    bool within(const Halide::Expr &e, const Halide::Internal::Scope<Halide::Internal::Interval> &ranges);

    std::map<std::string, bool> known_;
};

}  // namespace gowarp

#endif

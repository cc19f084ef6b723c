// Questions about an expression and all that it consists of.
#ifndef GOWARP_ANYPART_H
#define GOWARP_ANYPART_H

#include "graph.h"

namespace gowarp {

// Whether something holds of an expression or one of its parts, each of which is asked about once.
template<typename Is>
bool any_part(const Halide::Expr &e, Is is) {
    std::set<const Halide::Internal::BaseExprNode *> seen;
    std::vector<Halide::Expr> left = {e};
    while (!left.empty()) {
        const Halide::Expr x = left.back();
        left.pop_back();
        if (!seen.insert(x.get()).second) {
            continue;
        }
        if (is(x)) {
            return true;
        }
        operands(x.get(), "", left);
    }
    return false;
}

// The call that an expression is, if it loads something of a Func or an image; null otherwise.
inline const Halide::Internal::Call *as_load(const Halide::Expr &e) {
    using Halide::Internal::Call;
    const Call *c = e.as<Call>();
    return c && (c->call_type == Call::Halide || c->call_type == Call::Image) ? c : nullptr;
}

}  // namespace gowarp

#endif

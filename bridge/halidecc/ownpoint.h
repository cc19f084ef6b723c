// The point of a Func that one of its definitions is about.
#ifndef GOWARP_OWNPOINT_H
#define GOWARP_OWNPOINT_H

#include "Halide.h"

namespace gowarp {

// Whether arguments are a Func's own variables, each in its place: an update that stores there is no scatter.
inline bool is_own_point(const Halide::Internal::Function &f, const std::vector<Halide::Expr> &args) {
    for (size_t i = 0; i < args.size(); i++) {
        const Halide::Internal::Variable *v = args[i].as<Halide::Internal::Variable>();
        if (!v || v->name != f.args()[i] || v->reduction_domain.defined() || v->param.defined()) {
            return false;
        }
    }
    return true;
}

}  // namespace gowarp

#endif

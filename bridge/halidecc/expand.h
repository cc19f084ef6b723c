// Expressions in terms of what no let has defined.
#ifndef GOWARP_EXPAND_H
#define GOWARP_EXPAND_H

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

// The values of lets that are around something, by name.
using Lets = std::map<std::string, Halide::Expr>;

class Expanded : public Halide::Internal::IRMutator {
public:
    explicit Expanded(const Lets &lets) : lets_(lets) {}

private:
    using Halide::Internal::IRMutator::visit;
    Halide::Expr visit(const Halide::Internal::Variable *op) override {
        const auto l = lets_.find(op->name);
        return l == lets_.end() ? Halide::Expr(op) : mutate(l->second);
    }
    const Lets &lets_;
};

// An expression with no let in it and none of those around it.
inline Halide::Expr expand(const Halide::Expr &e, const Lets &lets) { return Halide::Internal::substitute_in_all_lets(Expanded(lets).mutate(e)); }

}  // namespace gowarp

#endif

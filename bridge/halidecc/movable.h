// Values that may be computed elsewhere.
#ifndef GOWARP_MOVABLE_H
#define GOWARP_MOVABLE_H

#include "Halide.h"

namespace gowarp {

// What an expression has that a definition put elsewhere, or a domain's bound that is used outside of it, must not have.
class Movable : public Halide::Internal::IRGraphVisitor {
public:
    static bool is(const Halide::Expr &e, bool calls) {
        Movable m(calls);
        e.accept(&m);
        return !m.found_;
    }

private:
    explicit Movable(bool calls) : calls_(calls) {}

    using Halide::Internal::IRGraphVisitor::visit;
    void visit(const Halide::Internal::Call *op) override {
        using Halide::Internal::Call;
        const bool reads = op->call_type == Call::Halide || op->call_type == Call::Image;
        found_ = found_ || op->is_intrinsic(Call::undef) || (reads ? calls_ : !op->is_pure());
        IRGraphVisitor::visit(op);
    }
    void visit(const Halide::Internal::Variable *op) override { found_ = found_ || (calls_ && op->reduction_domain.defined()); }

    const bool calls_;
    bool found_ = false;
};

}  // namespace gowarp

#endif

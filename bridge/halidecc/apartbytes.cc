//go:build halide

#include "apartbytes.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

bool is_of_bits(const Call *op) { return op->is_intrinsic({Call::bitwise_and, Call::bitwise_or, Call::bitwise_xor}); }

// A value that nobody sees through.
Expr apart(const Expr &e) {
    if (e.type().is_vector() || e.type().bits() > 8) {
        return e;
    }
    const Expr word = Call::make(Int(32), "llvm.nvvm.prmt", {cast(Int(32), cast(UInt(32), e)), make_zero(Int(32)), IntImm::make(Int(32), 0x3210)}, Call::PureExtern);
    return e.type().is_bool() ? word != 0 : cast(e.type(), word);
}

// Whether a definition combines bytes or booleans by bits.
class Combines : public IRVisitor {
public:
    bool any = false;

private:
    using IRVisitor::visit;
    void visit(const And *op) override { logical(op); }
    void visit(const Or *op) override { logical(op); }
    void visit(const Call *op) override {
        any = any || (op->type.bits() <= 8 && is_of_bits(op));
        IRVisitor::visit(op);
    }
    // Comparisons are no bytes in memory: what is called is.
    template<typename T>
    void logical(const T *op) {
        for (const Expr &e : {op->a, op->b}) {
            const Call *call = e.template as<Call>();
            any = any || (call && (call->call_type == Call::Halide || call->call_type == Call::Image));
        }
        IRVisitor::visit(op);
    }
};

}  // namespace

bool combines_bytes(const Graph &g) {
    Combines combines;
    for (const FuncEntry &f : g.funcs) {
        f.original.accept(&combines);
    }
    return combines.any;
}

Stmt ApartBytes::visit(const For *op) {
    const ScopedValue<bool> within(within_, within_ || (is_gpu(op->for_type) && op->device_api == DeviceAPI::CUDA));
    return IRMutator::visit(op);
}

Expr ApartBytes::apart_within(const Expr &e) const { return within_ ? apart(e) : e; }

Expr ApartBytes::visit(const And *op) { return apart_within(IRMutator::visit(op)); }

Expr ApartBytes::visit(const Or *op) { return apart_within(IRMutator::visit(op)); }

Expr ApartBytes::visit(const Call *op) {
    const Expr e = IRMutator::visit(op);
    return is_of_bits(op) ? apart_within(e) : e;
}

}  // namespace gowarp

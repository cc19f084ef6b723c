//go:build halide

#include "somelaunch.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

Stmt SomeLaunch::visit(const For *op) {
    if (op->for_type != ForType::GPUBlock) {
        return IRMutator::visit(op);
    }
    bool of_these = false;
    for (const auto &stage : stages_) {
        of_these = of_these || starts_with(op->name, stage.first + ".");
    }
    Expr some;
    // The loops over blocks stand in each other, with nothing between them.
    for (const For *loop = op; of_these && loop && loop->for_type == ForType::GPUBlock; loop = loop->body.as<For>()) {
        if (!is_const(loop->extent)) {
            const Expr has = loop->extent > 0;
            some = some.defined() ? some && has : has;
        }
    }
    return some.defined() ? IfThenElse::make(some, op) : Stmt(op);
}

}  // namespace gowarp

//go:build halide

#include "somelaunch.h"
#include "gpuloop.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

Stmt SomeLaunch::visit(const For *op) {
    if (op->for_type != ForType::GPUBlock) {
        return IRMutator::visit(op);
    }
    const bool of_these = in_stages(op->name, stages_);
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

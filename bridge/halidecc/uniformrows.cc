//go:build halide

#include "uniformrows.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr int warp_lanes = 32;

// Whether rows of threads inside a loop over others are whole warps.
class WholeWarps : public IRVisitor {
public:
    bool any = false, all = true;

private:
    using IRVisitor::visit;
    void visit(const For *op) override {
        if (ends_with(op->name, ".thread_id_x")) {
            const auto extent = as_const_int(op->extent);
            any = true;
            all = all && extent && *extent % warp_lanes == 0;
        }
        IRVisitor::visit(op);
    }
};

bool over_rows(const For *op) {
    return is_gpu(op->for_type) && op->device_api == DeviceAPI::CUDA && (ends_with(op->name, ".thread_id_y") || ends_with(op->name, ".thread_id_z")) && !is_const_one(op->extent);
}

Expr of_first_lane(const Expr &e) {
    return Call::make(Int(32), "llvm.nvvm.shfl.sync.idx.i32", {Expr(-1), e, Expr(0), Expr(warp_lanes - 1)}, Call::PureExtern);
}

}  // namespace

Stmt UniformRows::visit(const For *op) {
    const bool of_these = std::any_of(funcs_.begin(), funcs_.end(), [&](const auto &f) { return starts_with(op->name, f.first + ".s"); });
    ScopedValue<bool> within(within_, within_ || (is_gpu(op->for_type) && of_these));
    const Stmt s = IRMutator::visit(op);
    if (!within_ || !over_rows(op)) {
        return s;
    }
    const For *loop = s.as<For>();
    WholeWarps rows;
    loop->body.accept(&rows);
    if (!rows.any || !rows.all) {
        return s;
    }
    // Before anything else, where all lanes of all warps still are together.
    const std::string name = unique_name("gowarp.row");
    const Stmt body = LetStmt::make(name, of_first_lane(Variable::make(Int(32), loop->name)), substitute(loop->name, Variable::make(Int(32), name), loop->body));
    return For::make(loop->name, loop->min, loop->extent, loop->for_type, loop->partition_policy, loop->device_api, body);
}

}  // namespace gowarp

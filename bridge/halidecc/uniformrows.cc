//go:build halide

#include "uniformrows.h"
#include "gpuloop.h"
#include "kernelof.h"
#include "place.h"
#include "shuffle.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// Whether rows of threads inside a loop over others are whole warps.
class WholeWarps : public IRVisitor {
public:
    bool any = false, all = true;

private:
    using IRVisitor::visit;
    void visit(const For *op) override {
        if (gpu_axis(op->name, "thread_id_") == 'x') {
            const auto extent = as_const_int(op->extent);
            any = true;
            all = all && extent && *extent % warp_lanes == 0;
        }
        IRVisitor::visit(op);
    }
};

bool over_rows(const For *op) {
    const char axis = gpu_axis(op->name, "thread_id_");
    return is_gpu(op->for_type) && op->device_api == DeviceAPI::CUDA && (axis == 'y' || axis == 'z') && !is_const_one(op->extent);
}

}  // namespace

Stmt UniformRows::visit(const For *op) {
    const ScopedValue<bool> within(within_, within_ || (is_gpu(op->for_type) && kernel_of(funcs_, op) != funcs_.end()));
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
    const Stmt body = LetStmt::make(name, shuffle("idx", Variable::make(Int(32), loop->name), 0, warp_lanes - 1), substitute(loop->name, Variable::make(Int(32), name), loop->body));
    return For::make(loop->name, loop->min, loop->extent, loop->for_type, loop->partition_policy, loop->device_api, body);
}

}  // namespace gowarp

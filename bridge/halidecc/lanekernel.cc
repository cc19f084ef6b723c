//go:build halide

#include "lanekernel.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

void LaneKernel::visit(const For *op) {
    if (op->for_type == ForType::GPULane) {
        if (lanes || !is_const(op->extent, warp_lanes)) {
            why = "its lanes are not one loop over " + std::to_string(warp_lanes);
        }
        lanes = op;
    } else if (op->for_type == ForType::GPUThread) {
        if (warps || lanes || !as_const_int(op->extent)) {
            why = "its warps are not one loop of constant extent";
        }
        warps = op;
    } else if (op->for_type == ForType::GPUBlock) {
        blocks.insert(op->name);
    } else if (!lanes) {
        why = "a loop goes around its lanes";
    }
    IRVisitor::visit(op);
}

void LaneKernel::visit(const IfThenElse *op) {
    under_condition = under_condition || (warps && !lanes);
    IRVisitor::visit(op);
}

void LaneKernel::visit(const Call *op) {
    if (op->is_intrinsic(Call::gpu_thread_barrier)) {
        why = "it has other barriers";
    }
    IRVisitor::visit(op);
}

void LaneKernel::visit(const Allocate *op) {
    if (op->memory_type == MemoryType::GPUShared) {
        why = "it has other shared memory";
    } else if (lanes) {
        held[op->name] = op;
    }
    IRVisitor::visit(op);
}

}  // namespace gowarp

//go:build halide

#include "demandorder.h"
#include "addresses.h"
#include "demand.h"
#include "gpuloop.h"
#include "interior.h"
#include "kernelof.h"
#include "lanekernel.h"
#include "sharing.h"
#include "shuffle.h"

#include <algorithm>
#include <cstdio>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The part of the operations that tiles inside may be left with for the code to be there twice.
constexpr double worth_twice = .98;

// A kernel with the lane's body anew.
class Rebuild : public IRMutator {
public:
    Rebuild(const LaneKernel &survey, int row) : survey_(survey), row_(row) {}

private:
    using IRMutator::visit;

    Stmt visit(const For *op) override {
        if (op->for_type != ForType::GPULane) {
            return IRMutator::visit(op);
        }
        Stmt body = twice(op->body);
        if (!body.defined()) {
            body = sorted(straight({}, op->body)).line.build(block());
        }
        for (const auto &h : survey_.held) {
            const Allocate *a = h.second;
            body = Allocate::make(a->name, a->type, a->memory_type, a->extents, a->condition, body, a->new_expr, a->free_function, a->padding);
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
    }

    // The loop over blocks whose index tells parts apart.
    std::string block() const {
        const auto x = std::find_if(survey_.blocks.begin(), survey_.blocks.end(), [](const std::string &name) { return gpu_axis(name, "block_id_") == 'x'; });
        return x != survey_.blocks.end() ? *x : "";
    }

    StraightLine straight(const Definitions &around, const Stmt &body) const {
        return straighten({}, survey_.held, survey_.lanes, survey_.warps, 0, around, body);
    }

    // The body for warps whose tile lies inside and once more for the others, if that saves enough. Each gets its own copy of what is defined around the
    // lanes: what both used the compiler would compute before them, and hold.
    Stmt twice(const Stmt &body) const {
        const StraightLine line = straight(around_, body);
        const Interior inside = interior(line, survey_);
        if (!inside.condition.defined()) {
            return Stmt();
        }
        const Sorted everywhere = sorted(line), within = sorted(inside.line);
        if (within.operations >= worth_twice * everywhere.operations) {
            return Stmt();
        }
        const bool of_block = !survey_.warps || !expr_uses_var(inside.condition, survey_.warps->name);
        return IfThenElse::make(of_block ? inside.condition : all_of_warp(body, inside.condition), within.line.build(block()), everywhere.line.build(block()));
    }

    struct Sorted {
        StraightLine line;
        int operations;
    };

    Sorted sorted(const StraightLine &line) const {
        const StraightLine shared = share_addresses(line, survey_.held);
        const auto as = [&](bool drop_guards) {
            const StraightLine s = in_demand_order(shared, survey_.held, row_, drop_guards);
            return Sorted{s, operations(s, survey_.held)};
        };
        const Sorted guarded = as(false), free = as(true);
        return free.operations < guarded.operations ? free : guarded;
    }

    Stmt visit(const LetStmt *op) override {
        around_.emplace_back(op->name, op->value);
        const Stmt s = IRMutator::visit(op);
        around_.pop_back();
        return s;
    }

    const LaneKernel &survey_;
    const int row_;
    Definitions around_;
};

}  // namespace

DemandOrder::DemandOrder(std::map<std::string, int> funcs) : funcs_(std::move(funcs)) {}

Stmt DemandOrder::visit(const For *op) {
    const auto row = kernel_of(funcs_, op);  // of how many stores its rows are
    if (!is_gpu(op->for_type) || row == funcs_.end()) {
        return IRMutator::visit(op);
    }
    const LaneKernel survey{Stmt(op)};
    try {
        if (!survey.lanes || !survey.why.empty()) {
            throw Unsuitable{survey.lanes ? survey.why : "it has no lanes"};
        }
        return Rebuild(survey, row->second).mutate(Stmt(op));
    } catch (const Unsuitable &u) {
        fprintf(stderr, "gowarp: the kernel of the loop %s keeps its order: %s\n", op->name.c_str(), u.why.c_str());
        return op;
    }
}

}  // namespace gowarp

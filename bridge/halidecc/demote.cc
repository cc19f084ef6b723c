//go:build halide

#include "demote.h"
#include "lanekernel.h"

#include <algorithm>
#include <cstdio>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// A condition on which warp it is, which Halide may test before its lanes run, tested in every lane: barriers, at which all warps of the
// block have to come by, are then not under it.
class TestInLanes : public IRMutator {
    using IRMutator::visit;

    // Whether a loop over lanes is all that a statement does.
    static bool only_lanes(const Stmt &s) {
        if (const LetStmt *l = s.as<LetStmt>()) {
            return only_lanes(l->body);
        }
        if (const ProducerConsumer *p = s.as<ProducerConsumer>()) {
            return only_lanes(p->body);
        }
        if (const IfThenElse *i = s.as<IfThenElse>()) {
            return !i->else_case.defined() && only_lanes(i->then_case);
        }
        const For *f = s.as<For>();
        return f && f->for_type == ForType::GPULane;
    }

    Stmt visit(const IfThenElse *op) override {
        if (!in_warps_ || !only_lanes(Stmt(op))) {
            return IRMutator::visit(op);
        }
        conditions_.push_back(op->condition);
        const Stmt s = mutate(op->then_case);
        conditions_.pop_back();
        return s;
    }

    Stmt visit(const For *op) override {
        if (op->for_type == ForType::GPULane) {
            Stmt body = op->body;
            for (auto c = conditions_.rbegin(); c != conditions_.rend(); c++) {
                body = IfThenElse::make(*c, body);
            }
            return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
        }
        const bool before = in_warps_;
        in_warps_ = in_warps_ || op->for_type == ForType::GPUThread;
        const Stmt s = IRMutator::visit(op);
        in_warps_ = before;
        return s;
    }

    bool in_warps_ = false;
    std::vector<Expr> conditions_;
};

// A kernel with the registers moved: the lane's body anew, the scratch around the threads.
class Rebuild : public IRMutator {
public:
    Rebuild(const Places &places, const LaneKernel &survey, int scratch_bytes)
        : places_(places), survey_(survey), bytes_(scratch_bytes) {}

private:
    using IRMutator::visit;

    bool whole(const std::string &name) const {
        const auto p = places_.find(name);
        return p != places_.end() && is_const(survey_.held.at(name)->extents[0], p->second.slots);
    }

    Stmt visit(const For *op) override {
        if (op->for_type == ForType::GPULane) {
            Stmt body = straighten(places_, survey_.held, survey_.lanes, survey_.warps, bytes_, {}, op->body).build();
            for (const auto &h : survey_.held) {
                const Allocate *a = h.second;
                if (!whole(a->name)) {
                    body = Allocate::make(a->name, a->type, a->memory_type, a->extents, a->condition, body, a->new_expr, a->free_function, a->padding);
                }
            }
            return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
        }
        const Stmt body = mutate(op->body);
        if (op->for_type != ForType::GPUBlock || placed_) {
            return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
        }
        placed_ = true;  // the innermost loop over blocks comes by first
        const int64_t warps = survey_.warps ? *as_const_int(survey_.warps->extent) : 1;
        const Stmt with = Allocate::make(scratch_name, UInt(8), MemoryType::GPUShared, {Expr((int)(bytes_ * warps))}, const_true(), Block::make(body, Free::make(scratch_name)));
        return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, with);
    }

    Stmt visit(const Free *op) override { return survey_.held.count(op->name) && whole(op->name) ? Evaluate::make(0) : Stmt(op); }

    const Places &places_;
    const LaneKernel &survey_;
    const int bytes_;
    bool placed_ = false;
};

// The Func and the component behind the name of an allocation: the Func's, then the component if it is a tuple, and a number that Halide
// puts behind all that lanes hold.
bool is_of(const std::string &allocation, const std::string &func, int &component) {
    if (!starts_with(allocation, func + ".")) {
        return false;
    }
    const std::string rest = allocation.substr(func.size() + 1);
    if (rest.empty() || rest.find_first_not_of("0123456789.") != std::string::npos) {
        return false;
    }
    const size_t dot = rest.find('.');
    component = dot == std::string::npos ? 0 : atoi(rest.c_str());
    return true;
}

// Where the components of the Funcs have their places.
Places placed(const Held &held, const std::vector<Demotion> &demotions, int &scratch_bytes) {
    Places places;
    for (const Demotion &d : demotions) {
        std::map<int, const Allocate *> components;
        for (const auto &h : held) {
            int c = 0;
            if (is_of(h.first, d.func, c) && !components.emplace(c, h.second).second) {
                throw Unsuitable{d.func + " is held twice"};
            }
        }
        int offset = d.offset;
        for (const auto &c : components) {
            const Allocate *a = c.second;
            const auto slots = a->extents.size() == 1 ? as_const_int(a->extents[0]) : std::nullopt;
            if (!slots || d.slots > *slots || a->type.lanes() != 1 || a->type.bits() < 8 || a->type.bits() > 32) {
                throw Unsuitable{"lanes do not hold " + std::to_string(d.slots) + " registers of " + d.func};
            }
            const Place p{d.slots, offset, a->type};
            places[a->name] = p;
            offset = p.end(d.slots - 1);
            scratch_bytes = std::max(scratch_bytes, offset);
        }
    }
    return places;
}

}  // namespace

Demote::Demote(std::vector<Demotion> demotions) : demotions_(std::move(demotions)) {}

Stmt Demote::visit(const For *op) {
    if (!is_gpu(op->for_type)) {
        return IRMutator::visit(op);
    }
    const Stmt kernel = TestInLanes().mutate(Stmt(op));
    const LaneKernel survey(kernel);
    try {
        int scratch_bytes = 0;
        const Places places = placed(survey.held, demotions_, scratch_bytes);
        if (places.empty()) {
            return op;
        }
        if (!survey.why.empty() || survey.under_condition) {
            throw Unsuitable{survey.why.empty() ? "a condition stands around its lanes" : survey.why};
        }
        return Rebuild(places, survey, scratch_bytes).mutate(kernel);
    } catch (const Unsuitable &u) {
        fprintf(stderr, "gowarp: the kernel of the loop %s stays in registers: %s\n", op->name.c_str(), u.why.c_str());
        return op;
    }
}

}  // namespace gowarp

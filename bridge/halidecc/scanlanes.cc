//go:build halide

#include "scanlanes.h"
#include "place.h"
#include "shuffle.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr int at_a_time = 4;       // groups of a warp's lanes whose loads are on their way at once
constexpr int steps[] = {1, 2, 4, 8, 16};

Expr var(const std::string &name, const Type &type = Int(32)) { return Variable::make(type, name); }

// A loop over a scan, run through by the lanes of a warp.
class Scan {
public:
    Scan(const For *loop, const std::string &func, Expr lane, const Surroundings::Definitions &around) : scan_(loop, func, around), lane_(std::move(lane)) {}

    Stmt lanes() const {
        const Expr &times = scan_.recurrence.times;
        ScanLoop::Sequence s;
        std::vector<Expr> powers;  // of times, by 1, 2, 4 ...
        Expr power;                // by as many as the lane has before it, and itself
        if (times.defined()) {
            powers.push_back(s.let("power", times));
            for (size_t i = 0; i < std::size(steps); i++) {
                powers.push_back(s.let("power", powers.back() * powers.back()));
            }
            power = make_one(scan_.type);
            for (size_t i = 0; i < powers.size(); i++) {
                power = s.let("power", select(((lane_ + 1) & (1 << i)) != 0, power * powers[i], power));
            }
        }
        return scan_.turns(s, at_a_time * warp_lanes, lane_ == 0, [&](const Expr &turn, const Expr &last, const std::string &carried) { return group(turn, last, powers, power, carried); });
    }

private:
    // What a turn does. Lanes behind the last iteration, where that is defined, load and store nothing: another stores what they would load.
    Stmt group(const Expr &turn, const Expr &last, const std::vector<Expr> &powers, const Expr &power, const std::string &carried) const {
        const Recurrence &r = scan_.recurrence;
        ScanLoop::Sequence s;
        const Expr first = s.let("at", scan_.loop->min + turn * (at_a_time * warp_lanes) + lane_);
        std::vector<Expr> at;
        for (int j = 0; j < at_a_time; j++) {
            at.push_back(first + j * warp_lanes);
        }
        std::vector<Expr> values = scan_.values(s, at, last);
        for (Expr &v : values) {
            for (size_t i = 0; i < std::size(steps); i++) {
                const Expr from = s.let("from", exchanged("up", v, steps[i], 0));
                v = s.let("value", select(lane_ >= steps[i], r.with(v, powers.empty() ? Expr() : powers[i], from), v));
            }
        }
        Expr before = s.let("before", Load::make(scan_.type, carried, 0, {}, {}, const_true(), {}));
        for (Expr &v : values) {
            v = s.let("value", r.with(v, power, before));
            before = s.let("before", exchanged("idx", v, warp_lanes - 1, warp_lanes - 1));
        }
        for (int j = 0; j < at_a_time; j++) {
            s.add(scan_.stored(at[j], values[j], last));
        }
        s.add(Store::make(carried, before, 0, {}, const_true(), {}));
        return s.build();
    }

    // A value of another lane: the one so many below, or this one.
    Expr exchanged(const std::string &how, const Expr &value, int by, int clamp) const {
        return cast(scan_.type, shuffle(how, cast(scan_.type.is_float() ? Float(32) : Int(32), value), by, clamp));
    }

    const ScanLoop scan_;
    const Expr lane_;
};

// A kernel whose threads are rows, with a warp for each.
class Kernel : public ScanKernel {
public:
    using ScanKernel::ScanKernel;

private:
    using ScanKernel::visit;

    Stmt visit(const For *op) override {
        if (op->for_type == ForType::GPUBlock && !lane_.defined()) {
            return IRMutator::visit(op);
        }
        if (op->for_type == ForType::Serial && lane_.defined()) {
            scans = true;
            return Scan(op, func_, lane_, around_).lanes();
        }
        const std::string rows = second(op, lane_.defined());
        lane_ = var(op->name);
        const Stmt body = mutate(substitute(op->name, var(rows), op->body));
        const Stmt lanes = For::make(op->name, 0, warp_lanes, op->for_type, op->partition_policy, op->device_api, body);
        return For::make(rows, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, lanes);
    }

    Expr lane_;
};

}  // namespace

std::unique_ptr<ScanKernel> ScanLanes::kernel(const std::string &func, int, const Surroundings::Definitions &around) { return std::make_unique<Kernel>(func, around); }

}  // namespace gowarp

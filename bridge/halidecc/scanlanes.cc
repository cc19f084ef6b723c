//go:build halide

#include "scanlanes.h"
#include "iterations.h"
#include "place.h"
#include "polynomial.h"
#include "shuffle.h"

#include <cstdio>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr int at_a_time = 4;       // groups of a warp's lanes whose loads are on their way at once
constexpr int steps[] = {1, 2, 4, 8, 16};

const std::string of_x = ".thread_id_x", of_y = ".thread_id_y";

Expr var(const std::string &name, const Type &type = Int(32)) { return Variable::make(type, name); }

// A scan's definition with what the iteration before it stored as a variable.
class Before : public IRGraphMutator {
public:
    Before(std::string buffer, Expr own, Expr before, std::string as) : buffer_(std::move(buffer)), own_(std::move(own)), before_(std::move(before)), as_(std::move(as)) {}

    Expr load;  // one of them; undefined if there is none

private:
    using IRGraphMutator::visit;
    Expr visit(const Load *op) override {
        if (op->name != buffer_) {
            return IRGraphMutator::visit(op);
        }
        if (!op->index.type().is_scalar() || !is_const_one(op->predicate)) {
            throw Unsuitable{"it loads several elements at once"};
        }
        if (same(op->index, own_)) {
            return op;
        }
        if (!same(op->index, before_)) {
            throw Unsuitable{"it reads what other iterations than the one before have stored"};
        }
        load = op;
        return var(as_, op->type);
    }

    const std::string buffer_;
    const Expr own_, before_;
    const std::string as_;
};

// A value as times * before + rest, or as the smaller or greater of before and rest.
struct Recurrence {
    enum { sum, least, greatest } kind = sum;
    bool before_first = true;  // of the two that the smaller or greater is of
    Expr times, rest;          // times is undefined for 1

    Recurrence(const Expr &value, std::string before) : before_(std::move(before)) {
        if (const Min *op = value.as<Min>()) {
            kind = least;
            either(op->a, op->b);
        } else if (const Max *op = value.as<Max>()) {
            kind = greatest;
            either(op->a, op->b);
        } else {
            const Part all = part(value);
            times = all.times;
            rest = all.rest.defined() ? all.rest : make_zero(value.type());
        }
        if (times.defined()) {
            Reads reads;
            times.accept(&reads);
            if (!value.type().is_float() || reads.any) {
                throw Unsuitable{"the iteration before is multiplied by what is not the same for all"};
            }
        }
    }

private:
    bool is(const Expr &e) const { return e.as<Variable>() && has(e); }
    bool has(const Expr &e) const { return expr_uses_var(e, before_); }

    void either(const Expr &a, const Expr &b) {
        if (!is(a) && !is(b)) {
            throw Unsuitable{"it is no minimum or maximum of the iteration before and another value"};
        }
        before_first = is(a);
        rest = before_first ? b : a;
        if (has(rest)) {
            throw Unsuitable{"it reads the iteration before twice"};
        }
    }

    // Undefined are a times of 1 and a rest of 0.
    struct Part {
        Expr times, rest;
    };

    Part part(const Expr &e) const {
        if (is(e)) {
            return {};
        }
        const auto of = [&](const Expr &with, const Expr &without) {
            if (has(without)) {
                throw Unsuitable{"it reads the iteration before twice"};
            }
            return part(with);
        };
        if (const Add *op = e.as<Add>()) {
            const bool first = has(op->a);
            const Expr &without = first ? op->b : op->a;
            Part p = of(first ? op->a : op->b, without);
            p.rest = p.rest.defined() ? p.rest + without : without;
            return p;
        }
        if (const Sub *op = e.as<Sub>()) {
            if (has(op->a)) {
                Part p = of(op->a, op->b);
                p.rest = p.rest.defined() ? p.rest - op->b : -op->b;
                return p;
            }
            const Part p = of(op->b, op->a);
            return {p.times.defined() ? -p.times : make_const(e.type(), -1), p.rest.defined() ? op->a - p.rest : op->a};
        }
        // Halide takes equal factors out of sums: .5f * before + .5f * own is (before + own) * .5f.
        if (const Mul *op = e.as<Mul>()) {
            const bool first = has(op->a);
            const Expr &without = first ? op->b : op->a;
            Part p = of(first ? op->a : op->b, without);
            p.times = p.times.defined() ? p.times * without : without;
            p.rest = p.rest.defined() ? p.rest * without : p.rest;
            return p;
        }
        throw Unsuitable{"it is no sum, minimum or maximum of the iteration before and other values"};
    }

    const std::string before_;
};

// Definitions and statements, one after the other.
class Sequence {
public:
    // Names a value.
    Expr let(const std::string &what, const Expr &value) {
        all_.push_back({unique_name("gowarp.scan." + what), value, {}});
        return var(all_.back().name, value.type());
    }

    void add(const Stmt &s) { all_.push_back({"", {}, s}); }

    Stmt build() const {
        Stmt s;
        for (auto p = all_.rbegin(); p != all_.rend(); p++) {
            if (!p->name.empty()) {
                s = LetStmt::make(p->name, p->value, s);
            } else {
                s = s.defined() ? Block::make(p->stmt, s) : p->stmt;
            }
        }
        return s;
    }

private:
    struct Part {
        std::string name;
        Expr value;
        Stmt stmt;
    };
    std::vector<Part> all_;
};

// A loop over a scan, run through by the lanes of a warp.
class Scan {
public:
    Scan(const For *loop, const std::string &func, Expr lane) : loop_(loop), lane_(std::move(lane)), recurrence_(read(func)), type_(store_->value.type()) {}

    Stmt lanes() const {
        Sequence s;
        const Expr last = s.let("last", loop_->min + loop_->extent - 1);
        std::vector<Expr> powers;  // of times, by 1, 2, 4 ...
        Expr power;                // by as many as the lane has before it, and itself
        if (recurrence_.times.defined()) {
            powers.push_back(s.let("power", recurrence_.times));
            for (size_t i = 0; i < std::size(steps); i++) {
                powers.push_back(s.let("power", powers.back() * powers.back()));
            }
            power = make_one(type_);
            for (size_t i = 0; i < powers.size(); i++) {
                power = s.let("power", select(((lane_ + 1) & (1 << i)) != 0, power * powers[i], power));
            }
        }
        const std::string carried = unique_name("gowarp.scan.carried");
        s.add(Store::make(carried, graph_substitute(loop_->name, loop_->min, before_), 0, {}, const_true(), {}));
        const std::string turn = unique_name("gowarp.scan.turn");
        const Expr whole = s.let("whole", loop_->extent / (at_a_time * warp_lanes));
        s.add(For::make(turn, 0, whole, ForType::Serial, loop_->partition_policy, loop_->device_api, group(var(turn), Expr(), powers, power, carried)));
        s.add(IfThenElse::make(whole * (at_a_time * warp_lanes) < loop_->extent, group(whole, last, powers, power, carried)));
        Stmt all = Allocate::make(carried, type_, MemoryType::Register, {Expr(1)}, const_true(), s.build());
        if (recurrence_.times.defined()) {
            all = IfThenElse::make(abs(recurrence_.times) <= make_one(type_), all, IfThenElse::make(lane_ == 0, Stmt(loop_)));
        }
        return IfThenElse::make(loop_->extent > 0, all);
    }

private:
    // What a turn does: all loads before any store, which the compiler would not move them over. Where last is defined lanes behind it load and store nothing: another
    // stores what they would load.
    Stmt group(const Expr &turn, const Expr &last, const std::vector<Expr> &powers, const Expr &power, const std::string &carried) const {
        Sequence s;
        const Expr first = s.let("at", loop_->min + turn * (at_a_time * warp_lanes) + lane_);
        std::vector<Expr> at, values;
        for (int j = 0; j < at_a_time; j++) {
            at.push_back(first + j * warp_lanes);
            const Expr own = common_subexpression_elimination(graph_substitute(loop_->name, at[j], recurrence_.rest));
            values.push_back(s.let("value", last.defined() ? Call::make(type_, Call::if_then_else, {at[j] <= last, own, make_zero(type_)}, Call::PureIntrinsic) : own));
        }
        for (Expr &v : values) {
            for (size_t i = 0; i < std::size(steps); i++) {
                const Expr from = s.let("from", exchanged("up", v, steps[i], 0));
                v = s.let("value", select(lane_ >= steps[i], with(v, powers.empty() ? Expr() : powers[i], from), v));
            }
        }
        Expr before = s.let("before", Load::make(type_, carried, 0, {}, {}, const_true(), {}));
        for (Expr &v : values) {
            v = s.let("value", with(v, power, before));
            before = s.let("before", exchanged("idx", v, warp_lanes - 1, warp_lanes - 1));
        }
        for (int j = 0; j < at_a_time; j++) {
            const Stmt one = Store::make(store_->name, values[j], substitute(loop_->name, at[j], index_), store_->param, const_true(), {});
            s.add(last.defined() ? IfThenElse::make(at[j] <= last, one) : one);
        }
        s.add(Store::make(carried, before, 0, {}, const_true(), {}));
        return s.build();
    }

    // A value with what is before it.
    Expr with(const Expr &value, const Expr &times, const Expr &before) const {
        switch (recurrence_.kind) {
        case Recurrence::least:
            return recurrence_.before_first ? min(before, value) : min(value, before);
        case Recurrence::greatest:
            return recurrence_.before_first ? max(before, value) : max(value, before);
        default:
            return value + (times.defined() ? times * before : before);
        }
    }

    // A value of another lane: the one so many below, or this one.
    Expr exchanged(const std::string &how, const Expr &value, int by, int clamp) const {
        return cast(type_, shuffle(how, cast(type_.is_float() ? Float(32) : Int(32), value), by, clamp));
    }

    Recurrence read(const std::string &func) {
        const Iterations all(loop_->body);
        if (!all.whole || all.stores.size() != 1 || !all.tests.empty() || all.stores[0]->name != func) {
            throw Unsuitable{"its loop does more than store one value"};
        }
        store_ = all.stores[0];
        index_ = all.index[0];
        const std::string as = unique_name("gowarp.scan.before");
        const Expr r = var(loop_->name);
        Before before(store_->name, index_, substitute(loop_->name, r - 1, index_), as);
        const Expr value = before.mutate(all.value[0]);
        before_ = before.load;
        if (!before_.defined()) {
            throw Unsuitable{"it does not read the iteration before"};
        }
        const Type t = store_->value.type();
        if (t.is_float() ? t != Float(32) : t.bits() > 32 || t.is_bool()) {
            throw Unsuitable{"lanes exchange no such values"};
        }
        const Recurrence recurrence(value, as);
        if (recurrence.times.defined() && expr_uses_var(recurrence.times, loop_->name)) {
            throw Unsuitable{"the iteration before is multiplied by what is not the same for all"};
        }
        return recurrence;
    }

    const For *const loop_;
    const Expr lane_;
    const Store *store_ = nullptr;
    Expr before_;
    Expr index_;
    const Recurrence recurrence_;
    const Type type_;
};

// A kernel whose threads are rows, with a warp for each.
class Kernel : public IRMutator {
public:
    explicit Kernel(std::string func) : func_(std::move(func)) {}

    bool scans = false;

private:
    using IRMutator::visit;

    Stmt visit(const For *op) override {
        if (op->for_type == ForType::GPUBlock && !lane_.defined()) {
            return IRMutator::visit(op);
        }
        if (op->for_type == ForType::Serial && lane_.defined()) {
            scans = true;
            return Scan(op, func_, lane_).lanes();
        }
        if (op->for_type != ForType::GPUThread || lane_.defined() || !ends_with(op->name, of_x)) {
            throw Unsuitable{"it has another loop, " + op->name};
        }
        const std::string rows = op->name.substr(0, op->name.size() - of_x.size()) + of_y;
        lane_ = var(op->name);
        const Stmt body = mutate(substitute(op->name, var(rows), op->body));
        const Stmt lanes = For::make(op->name, 0, warp_lanes, op->for_type, op->partition_policy, op->device_api, body);
        return For::make(rows, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, lanes);
    }

    // What all lanes would do, or not wait for.
    Stmt visit(const Store *op) override { throw Unsuitable{"it stores outside of its loop"}; }
    Stmt visit(const Block *op) override { throw Unsuitable{"it does one thing after the other"}; }
    Stmt visit(const Allocate *op) override { throw Unsuitable{"it allocates " + op->name}; }

    const std::string func_;
    Expr lane_;
};

}  // namespace

Stmt ScanLanes::visit(const For *op) {
    if (op->for_type != ForType::GPUBlock) {
        return IRMutator::visit(op);
    }
    for (const auto &[stage, _] : stages_) {
        if (!starts_with(op->name, stage + ".")) {
            continue;
        }
        try {
            Kernel kernel(stage.substr(0, stage.rfind(".s")));
            const Stmt s = kernel.mutate(Stmt(op));
            if (!kernel.scans) {
                throw Unsuitable{"it has no loop in order"};
            }
            return s;
        } catch (const Unsuitable &u) {
            fprintf(stderr, "gowarp: the kernel of the loop %s runs in order: %s\n", op->name.c_str(), u.why.c_str());
            return op;
        }
    }
    return op;
}

}  // namespace gowarp

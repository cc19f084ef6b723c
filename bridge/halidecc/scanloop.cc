//go:build halide

#include "scanloop.h"
#include "iterations.h"
#include "place.h"
#include "shuffle.h"

#include <cstdio>
#include <utility>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// A scan's definition with what the iteration before it stored as a variable.
class Before : public IRGraphMutator {
public:
    Before(std::string buffer, Expr own, Expr before, std::string as, const Surroundings::Definitions &around)
        : buffer_(std::move(buffer)), own_(std::move(own)), before_(std::move(before)), as_(std::move(as)), around_({}, {}, around, false) {}

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
        return Variable::make(op->type, as_);
    }

    // Whether two places are the same, whatever names the kernel has for what is around it.
    bool same(const Expr &a, const Expr &b) {
        const Polynomial distance = apart(a, b);
        return distance.terms().empty() || around_.written_out(distance).terms().empty();
    }

    const std::string buffer_;
    const Expr own_, before_;
    const std::string as_;
    Surroundings around_;
};

// What a recurrence is read from: a value with the iteration before as a variable.
class Reader {
public:
    explicit Reader(const std::string &before) : before_(before) {}

    bool is(const Expr &e) const { return e.as<Variable>() && has(e); }
    bool has(const Expr &e) const { return expr_uses_var(e, before_); }

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

private:
    const std::string &before_;
};

}  // namespace

Recurrence::Recurrence(const Expr &value, const std::string &before) {
    const Reader reader(before);
    const auto either = [&](const Expr &a, const Expr &b) {
        if (!reader.is(a) && !reader.is(b)) {
            throw Unsuitable{"it is no minimum or maximum of the iteration before and another value"};
        }
        before_first = reader.is(a);
        rest = before_first ? b : a;
        if (reader.has(rest)) {
            throw Unsuitable{"it reads the iteration before twice"};
        }
    };
    if (const Min *op = value.as<Min>()) {
        kind = least;
        either(op->a, op->b);
    } else if (const Max *op = value.as<Max>()) {
        kind = greatest;
        either(op->a, op->b);
    } else {
        const Reader::Part all = reader.part(value);
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

Expr Recurrence::with(const Expr &value, const Expr &times, const Expr &before) const {
    switch (kind) {
    case least:
        return before_first ? min(before, value) : min(value, before);
    case greatest:
        return before_first ? max(before, value) : max(value, before);
    default:
        return value + (times.defined() ? times * before : before);
    }
}

Recurrence ScanLoop::read(const std::string &func, const Surroundings::Definitions &around) {
    const Iterations all(loop->body);
    if (!all.whole || all.stores.size() != 1 || !all.tests.empty() || all.stores[0]->name != func) {
        throw Unsuitable{"its loop does more than store one value"};
    }
    store = all.stores[0];
    index = all.index[0];
    const std::string as = unique_name("gowarp.scan.before");
    const Expr r = Variable::make(Int(32), loop->name);
    Before reader(store->name, index, substitute(loop->name, r - 1, index), as, around);
    const Expr value = reader.mutate(all.value[0]);
    before = reader.load;
    if (!before.defined()) {
        throw Unsuitable{"it does not read the iteration before"};
    }
    const Type t = store->value.type();
    if (t.is_float() ? t != Float(32) : t.bits() > 32 || t.is_bool()) {
        throw Unsuitable{"lanes exchange no such values"};
    }
    const Recurrence recurrence(value, as);
    if (recurrence.times.defined() && expr_uses_var(recurrence.times, loop->name)) {
        throw Unsuitable{"the iteration before is multiplied by what is not the same for all"};
    }
    return recurrence;
}

std::vector<Expr> ScanLoop::values(Sequence &s, const std::vector<Expr> &at, const Expr &last) const {
    std::vector<Expr> out;
    for (const Expr &a : at) {
        const Expr own = common_subexpression_elimination(graph_substitute(loop->name, a, recurrence.rest));
        out.push_back(s.let("value", last.defined() ? Call::make(type, Call::if_then_else, {a <= last, own, make_zero(type)}, Call::PureIntrinsic) : own));
    }
    return out;
}

Stmt ScanLoop::stored(const Expr &at, const Expr &value, const Expr &last) const {
    const Stmt one = Store::make(store->name, value, substitute(loop->name, at, index), store->param, const_true(), {});
    return last.defined() ? IfThenElse::make(at <= last, one) : one;
}

Stmt ScanLoop::turns(Sequence s, int iterations, const Expr &alone, const Turn &turn) const {
    const Expr last = s.let("last", loop->min + loop->extent - 1);
    const std::string carried = unique_name("gowarp.scan.carried"), number = unique_name("gowarp.scan.turn");
    s.add(Store::make(carried, graph_substitute(loop->name, loop->min, before), 0, {}, const_true(), {}));
    const Expr whole = s.let("whole", loop->extent / iterations);
    s.add(For::make(number, 0, whole, ForType::Serial, loop->partition_policy, loop->device_api, turn(Variable::make(Int(32), number), Expr(), carried)));
    s.add(IfThenElse::make(whole * iterations < loop->extent, turn(whole, last, carried)));
    Stmt all = Allocate::make(carried, type, MemoryType::Register, {Expr(1)}, const_true(), s.build());
    if (recurrence.times.defined()) {
        all = IfThenElse::make(abs(recurrence.times) <= make_one(type), all, IfThenElse::make(alone, Stmt(loop)));
    }
    return IfThenElse::make(loop->extent > 0, all);
}

Expr ScanLoop::Sequence::let(const std::string &what, const Expr &value) {
    all_.push_back({unique_name("gowarp.scan." + what), value, {}});
    return Variable::make(value.type(), all_.back().name);
}

void ScanLoop::Sequence::add(const Stmt &s) { all_.push_back({"", {}, s}); }

Stmt ScanLoop::Sequence::build() const {
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

Stmt ScanKernel::visit(const LetStmt *op) {
    around_[op->name] = op->value;
    return LetStmt::make(op->name, op->value, mutate(op->body));
}

Stmt ScanKernel::visit(const Store *op) { throw Unsuitable{"it stores outside of its loop"}; }
Stmt ScanKernel::visit(const Block *op) { throw Unsuitable{"it does one thing after the other"}; }
Stmt ScanKernel::visit(const Allocate *op) { throw Unsuitable{"it allocates " + op->name}; }

std::string ScanKernel::second(const For *op, bool within) {
    static const std::string of_x = ".thread_id_x", of_y = ".thread_id_y";
    if (op->for_type != ForType::GPUThread || within || !ends_with(op->name, of_x)) {
        throw Unsuitable{"it has another loop, " + op->name};
    }
    return op->name.substr(0, op->name.size() - of_x.size()) + of_y;
}

Stmt ScanPass::visit(const LetStmt *op) {
    const Expr outer = std::exchange(around_[op->name], op->value);
    const Stmt body = mutate(op->body);
    if (outer.defined()) {
        around_[op->name] = outer;
    } else {
        around_.erase(op->name);
    }
    return body.same_as(op->body) ? Stmt(op) : LetStmt::make(op->name, op->value, body);
}

Stmt ScanPass::visit(const For *op) {
    if (op->for_type != ForType::GPUBlock) {
        return IRMutator::visit(op);
    }
    for (const auto &[stage, n] : stages_) {
        if (!starts_with(op->name, stage + ".")) {
            continue;
        }
        try {
            const auto k = kernel(stage.substr(0, stage.rfind(".s")), n, around_);
            const Stmt s = k->mutate(Stmt(op));
            if (!k->scans) {
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

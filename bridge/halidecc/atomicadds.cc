//go:build halide

#include "atomicadds.h"
#include "gpuloop.h"

#include <algorithm>
#include <set>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

struct Named {
    std::string name;
    Expr value;
};

// Takes the lets from around an expression or a statement.
template<typename LetOrStmt, typename Body>
Body without_lets(Body body, std::vector<Named> &lets) {
    for (const LetOrStmt *l = body.template as<LetOrStmt>(); l; l = body.template as<LetOrStmt>()) {
        lets.push_back({l->name, l->value});
        body = l->body;
    }
    return body;
}

// The terms of a sum, each with whether it is subtracted. Lets in it are as those around it.
void terms(const Expr &e, bool minus, std::vector<std::pair<Expr, bool>> &out, std::vector<Named> &lets) {
    const Expr plain = without_lets<Let>(e, lets);
    if (const Add *op = plain.as<Add>()) {
        terms(op->a, minus, out, lets);
        terms(op->b, minus, out, lets);
    } else if (const Sub *op = plain.as<Sub>()) {
        terms(op->a, minus, out, lets);
        terms(op->b, !minus, out, lets);
    } else {
        out.emplace_back(plain, minus);
    }
}

// Whether two places are one.
bool same(const Expr &a, const Expr &b, const Lets &lets) { return equal(a, b) || is_const_zero(simplify(expand(a - b, lets))); }

// An atomic store as an addition, with the lets that are around it; undefined where it is of another form.
Stmt addition(const Atomic *op, const Lets &around) {
    std::vector<Named> lets;
    const Stmt body = without_lets<LetStmt>(op->body, lets);
    const Store *store = body.as<Store>();
    if (!store || !store->index.type().is_scalar() || !is_const_one(store->predicate)) {
        return Stmt();
    }
    const Expr place = without_lets<Let>(store->index, lets);
    std::vector<std::pair<Expr, bool>> all;
    terms(store->value, false, all, lets);
    const auto is_old = [&](const std::pair<Expr, bool> &t) {
        const Load *l = t.first.as<Load>();
        return l && l->name == store->name && !t.second;
    };
    const auto old = std::find_if(all.begin(), all.end(), is_old);
    const auto loads_it = [&](const Expr &e) { return expr_uses_var(e, store->name); };
    std::set<std::string> names;
    for (const Named &l : lets) {
        if (!names.insert(l.name).second) {
            return Stmt();  // of two lets each has its own scope
        }
    }
    if (old == all.end() || std::any_of(lets.begin(), lets.end(), [&](const Named &l) { return loads_it(l.value); })) {
        return Stmt();
    }
    Lets known = around;
    for (const Named &l : lets) {
        known[l.name] = l.value;
    }
    if (!same(old->first.as<Load>()->index, place, known)) {
        return Stmt();
    }
    all.erase(old);
    Expr added;
    for (const auto &[e, minus] : all) {
        if (loads_it(e)) {
            return Stmt();
        }
        added = !added.defined() ? (minus ? make_zero(e.type()) - e : e) : minus ? added - e : added + e;
    }
    if (!added.defined() || loads_it(place)) {
        return Stmt();
    }
    // Nothing is added where the condition of the domain, which has become part of the value, rules it out.
    Expr condition, made = added;
    for (const Variable *v = made.as<Variable>(); v && known.count(v->name); v = made.as<Variable>()) {
        made = known[v->name];
    }
    if (const Select *choice = made.as<Select>(); choice && is_const_zero(choice->false_value)) {
        condition = choice->condition;
        added = choice->true_value;
    } else if (const Cast *one = made.as<Cast>(); one && one->value.type().is_bool()) {
        condition = one->value;
        added = make_one(one->type);
    }
    const std::string at = unique_name(store->name + ".place"), more = unique_name(store->name + ".added");
    const Expr to = Variable::make(place.type(), at), by = Variable::make(added.type(), more);
    const Expr was = Load::make(store->value.type(), store->name, to, Buffer<>(), store->param, store->predicate, store->alignment);
    Stmt s = Store::make(store->name, was + by, to, store->param, store->predicate, store->alignment);
    s = LetStmt::make(at, place, LetStmt::make(more, added, Atomic::make(op->producer_name, op->mutex_name, s)));
    s = condition.defined() ? IfThenElse::make(condition, s) : s;
    for (auto l = lets.rbegin(); l != lets.rend(); l++) {
        s = LetStmt::make(l->name, l->value, s);
    }
    return s;
}

}  // namespace

Stmt AtomicAdditions::visit(const For *op) {
    const bool within = within_;
    within_ = within || in_stages(op->name, stages_);
    const Stmt s = IRMutator::visit(op);
    within_ = within;
    return s;
}

Stmt AtomicAdditions::visit(const LetStmt *op) {
    if (within_) {
        lets_[op->name] = op->value;
    }
    return IRMutator::visit(op);
}

Stmt AtomicAdditions::visit(const Atomic *op) {
    if (!within_ || !op->mutex_name.empty()) {
        return IRMutator::visit(op);
    }
    const Stmt s = addition(op, lets_);
    return s.defined() ? s : Stmt(op);
}

}  // namespace gowarp

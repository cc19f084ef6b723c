//go:build halide

#include "loadsfirst.h"
#include "iterations.h"
#include "polynomial.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr size_t most_loads = 32;  // that are under way at once, each in a register

// Names the loads of an iteration that may come first.
class Named : public IRMutator {
public:
    Named(std::string buffer, Expr own, bool apart, std::vector<std::pair<std::string, Expr>> &loads) : buffer_(std::move(buffer)), own_(std::move(own)), apart_(apart), loads_(loads) {}

private:
    using IRMutator::visit;

    Expr visit(const Load *op) override {
        if (!op->type.is_scalar() || !is_const_one(op->predicate) || !may(op)) {
            return IRMutator::visit(op);
        }
        const Expr e = op;
        auto at = std::find_if(loads_.begin(), loads_.end(), [&](const auto &l) { return equal(l.second, e); });
        if (at == loads_.end()) {
            if (loads_.size() >= most_loads) {
                return e;
            }
            at = loads_.insert(loads_.end(), {unique_name("gowarp.first"), e});
        }
        return Variable::make(op->type, at->first);
    }

    // What is evaluated only where a condition holds may be nowhere.
    Expr visit(const Call *op) override { return op->is_intrinsic(Call::if_then_else) ? Expr(op) : IRMutator::visit(op); }

    // Whether nothing that it loads, and nothing that says where, is stored by an iteration before.
    bool may(const Load *op) {
        bool ok = apart_ || op->name != buffer_ || same(op->index, own_);
        const std::vector<const Load *> where = loads_of(op->index);
        return ok && std::all_of(where.begin(), where.end(), [&](const Load *l) { return l->name != buffer_; });
    }

    const std::string buffer_;
    const Expr own_;
    const bool apart_;
    std::vector<std::pair<std::string, Expr>> &loads_;
};

// The body of a loop of a Func's with its loads first; undefined where it has not the form, or nothing is gained.
Stmt loads_first(const std::string &func, bool apart, const Stmt &body) {
    const Iterations all(body);
    const size_t n = all.stores.size();
    // Tests are made before all stores.
    if (!all.whole || n < 2 || std::any_of(all.tests.begin(), all.tests.end(), [](const Expr &t) { return !loads_of(t).empty(); })) {
        return {};
    }
    for (size_t k = 0; k < n; k++) {
        if (all.stores[k]->name != func || std::any_of(all.index.begin(), all.index.begin() + k, [&](const Expr &before) { return same(before, all.index[k]); })) {
            return {};
        }
    }
    std::vector<std::pair<std::string, Expr>> loads;
    std::vector<Expr> values;
    size_t of_first = 0;  // iteration's
    for (size_t k = 0; k < n; k++) {
        values.push_back(Named(func, all.index[k], apart, loads).mutate(all.value[k]));
        of_first = k == 0 ? loads.size() : of_first;
    }
    if (loads.size() == of_first) {
        return {};
    }
    Stmt s;
    for (size_t k = n; k-- > 0;) {
        const Stmt one = Store::make(func, values[k], all.index[k], all.stores[k]->param, const_true(), all.stores[k]->alignment);
        s = s.defined() ? Block::make(one, s) : one;
    }
    for (auto l = loads.rbegin(); l != loads.rend(); l++) {
        s = LetStmt::make(l->first, l->second, s);
    }
    Expr hold;
    for (const Expr &t : all.tests) {
        hold = hold.defined() ? hold && t : t;
    }
    return hold.defined() ? IfThenElse::make(hold, s, body) : s;
}

}  // namespace

Stmt LoadsFirst::visit(const For *op) {
    ScopedValue<bool> kernel(in_kernel_, in_kernel_ || op->for_type == ForType::GPUBlock);
    for (const auto &[stage, number] : stages_) {
        if (!in_kernel_ || op->for_type != ForType::Serial || !starts_with(op->name, stage + ".")) {
            continue;
        }
        if (const Stmt body = loads_first(stage.substr(0, stage.rfind(".s")), number == 2, op->body); body.defined()) {
            return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
        }
    }
    return IRMutator::visit(op);
}

}  // namespace gowarp

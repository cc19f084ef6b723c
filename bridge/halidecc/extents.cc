//go:build halide

#include "extents.h"
#include "linear.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The most nodes of a condition with all definitions in their place.
constexpr int most_nodes = 4000;

bool holds(const Expr &e) {
    if (const And *a = e.as<And>()) {
        return holds(a->a) && holds(a->b);
    }
    if (is_const_one(e)) {
        return true;
    }
    const std::optional<Linear> l = at_least_0(e);
    if (!l) {
        return false;
    }
    Linear less;
    less.constant = -l->constant;
    for (const auto &[term, times] : l->terms) {
        less.add(term, -times);
    }
    const std::optional<int64_t> most = greatest(less);
    return most && *most <= 0;
}

}  // namespace

std::string given_extent(const AssertStmt *op) {
    Expr message = op->message;
    while (const Let *let = message.as<Let>()) {
        message = let->body;
    }
    const Call *error = message.as<Call>();
    const StringImm *func = error && error->name == "halide_error_explicit_bounds_too_small" && error->args.size() > 1 ? error->args[1].as<StringImm>() : nullptr;
    return func ? func->value : "";
}

// Puts definitions in the place of their names.
class Extents::Resolve : public IRMutator {
public:
    explicit Resolve(const Scope<Definition> &definitions) : definitions_(definitions) {}

    int nodes = 0;
    bool done() const { return nodes <= most_nodes; }

    using IRMutator::mutate;
    Expr mutate(const Expr &e) override {
        nodes++;
        return done() ? IRMutator::mutate(e) : e;
    }

private:
    using IRMutator::visit;
    Expr visit(const Variable *op) override {
        const Definition *d = definitions_.find(op->name);
        if (!d || !d->value.defined()) {
            return op;
        }
        nodes += d->nodes;
        return d->value;
    }

    const Scope<Definition> &definitions_;
};

template<typename T>
Stmt Extents::within(const T *op, const Definition &d) {
    const bool hidden = hidden_;
    hidden_ = hidden_ || definitions_.contains(op->name);
    ScopedBinding<Definition> bind(definitions_, op->name, d);
    const Stmt s = IRMutator::visit(op);
    hidden_ = hidden;
    return s;
}

Stmt Extents::visit(const LetStmt *op) {
    Definition d;
    if (op->value.type() == Int(32) || op->value.type().is_bool()) {
        Resolve resolve(definitions_);
        const Expr value = resolve.mutate(substitute_in_all_lets(op->value));
        if (resolve.done()) {
            d = {value, resolve.nodes};
        }
    }
    return within(op, d);
}

Stmt Extents::visit(const For *op) { return within(op, {}); }

Stmt Extents::visit(const AssertStmt *op) {
    if (hidden_ || !funcs_.count(given_extent(op))) {
        return op;
    }
    Resolve resolve(definitions_);
    const Expr condition = resolve.mutate(substitute_in_all_lets(op->condition));
    return resolve.done() && holds(condition) ? Evaluate::make(0) : op;
}

}  // namespace gowarp

//go:build halide

#include "extents.h"
#include "linear.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The most nodes of a condition with all definitions in their place.
constexpr int most_nodes = 4000;

// Adds to a sum that is to be at most 0 what is known to be at least 0, times what makes a term of both vanish.
bool cancel(Linear &sum, const Linear &fact) {
    for (const auto &[term, times] : fact.terms) {
        const auto of = sum.terms.find(term);
        if (of == sum.terms.end() || (of->second > 0) == (times > 0) || of->second % times != 0) {
            continue;
        }
        const int64_t n = -(of->second / times);
        Linear with = sum;
        with.constant += n * fact.constant;
        for (const auto &[t, k] : fact.terms) {
            if ((with.terms[t] += n * k) == 0) {
                with.terms.erase(t);
            }
        }
        if (with.terms.size() < sum.terms.size()) {
            sum = with;
            return true;
        }
    }
    return false;
}

bool holds(const Expr &e, const std::vector<Expr> &facts) {
    if (const And *a = e.as<And>()) {
        return holds(a->a, facts) && holds(a->b, facts);
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
    const auto never_more_than_0 = [&] {
        const std::optional<int64_t> most = greatest(less);
        return most && *most <= 0;
    };
    if (never_more_than_0()) {
        return true;
    }
    for (const Expr &fact : facts) {
        const std::optional<Linear> f = at_least_0(fact);
        if (f && cancel(less, *f) && never_more_than_0()) {
            return true;
        }
    }
    return false;
}

class Loads : public IRGraphVisitor {
public:
    bool any = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Load *) override { any = true; }
};

// Takes a condition apart into what holds where it does, whatever is stored there.
void conjuncts(const Expr &e, std::vector<Expr> &all) {
    if (const And *a = e.as<And>()) {
        conjuncts(a->a, all);
        conjuncts(a->b, all);
    } else if (const Call *likely = Call::as_intrinsic(e, {Call::likely, Call::likely_if_innermost})) {
        conjuncts(likely->args[0], all);
    } else {
        Loads loads;
        e.accept(&loads);
        if (!loads.any) {
            all.push_back(e);
        }
    }
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

Stmt Extents::visit(const IfThenElse *op) {
    const size_t before = facts_.size();
    Resolve resolve(definitions_);
    const Expr condition = resolve.mutate(substitute_in_all_lets(op->condition));
    if (resolve.done() && !hidden_) {
        conjuncts(condition, facts_);
    }
    const Stmt then_case = mutate(op->then_case);
    facts_.resize(before);
    const Stmt else_case = op->else_case.defined() ? mutate(op->else_case) : Stmt();
    return IfThenElse::make(op->condition, then_case, else_case);
}

Stmt Extents::visit(const AssertStmt *op) {
    if (hidden_ || !funcs_.count(given_extent(op))) {
        return op;
    }
    Resolve resolve(definitions_);
    const Expr condition = resolve.mutate(substitute_in_all_lets(op->condition));
    return resolve.done() && holds(condition, facts_) ? Evaluate::make(0) : op;
}

}  // namespace gowarp

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
        const std::optional<int64_t> most = greatest(less, 0);
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

// The name that an assertion's error has as an argument; empty for assertions of other errors.
std::string named_in(const AssertStmt *op, const std::string &error, size_t argument) {
    Expr message = op->message;
    while (const Let *let = message.as<Let>()) {
        message = let->body;
    }
    const Call *call = message.as<Call>();
    const StringImm *name = call && call->name == error && call->args.size() > argument ? call->args[argument].as<StringImm>() : nullptr;
    return name ? name->value : "";
}

}  // namespace

std::string given_extent(const AssertStmt *op) {
    return named_in(op, "halide_error_explicit_bounds_too_small", 1);
}

std::string bounded_storage(const AssertStmt *op) {
    const std::string realization = named_in(op, "halide_error_storage_bound_too_small", 0);
    return realization.substr(0, realization.find('.'));  // of a Tuple each value has its own, with its number behind
}

// Puts definitions in the place of their names.
class Extents::Resolve : public IRMutator {
public:
    Resolve(const Scope<Definition> &definitions, Far far) : definitions_(definitions), far_(far) {}

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
        if (!d || !(*d)[far_].value.defined()) {
            return op;
        }
        nodes += (*d)[far_].nodes;
        return (*d)[far_].value;
    }

    const Scope<Definition> &definitions_;
    const Far far_;
};

Extents::Value Extents::resolved(const Expr &e, Far far) const {
    Resolve resolve(definitions_, far);
    const Expr value = resolve.mutate(substitute_in_all_lets(e));
    return resolve.done() ? Value{value, resolve.nodes} : Value{};
}

template<typename T>
Stmt Extents::within(const T *op, const Definition &d) {
    const bool hidden = hidden_;
    hidden_ = hidden_ || definitions_.contains(op->name);
    ScopedBinding<Definition> bind(definitions_, op->name, d);
    const Stmt s = IRMutator::visit(op);
    hidden_ = hidden;
    return s;
}

bool Extents::checked(const AssertStmt *op) const {
    return funcs_.count(given_extent(op)) || funcs_.count(bounded_storage(op));
}

Stmt Extents::mutate(const Stmt &s) {
    if (!looked_) {
        looked_ = true;
        class Any : public IRVisitor {
        public:
            explicit Any(const Extents &pass) : pass_(pass) {}
            bool found = false;

        private:
            using IRVisitor::visit;
            void visit(const AssertStmt *op) override { found = found || pass_.checked(op); }
            const Extents &pass_;
        } any(*this);
        s.accept(&any);
        if (!any.found) {
            return s;
        }
    }
    return IRMutator::mutate(s);
}

Stmt Extents::visit(const LetStmt *op) {
    Definition d;
    if (op->value.type() == Int(32) || op->value.type().is_bool()) {
        d[to_end] = resolved(op->value, to_end);
        if (in_kernel_ || !(op->value.as<Min>() || op->value.as<Max>())) {
            d[to_minima] = resolved(op->value, to_minima);
        }
    }
    return within(op, d);
}

Stmt Extents::visit(const For *op) {
    const ScopedValue<bool> inside(in_kernel_, in_kernel_ || is_gpu(op->for_type));
    return within(op, {});
}

Stmt Extents::visit(const IfThenElse *op) {
    std::array<size_t, ways> before{};
    for (const Far far : {to_minima, to_end}) {
        before[far] = facts_[far].size();
        if (const Value condition = resolved(op->condition, far); condition.value.defined() && !hidden_) {
            conjuncts(condition.value, facts_[far]);
        }
    }
    const Stmt then_case = mutate(op->then_case);
    for (const Far far : {to_minima, to_end}) {
        facts_[far].resize(before[far]);
    }
    const Stmt else_case = op->else_case.defined() ? mutate(op->else_case) : Stmt();
    return IfThenElse::make(op->condition, then_case, else_case);
}

Stmt Extents::visit(const AssertStmt *op) {
    if (hidden_ || !checked(op)) {
        return op;
    }
    for (const Far far : {to_minima, to_end}) {
        if (const Value condition = resolved(op->condition, far); condition.value.defined() && holds(condition.value, facts_[far])) {
            return Evaluate::make(0);
        }
    }
    return op;
}

}  // namespace gowarp

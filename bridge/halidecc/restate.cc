//go:build halide

#include "restate.h"
#include "anypart.h"

#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

bool is_self(const Expr &e, const Function &f, const Definition &def, int out) {
    const Call *c = e.as<Call>();
    if (!c || c->call_type != Call::Halide || c->name != f.name() || c->value_index != out) {
        return false;
    }
    for (size_t k = 0; k < c->args.size(); k++) {
        const Expr &read = c->args[k], &stored = def.args()[k];
        // Halide gives names to what is in an index twice, others on either side.
        if (!graph_equal(read, stored) && !graph_equal(substitute_in_all_lets(read), substitute_in_all_lets(stored))) {
            return false;
        }
    }
    return true;
}

bool reads(const Expr &e, const std::string &func, std::map<const BaseExprNode *, bool> &known) {
    const auto at = known.find(e.get());
    if (at != known.end()) {
        return at->second;
    }
    const Call *c = e.as<Call>();
    bool found = c && c->call_type == Call::Halide && c->name == func;
    std::vector<Expr> all;
    operands(e.get(), func, all);
    for (const Expr &o : all) {
        found = reads(o, func, known) || found;
    }
    return known[e.get()] = found;
}

bool reduces(const Definition &def) {
    return !def.schedule().rvars().empty() && def.specializations().empty() && is_small(def);
}

bool loads_anything(const Expr &e) {
    return any_part(e, [](const Expr &x) { return as_load(x) != nullptr; });
}

bool has_promise(const Expr &value) {
    return any_part(value, [](const Expr &x) {
        const Call *c = x.as<Call>();
        return c && c->is_intrinsic(Call::unsafe_promise_clamped);
    });
}

bool reads_in_conditions(const Function &f, const Definition &def) {
    std::map<const BaseExprNode *, bool> known;
    return has_predicate(def) && reads(def.predicate(), f.name(), known);
}

Conditions conditions(const Definition &def) {
    Conditions found;
    for (const Expr &c : has_predicate(def) ? def.split_predicate() : std::vector<Expr>()) {
        Expr &all = loads_anything(c) ? found.loading : found.others;
        all = all.defined() ? all && c : c;
    }
    return found;
}

namespace {

using Op = Operation::Op;

// An expression as an operator on the old value and another; other is undefined where the old value is alone.
struct Part {
    Op op = Op::keep;
    Expr other;
    bool negated = false;  // of sums, inside them: the old value is subtracted
};

// Finds the old value in one of an update's values, and what is done to it. Only what holds for all values of the types does it
// use: sums of integers wrap, those of floats are taken for associative as everywhere in trees.
class Finder {
public:
    Finder(const Function &f, const Definition &def, int out) : f_(f), def_(def), out_(out) {}

    std::optional<Part> part(const Expr &e) {
        const auto known = parts_.find(e.get());
        if (known != parts_.end()) {
            return known->second;
        }
        return parts_[e.get()] = find(e);
    }

private:
    bool reads(const Expr &e) { return gowarp::reads(e, f_.name(), reads_); }

    std::optional<Part> find(const Expr &e) {
        if (is_self(e, f_, def_, out_)) {
            return Part{};
        }
        if (!reads(e)) {
            return {};
        }
        if (const Add *x = e.as<Add>()) {
            return chain(Op::add, x->a, x->b);
        } else if (const Mul *x = e.as<Mul>()) {
            return chain(Op::mul, x->a, x->b);
        } else if (const Min *x = e.as<Min>()) {
            return chain(Op::min, x->a, x->b);
        } else if (const Max *x = e.as<Max>()) {
            return chain(Op::max, x->a, x->b);
        } else if (const And *x = e.as<And>()) {
            return chain(Op::logical_and, x->a, x->b);
        } else if (const Or *x = e.as<Or>()) {
            return chain(Op::logical_or, x->a, x->b);
        } else if (const NE *x = e.as<NE>()) {
            return x->a.type().is_bool() ? chain(Op::bit_xor, x->a, x->b) : std::nullopt;
        } else if (const Sub *x = e.as<Sub>()) {
            return difference(x->a, x->b);
        } else if (const Select *x = e.as<Select>()) {
            return reads(x->condition) ? extreme(x) : choice(x);
        } else if (const Call *c = e.as<Call>()) {
            if (c->is_intrinsic(Call::bitwise_and)) {
                return chain(e.type().is_bool() ? Op::logical_and : Op::bit_and, c->args[0], c->args[1]);
            } else if (c->is_intrinsic(Call::bitwise_or)) {
                return chain(e.type().is_bool() ? Op::logical_or : Op::bit_or, c->args[0], c->args[1]);
            } else if (c->is_intrinsic(Call::bitwise_xor)) {
                return chain(Op::bit_xor, c->args[0], c->args[1]);
            }
        }
        return {};
    }

    // (old op a) op b is old op (a op b).
    std::optional<Part> chain(Op op, const Expr &a, const Expr &b) {
        const bool left = reads(a);
        if (left && reads(b)) {
            return {};
        }
        std::optional<Part> p = part(left ? a : b);
        if (!p || (p->op != Op::keep && p->op != op) || (p->negated && op != Op::add)) {
            return {};
        }
        const Expr &rest = left ? b : a;
        p->op = op;
        p->other = !p->other.defined() ? rest : left ? combined(op, p->other, rest) : combined(op, rest, p->other);
        return p;
    }

    // old - a is old + -a, modulo 2^n too; a - (b - old) is old + (a - b).
    std::optional<Part> difference(const Expr &a, const Expr &b) {
        const bool left = reads(a);
        if (left && reads(b)) {
            return {};
        }
        std::optional<Part> p = part(left ? a : b);
        if (!p || (p->op != Op::keep && p->op != Op::add)) {
            return {};
        }
        p->op = Op::add;
        if (left) {
            p->other = p->other.defined() ? p->other - b : make_zero(b.type()) - b;
        } else {
            p->other = p->other.defined() ? a - p->other : a;
            p->negated = !p->negated;
        }
        return p;
    }

    // select(c, old op a, old op b) is old op select(c, a, b), and old alone is old op its identity.
    std::optional<Part> choice(const Select *x) {
        const Type t = x->type;
        if (!reads(x->true_value) || !reads(x->false_value)) {
            return t.is_bool() ? decided(x) : std::nullopt;
        }
        const std::optional<Part> a = part(x->true_value), b = part(x->false_value);
        if (!a || !b || a->negated || b->negated || (a->op != b->op && a->op != Op::keep && b->op != Op::keep)) {
            return {};
        }
        Part p;
        p.op = a->op == Op::keep ? b->op : a->op;
        if (p.op != Op::keep) {
            const auto or_identity = [&](const Expr &e) { return e.defined() ? e : identity(p.op, t); };
            p.other = Select::make(x->condition, or_identity(a->other), or_identity(b->other));
        }
        return p;
    }

    // select(c, true, old) is old || c, and so on.
    std::optional<Part> decided(const Select *x) {
        const bool first = reads(x->true_value);
        const std::optional<Part> p = part(first ? x->true_value : x->false_value);
        const Expr &value = first ? x->false_value : x->true_value;
        if (!p || p->op != Op::keep || !is_const(value)) {
            return {};
        }
        // The condition under which the old value gives way.
        const Expr gives = first ? !x->condition : x->condition;
        return is_const_one(value) ? Part{Op::logical_or, gives, false} : Part{Op::logical_and, !gives, false};
    }

    // select(v > old, v, old) is max(old, v). Of equal values it is the same which is taken; NaNs, and zeros of either sign, are as in Halide's own simplifier, which
    // says the same.
    std::optional<Part> extreme(const Select *x) {
        Expr less, more;  // the condition says less < more, or <=
        if (const LT *c = x->condition.as<LT>()) {
            less = c->a, more = c->b;
        } else if (const LE *c = x->condition.as<LE>()) {
            less = c->a, more = c->b;
        } else if (const GT *c = x->condition.as<GT>()) {
            less = c->b, more = c->a;
        } else if (const GE *c = x->condition.as<GE>()) {
            less = c->b, more = c->a;
        } else {
            return {};
        }
        const bool of_less = is_self(less, f_, def_, out_);
        const Expr &other = of_less ? more : less;
        if (reads(other) || (!of_less && !is_self(more, f_, def_, out_)) || x->type.is_bool()) {
            return {};
        }
        if (graph_equal(x->true_value, more) && graph_equal(x->false_value, less)) {
            return Part{Op::max, other, false};
        } else if (graph_equal(x->true_value, less) && graph_equal(x->false_value, more)) {
            return Part{Op::min, other, false};
        }
        return {};
    }

    const Function &f_;
    const Definition &def_;
    const int out_;
    std::map<const BaseExprNode *, std::optional<Part>> parts_;
    std::map<const BaseExprNode *, bool> reads_;
};

// Whether a value stands as the old one and another on both sides of an operator that Halide's prover knows.
bool plain(const Expr &value, const Function &f, const Definition &def, int out) {
    Expr e = value;
    while (const Let *let = e.as<Let>()) {
        e = let->body;
    }
    if (is_self(e, f, def, out)) {
        return true;
    }
    std::vector<Expr> sides;
    switch (e.node_type()) {
    case IRNodeType::Add:
    case IRNodeType::Mul:
    case IRNodeType::Min:
    case IRNodeType::Max:
    case IRNodeType::And:
    case IRNodeType::Or:
        operands(e.get(), f.name(), sides);
        return is_self(sides[0], f, def, out) || is_self(sides[1], f, def, out);
    default:
        return false;
    }
}

}  // namespace

Expr identity(Operation::Op op, Type t) {
    switch (op) {
    case Op::mul:
    case Op::logical_and:
        return make_one(t);
    case Op::min:
        return t.max();
    case Op::max:
        return t.min();
    case Op::bit_and:
        return t.is_uint() ? t.max() : make_const(t, -1);
    default:
        return make_zero(t);
    }
}

namespace {

Expr of_bits(Call::IntrinsicOp op, const Expr &a, const Expr &b) { return Call::make(a.type(), op, {a, b}, Call::PureIntrinsic); }

}  // namespace

Expr combined(Operation::Op op, const Expr &a, const Expr &b) {
    switch (op) {
    case Op::add:
        return Add::make(a, b);
    case Op::mul:
        return Mul::make(a, b);
    case Op::min:
        return Min::make(a, b);
    case Op::max:
        return Max::make(a, b);
    case Op::logical_and:
        return And::make(a, b);
    case Op::logical_or:
        return Or::make(a, b);
    case Op::bit_and:
        return of_bits(Call::bitwise_and, a, b);
    case Op::bit_or:
        return of_bits(Call::bitwise_or, a, b);
    case Op::bit_xor:
        return a.type().is_bool() ? NE::make(a, b) : of_bits(Call::bitwise_xor, a, b);
    default:
        return a;
    }
}

bool is_small(const Definition &def) {
    const size_t most_nodes = 2000;
    std::set<const BaseExprNode *> seen;
    std::vector<Expr> left;
    for (const auto *list : {&def.args(), &def.values()}) {
        left.insert(left.end(), list->begin(), list->end());
    }
    while (!left.empty() && seen.size() <= most_nodes) {
        const Expr e = left.back();
        left.pop_back();
        if (seen.insert(e.get()).second) {
            operands(e.get(), "", left);
        }
    }
    return seen.size() <= most_nodes;
}

std::vector<Operation> operations(const Function &f, const Definition &def) {
    if (!reduces(def)) {
        return {};
    }
    std::map<const BaseExprNode *, bool> known;
    for (const Expr &place : def.args()) {
        if (reads(place, f.name(), known)) {
            return {};
        }
    }
    if (reads_in_conditions(f, def)) {
        return {};
    }
    const Expr loading = conditions(def).loading;
    std::vector<Operation> all;
    bool changes = false;
    for (size_t out = 0; out < def.values().size(); out++) {
        const Type t = f.output_types()[out];
        const Expr value = substitute_in_all_lets(def.values()[out]);
        if (loading.defined() && has_promise(value)) {
            return {};
        }
        const std::optional<Part> p = Finder(f, def, (int)out).part(value);
        if (!p || p->negated || !t.is_scalar() || t.is_handle() || t.is_bfloat()) {
            return {};
        }
        std::vector<Expr> args(def.args().begin(), def.args().end());
        const Expr other = loading.defined() && p->op != Op::keep ? Select::make(loading, p->other, identity(p->op, t)) : p->other;
        all.push_back({p->op, Call::make(t, f.name(), args, Call::Halide, FunctionPtr(), (int)out), other});
        changes = changes || p->op != Op::keep;
    }
    return changes ? all : std::vector<Operation>();
}

std::vector<Expr> restated(const std::vector<Operation> &all) {
    std::vector<Expr> values;
    for (const Operation &o : all) {
        values.push_back(o.op == Op::keep ? o.self : combined(o.op, o.self, common_subexpression_elimination(o.other)));
    }
    return values;
}

bool proven(const Function &f, const Definition &def, const std::vector<Operation> &all) {
    const AssociativeOp found = prove_associativity(f.name(), def.args(), def.values());
    if (!found.associative() || !found.commutative()) {
        return false;
    }
    for (size_t i = 0; i < all.size(); i++) {
        const Expr &op = found.pattern.ops[i];
        const bool same = all[i].op == Op::keep ? op.as<Variable>() != nullptr :
                                                  op.node_type() == combined(all[i].op, all[i].self, all[i].self).node_type() && !op.as<Call>();
        if (!same) {
            return false;
        }
    }
    return true;
}

std::vector<Expr> restatement(const Function &f, const Definition &def) {
    const std::vector<Operation> all = operations(f, def);
    if (all.empty()) {
        const std::optional<ArgElement> arg = conditions(def).loading.defined() ? arg_extreme(f, def) : std::nullopt;
        std::vector<Expr> values = arg ? arg->how.chosen(arg->self, arg->other) : std::vector<Expr>();
        for (Expr &e : values) {
            e = common_subexpression_elimination(e);
        }
        return values;
    }
    bool as_it_is = !conditions(def).loading.defined();
    for (size_t out = 0; out < all.size(); out++) {
        as_it_is = as_it_is && plain(def.values()[out], f, def, (int)out);
    }
    return as_it_is && proven(f, def, all) ? std::vector<Expr>() : restated(all);
}

}  // namespace gowarp

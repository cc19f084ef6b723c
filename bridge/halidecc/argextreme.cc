//go:build halide

#include "argextreme.h"
#include "ownpoint.h"
#include "restate.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

std::vector<Expr> ArgExtreme::identity(const std::vector<Type> &types) const {
    std::vector<Expr> values;
    for (const Type &t : types) {
        values.push_back(make_zero(t));
    }
    values[value] = gowarp::identity(greatest ? Operation::max : Operation::min, types[value]);
    for (int k : places) {
        values[k] = types[k].max();
    }
    return values;
}

Expr ArgExtreme::better(const std::vector<Expr> &self, const std::vector<Expr> &other) const {
    const Expr &less = greatest ? self[value] : other[value], &more = greatest ? other[value] : self[value];
    if (!ties) {
        return LT::make(less, more);
    }
    Expr before = const_false();
    for (size_t n = places.size(); n-- > 0;) {
        const Expr &a = other[places[n]], &b = self[places[n]];
        before = n + 1 == places.size() ? LT::make(a, b) : Or::make(LT::make(a, b), And::make(EQ::make(a, b), before));
    }
    return Or::make(LT::make(less, more), And::make(EQ::make(less, more), before));
}

std::vector<Expr> ArgExtreme::chosen(const std::vector<Expr> &self, const std::vector<Expr> &other) const {
    const Expr is_better = better(self, other);
    std::vector<Expr> values;
    for (size_t k = 0; k < self.size(); k++) {
        values.push_back(Select::make(is_better, other[k], self[k]));
    }
    return values;
}

namespace {

// a < b, whichever way round it is written.
bool less_than(const Expr &e, Expr &a, Expr &b) {
    if (const LT *c = e.as<LT>()) {
        a = c->a, b = c->b;
    } else if (const GT *c = e.as<GT>()) {
        a = c->b, b = c->a;
    } else {
        return false;
    }
    return true;
}

// The variable of the domain that a value is, in so many bits that all keep their order; -1 if it is none.
int variable(const Expr &e, const std::vector<ReductionVariable> &rvars) {
    const Cast *c = e.as<Cast>();
    const Variable *v = c && c->type == Int(64) ? c->value.as<Variable>() : e.as<Variable>();
    for (size_t k = 0; v && v->reduction_domain.defined() && k < rvars.size(); k++) {
        if (v->name == rvars[k].var) {
            return (int)k;
        }
    }
    return -1;
}

// Whether a value that is compared is that of the element where it is the better one, too.
bool is_extreme(const Expr &e, const Expr &self, const Expr &other, bool greatest) {
    Expr a, b;
    if (const Min *x = e.as<Min>()) {
        a = x->a, b = x->b;
        return !greatest && ((graph_equal(a, self) && graph_equal(b, other)) || (graph_equal(a, other) && graph_equal(b, self)));
    } else if (const Max *x = e.as<Max>()) {
        a = x->a, b = x->b;
        return greatest && ((graph_equal(a, self) && graph_equal(b, other)) || (graph_equal(a, other) && graph_equal(b, self)));
    }
    const Select *x = e.as<Select>();
    if (!x || !less_than(x->condition, a, b)) {
        return false;
    }
    return graph_equal(greatest ? b : a, other) && graph_equal(greatest ? a : b, self) && graph_equal(x->true_value, other) && graph_equal(x->false_value, self);
}

}  // namespace

std::optional<ArgElement> arg_extreme(const Function &f, const Definition &def) {
    const std::vector<ReductionVariable> &rvars = def.schedule().rvars();
    const size_t n = def.values().size();
    if (n < 2 || !reduces(def) || !is_own_point(f, def.args()) || !def.same_as(f.update(0)) || reads_in_conditions(f, def)) {
        return {};
    }
    const Expr loading = conditions(def).loading;
    ArgElement found;
    std::vector<Expr> values;
    for (size_t k = 0; k < n; k++) {
        found.self.push_back(Call::make(f.output_types()[k], f.name(), std::vector<Expr>(def.args().begin(), def.args().end()), Call::Halide, FunctionPtr(), (int)k));
        values.push_back(substitute_in_all_lets(def.values()[k]));
    }
    found.how.value = -1;
    Expr other;  // what is compared with the Func's value
    std::map<const BaseExprNode *, bool> known;
    const auto compared = [&](const Expr &condition) {
        Expr less, more;
        if (!less_than(condition, less, more)) {
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            const bool greatest = is_self(less, f, def, (int)k);
            if (greatest || is_self(more, f, def, (int)k)) {
                const Expr &with = greatest ? more : less;
                if (found.how.value < 0) {
                    found.how.value = (int)k;
                    found.how.greatest = greatest;
                    other = with;
                    return !reads(with, f.name(), known);
                }
                return found.how.value == (int)k && found.how.greatest == greatest && graph_equal(other, with);
            }
        }
        return false;
    };
    // A value that is not compared says which one is.
    std::vector<int> place_of(rvars.size(), -1);
    for (size_t k = 0; k < n; k++) {
        const Select *x = values[k].as<Select>();
        if (!x) {
            found.other.emplace_back();
            continue;  // as a minimum or maximum
        }
        if (!is_self(x->false_value, f, def, (int)k) || !compared(x->condition) || reads(x->true_value, f.name(), known)) {
            return {};
        }
        found.other.push_back(x->true_value);
        const int r = (int)k == found.how.value ? -1 : variable(x->true_value, rvars);
        if (r >= 0) {
            place_of[r] = (int)k;
        }
    }
    const int value = found.how.value;
    if (value < 0 || !is_extreme(values[value], found.self[value], other, found.how.greatest)) {
        return {};
    }
    found.other[value] = other;
    for (size_t k = 0; k < n; k++) {
        if (!found.other[k].defined()) {
            return {};
        }
    }
    const std::vector<Expr> &first = f.definition().values();
    bool before_all = true;
    for (size_t r = rvars.size(); r-- > 0;) {
        if (place_of[r] >= 0) {
            found.how.places.push_back(place_of[r]);
            const Expr start = first[place_of[r]];
            before_all = before_all && can_prove(start <= cast(start.type(), rvars[r].min));
        } else if (!is_const_one(rvars[r].extent)) {
            return {};
        }
    }
    const Expr worst = identity(found.how.greatest ? Operation::max : Operation::min, other.type());
    if (found.how.places.empty() || !(before_all || equal(first[value], worst))) {
        return {};
    }
    if (loading.defined()) {
        for (const Expr &e : found.other) {
            if (has_promise(e)) {
                return {};
            }
        }
        found.other[value] = Select::make(loading, other, worst);
    }
    return found;
}

}  // namespace gowarp

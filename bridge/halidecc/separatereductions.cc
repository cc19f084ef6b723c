//go:build halide

#include "separatereductions.h"
#include "movable.h"
#include "ownpoint.h"
#include "restate.h"
#include "writeout.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

const int64_t most_written = 32;  // values of a row that are written out
const int64_t most_halved = 1024;
const int64_t most_listed = 4096;

// A variable of a domain.
struct Axis {
    std::string name;
    Expr min, extent;
    std::optional<int64_t> first, count;  // where they are literal
    Expr weight;                          // of the values, by this variable; undefined: 1
    int dim = -1;                         // the dimension along which it moves with the point; -1: none
    int64_t step = 0;                     // by how many points
    int64_t multiple = 1;                 // of the point's coordinate, which is that much finer before this axis is gone through

    // Whether it is a row of values in the code, and equal ones may be added two, four, eight at a time.
    bool written() const { return halved() || (dim >= 0 && first && count && *count <= most_written); }
    bool halved() const { return dim >= 0 && first && count && *count <= most_halved && !weight.defined() && multiple == 1; }
};

class Reduction {
public:
    Reduction(const Function &f, const Definition &def) : f_(f), def_(def) {}

    // Whether it is one that takes fewer operations by parts.
    bool is_window(const Separable &which) {
        if (!combines() || (value_.type().is_float() && !which.floats)) {
            return false;
        }
        if (op_ == Op::sum) {
            take_weights();
        }
        return moves() && (is_const_one(def_.predicate()) ? saves() : listed()) && (which.weighted || !weighted());
    }

    // All values combined; undefined if that saves little.
    Expr by_parts(Parts &parts) const {
        if (!places_.empty()) {
            const Expr value = parts.lines(op_, f_, places_, value_);
            return value.defined() && scale_.defined() ? value * scale_ : value;
        }
        Expr value = through(parts, value_);
        const std::vector<const Axis *> order = along();
        for (size_t i = 0; i < order.size(); i++) {
            const std::string name = Parts::name(f_, op_, f_.args()[order[i]->dim]);
            if (!order[i]->written()) {
                value = loop(parts, name, *order[i], value);
                continue;
            }
            value = row(parts, name, *order[i], value);
            if (i + 1 < order.size()) {
                value = parts.call(name, f_.args(), value, weighted());
            }
        }
        return scale_.defined() ? value * scale_ : value;
    }

    Expr with(const Expr &before, const Expr &all) const {
        return equal(before, neutral(op_, before.type())) ? all : combined(op_, before, all);
    }

private:
    bool uses(const Expr &e, const Axis &a) const { return expr_uses_var(e, a.name); }
    std::vector<int> axes_of(const Expr &e) const {
        std::vector<int> all;
        for (size_t i = 0; i < axes_.size(); i++) {
            if (uses(e, axes_[i])) {
                all.push_back((int)i);
            }
        }
        return all;
    }
    bool uses_point(const Expr &e) const {
        return std::any_of(f_.args().begin(), f_.args().end(), [&](const std::string &v) { return expr_uses_var(e, v); });
    }

    // Reads how the update combines what. Every iteration may take its turn at any time.
    bool combines() {
        if (!def_.specializations().empty() || def_.values().size() != 1 || def_.schedule().rvars().empty() || !is_own_point(f_, def_.args())) {
            return false;
        }
        for (const ReductionVariable &r : def_.schedule().rvars()) {
            if (!Movable::is(r.min, true) || !Movable::is(r.extent, true)) {
                return false;
            }
            axes_.push_back({r.var, r.min, r.extent, as_const_int(simplify(r.min)), as_const_int(simplify(r.extent)), Expr(), -1, 0});
            if (axes_.back().count && *axes_.back().count < 1) {
                return false;
            }
        }
        const Expr value = substitute_in_all_lets(def_.values()[0]);
        const Type t = value.type();
        if (!t.is_scalar() || !(t.is_float() || t.is_int_or_uint()) || t.bits() == 1) {
            return false;
        }
        std::map<const BaseExprNode *, bool> known;
        for (const Op op : {Op::sum, Op::least, Op::greatest}) {
            std::vector<Expr> others;
            op_ = op;
            if (operands(value, others) == 1 && !others.empty()) {
                value_ = others[0];
                for (size_t i = 1; i < others.size(); i++) {
                    value_ = combined(op_, value_, others[i]);
                }
                return !reads(value_, f_.name(), known) && is_term(value_);
            }
        }
        return false;
    }

    // What is combined with the Func's own value; the result is how often that is.
    int operands(const Expr &e, std::vector<Expr> &others) const {
        const auto both = [&](const Expr &a, const Expr &b) {
            const int before = operands(a, others);  // in the order in which they are written
            return before + operands(b, others);
        };
        const Call *c = e.as<Call>();
        if (c && c->call_type == Call::Halide && c->name == f_.name() && is_own_point(f_, c->args)) {
            return 1;
        }
        if (const Add *a = op_ == Op::sum ? e.as<Add>() : nullptr) {
            return both(a->a, a->b);
        }
        if (const Min *m = op_ == Op::least ? e.as<Min>() : nullptr) {
            return both(m->a, m->b);
        }
        if (const Max *m = op_ == Op::greatest ? e.as<Max>() : nullptr) {
            return both(m->a, m->b);
        }
        others.push_back(e);
        return 0;
    }

    // Takes weights out of what is added.
    void take_weights() {
        Expr rest;
        factor(value_, rest);
        value_ = rest.defined() ? rest : make_one(value_.type());
    }

    static void times(Expr &product, const Expr &e) { product = product.defined() ? product * e : e; }

    void factor(const Expr &e, Expr &rest) {
        if (const Mul *m = e.as<Mul>()) {
            factor(m->a, rest);
            factor(m->b, rest);
            return;
        }
        const Div *d = e.type().is_float() ? e.as<Div>() : nullptr;
        if (d && axes_of(d->b).empty() && !uses_point(d->b)) {
            factor(d->a, rest);
            times(scale_, make_one(e.type()) / d->b);
            return;
        }
        const std::vector<int> by = axes_of(e);
        if (uses_point(e)) {
            times(rest, e);
        } else if (by.empty()) {
            times(scale_, e);
        } else if (by.size() == 1) {
            times(axes_[by[0]].weight, e);
        } else if (const Expr product = as_product(e); product.defined()) {
            factor(product, rest);
        } else {
            times(rest, e);
        }
    }

    // A weight of several variables as a product of some of one each; undefined if it is none.
    Expr as_product(const Expr &e) const {
        const Call *c = e.as<Call>();
        if (!c) {
            return Expr();
        }
        if (c->call_type == Call::Halide) {
            const Function f(c->func);
            if (!f.is_pure() || f.outputs() != 1 || !f.definition().specializations().empty()) {
                return Expr();
            }
            std::map<std::string, Expr> here;
            for (size_t k = 0; k < c->args.size(); k++) {
                here[f.args()[k]] = c->args[k];
            }
            const Expr value = substitute(here, substitute_in_all_lets(f.values()[0]));
            return splits(value) ? value : Expr();
        }
        std::vector<Expr> terms(axes_.size() + 1);
        if (c->name == "exp_f" + std::to_string(e.type().bits()) && addends(c->args[0], terms)) {
            Expr product;
            for (const Expr &t : terms) {
                if (t.defined() && !is_const_zero(t)) {
                    times(product, exp(t));
                }
            }
            return product;
        }
        return Expr();
    }

    // Whether a weight is a product of some of one variable each.
    bool splits(const Expr &e) const {
        if (axes_of(e).size() < 2) {
            return true;
        }
        if (const Mul *m = e.as<Mul>()) {
            return splits(m->a) && splits(m->b);
        }
        if (const Div *d = e.type().is_float() ? e.as<Div>() : nullptr) {
            return axes_of(d->b).empty() && splits(d->a);
        }
        const Expr product = as_product(e);
        return product.defined() && splits(product);
    }

    // A sum by what its terms depend on: one variable of the domain each or, the last, none.
    bool addends(const Expr &e, std::vector<Expr> &terms) const {
        const std::vector<int> by = axes_of(e);
        if (by.size() < 2) {
            Expr &t = terms[by.empty() ? axes_.size() : by[0]];
            t = t.defined() && !is_const_zero(t) ? t + e : e;
            return true;
        }
        const auto each = [&](const Expr &of, const std::function<Expr(const Expr &)> &make) {
            std::vector<Expr> below(terms.size());
            if (!addends(of, below)) {
                return false;
            }
            for (size_t i = 0; i < below.size(); i++) {
                if (below[i].defined()) {
                    const Expr t = make(below[i]);
                    terms[i] = terms[i].defined() ? terms[i] + t : t;
                }
            }
            return true;
        };
        if (const Add *a = e.as<Add>()) {
            return addends(a->a, terms) && addends(a->b, terms);
        }
        if (const Sub *s = e.as<Sub>()) {
            return addends(s->a, terms) && each(s->b, [](const Expr &t) { return make_zero(t.type()) - t; });
        }
        if (const Mul *m = e.as<Mul>()) {
            const bool of_a = axes_of(m->b).empty();
            return (of_a || axes_of(m->a).empty()) && each(of_a ? m->a : m->b, [&](const Expr &t) { return t * (of_a ? m->b : m->a); });
        }
        if (const Div *d = e.type().is_float() ? e.as<Div>() : nullptr) {
            return axes_of(d->b).empty() && each(d->a, [&](const Expr &t) { return t / d->b; });
        }
        if (const Cast *c = e.as<Cast>()) {
            return c->type.is_float() && c->value.type().is_int() && each(c->value, [&](const Expr &t) { return cast(c->type, t); });
        }
        return false;
    }

    // By how much an expression grows with a variable; none where it is not that.
    static std::optional<int64_t> by_one_more(const Expr &e, const std::string &var) { return as_const_int(simplify(substitute(var, variable(var) + 1, e) - e)); }

    // Finds which variables of the domain move with the point, each along one dimension, and has the value be that of the point alone.
    bool moves() {
        bool any = false;
        for (Axis &a : axes_) {
            for (size_t k = 0; k < f_.args().size() && a.dim < 0; k++) {
                const std::string &v = f_.args()[k];
                Expr alone;
                each_place(value_, v, [&](const Expr &apart) {
                    if (!uses(apart, a)) {
                        return false;
                    }
                    const auto step = by_one_more(apart, a.name), more = by_one_more(apart, v);
                    if (!step || *step == 0 || !more || *more < 0 || std::max(std::abs(*step), *more) > most_apart) {
                        return false;
                    }
                    const Expr r = variable(a.name), x = variable(v);
                    if (*more == 0) {
                        alone = simplify(substitute(v, x - r * (int)*step, value_));
                        if (uses(alone, a)) {
                            return false;
                        }
                    } else if (std::abs(*step) == 1) {  // at 2x + r
                        const std::string fine = unique_name("fine");
                        const Expr behind = variable(fine) - x * (int)(*more + 1);
                        alone = simplify(substitute(a.name, *step == 1 ? behind : 0 - behind, value_));
                        if (expr_uses_var(alone, v) || uses(alone, a)) {
                            return false;
                        }
                        alone = substitute(fine, x, alone);
                    } else {
                        return false;
                    }
                    a.dim = (int)k;
                    a.step = *step;
                    a.multiple = *more + 1;
                    return true;
                });
                if (a.dim >= 0) {
                    value_ = alone;
                    any = true;
                }
            }
            if (a.dim < 0 && a.weight.defined()) {
                value_ = value_ * a.weight;
                a.weight = Expr();
            }
        }
        return any;
    }

    bool weighted() const {
        return std::any_of(axes_.begin(), axes_.end(), [](const Axis &a) { return a.weight.defined(); });
    }

    // One after the other saves where there is another, but for windows beside each other; equal values in a row save by themselves.
    bool saves() const {
        const auto more = [](const Axis &a) { return !a.count || *a.count > 1; };
        if (std::any_of(axes_.begin(), axes_.end(), [](const Axis &a) { return a.halved() && *a.count > 3; })) {
            return true;
        }
        if (std::count_if(axes_.begin(), axes_.end(), more) < 2 || std::none_of(axes_.begin(), axes_.end(), [&](const Axis &a) { return a.dim >= 0 && more(a); })) {
            return false;
        }
        double all = 1, by_parts = 0, times = 1;  // of a point
        const std::vector<const Axis *> order = along();
        for (auto a = order.rbegin(); a != order.rend(); ++a) {
            if (!(*a)->count) {
                return true;
            }
            const double n = (double)*(*a)->count;
            by_parts += n * times;
            times *= std::min(n, (double)(*a)->multiple);
            all *= n;
        }
        double through = 1;
        for (const Axis &a : axes_) {
            if (a.dim < 0) {
                if (!a.count) {
                    return true;
                }
                through *= (double)*a.count;
            }
        }
        return (all * through) * .8 > by_parts + (through > 1 ? through * times : 0);
    }

    // Lists the places of a domain with a condition, if it is literal: a disk's.
    bool listed() {
        int64_t all = 1;
        for (const Axis &a : axes_) {
            if (!a.first || !a.count || a.dim < 0 || a.multiple > 1 || a.weight.defined()) {
                return false;
            }
            all *= *a.count;
            if (all > most_listed) {
                return false;
            }
        }
        for (int64_t n = 0; n < all; n++) {
            std::map<std::string, Expr> at;
            std::vector<int> place(f_.args().size(), 0);
            int64_t rest = n;
            for (const Axis &a : axes_) {
                const int64_t r = *a.first + rest % *a.count;
                rest /= *a.count;
                at[a.name] = make_const(Int(32), r);
                place[a.dim] += (int)(r * a.step);
            }
            const Expr condition = simplify(substitute(at, def_.predicate()));
            if (!is_const(condition) || (is_const_one(condition) && !places_.insert(place).second)) {
                return false;
            }
        }
        return !places_.empty();
    }

    // The axes along dimensions in the order in which they are gone through. A lane has its rows to itself and what is beside it costs an exchange, so that the first
    // dimension comes last; of two along the same, what has been found last comes first, since it is about a finer point.
    std::vector<const Axis *> along() const {
        std::vector<const Axis *> order;
        for (auto a = axes_.rbegin(); a != axes_.rend(); ++a) {
            if (a->dim >= 0) {
                order.push_back(&*a);
            }
        }
        std::stable_sort(order.begin(), order.end(), [](const Axis *a, const Axis *b) { return a->dim > b->dim; });
        return order;
    }

    // A value combined over the variables that do not move with the point.
    Expr through(Parts &parts, Expr value) const {
        Region box;
        std::vector<const Axis *> alone;
        for (const Axis &a : axes_) {
            if (a.dim < 0) {
                box.push_back({a.min, a.extent});
                alone.push_back(&a);
            }
        }
        if (box.empty()) {
            return value;
        }
        RDom r(box);
        for (size_t i = 0; i < alone.size(); i++) {
            value = substitute(alone[i]->name, Expr(r[(int)i]), value);
        }
        return parts.reduction(Parts::name(f_, op_, "r"), f_.args(), op_, value, r.domain(), weighted());
    }

    // A value at the place of an axis.
    Expr at(const Axis &a, const Expr &r, const Expr &value) const {
        const std::string &v = f_.args()[a.dim];
        return simplify(substitute(v, variable(v) * (int)a.multiple + r * (int)a.step, value));
    }

    Expr loop(Parts &parts, const std::string &name, const Axis &a, const Expr &value) const {
        RDom r(Region{{a.min, a.extent}});
        Expr each = at(a, r.x, value);
        if (a.weight.defined()) {
            each = each * substitute(a.name, Expr(r.x), a.weight);
        }
        return parts.reduction(name, f_.args(), op_, each, r.domain(), weighted());
    }

    Expr row(Parts &parts, const std::string &name, const Axis &a, const Expr &value) const {
        if (a.halved()) {
            Row row{a.dim, {}, std::vector<double>(*a.count, 1)};
            for (int64_t j = 0; j < *a.count; j++) {
                row.offsets.push_back((int)((*a.first + j) * a.step));
            }
            std::sort(row.offsets.begin(), row.offsets.end());
            return parts.row(op_, name, f_.args(), row, value, weighted());
        }
        std::vector<Weighted> all;
        for (int64_t j = 0; j < *a.count; j++) {
            const Expr r = make_const(Int(32), *a.first + j);
            const Expr weight = a.weight.defined() ? simplify(substitute(a.name, r, a.weight)) : make_one(value.type());
            if (!is_const_zero(weight)) {
                all.push_back({1, is_const_one(weight) ? at(a, r, value) : at(a, r, value) * weight});
            }
        }
        return all.empty() ? make_zero(value.type()) : total(value.type(), op_, all);
    }

    const Function &f_;
    const Definition &def_;
    Op op_ = Op::sum;
    Expr value_;
    Expr scale_;  // of all of it; undefined: 1
    std::vector<Axis> axes_;
    std::set<std::vector<int>> places_;  // of a domain with a condition
};

}  // namespace

int separate_reductions(const Function &f, const std::vector<Definition> &updates, const Separable &which, Parts &parts, std::vector<Expr> &values, int &windows) {
    int taken = 0;
    if (!std::all_of(values.begin(), values.end(), [](const Expr &v) { return Movable::is(v, false); })) {
        return 0;
    }
    for (const Definition &def : updates) {
        Reduction r(f, def);
        const Expr all = values.size() == 1 && r.is_window(which) ? r.by_parts(parts) : Expr();
        if (all.defined()) {
            values[0] = r.with(values[0], all);
            windows++;
        } else if (taken == 0 || !write_into(f, def, values)) {
            break;
        }
        taken++;
    }
    return taken;
}

}  // namespace gowarp

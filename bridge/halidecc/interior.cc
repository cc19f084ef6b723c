//go:build halide

#include "interior.h"
#include "linear.h"
#include "shuffle.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The most nodes of a condition with all definitions in their place.
constexpr int most_nodes = 400;

// Puts definitions in the place of their names, and notes what is left.
class Whole : public IRMutator {
public:
    explicit Whole(const std::string &lane) : lane_(lane) {}

    std::map<std::string, Expr> definitions;  // undefined for what is no expression
    bool of_lane = false, of_others = false, known = true;
    int nodes = 0;

    using IRMutator::mutate;
    Expr mutate(const Expr &e) override { return ++nodes > most_nodes ? e : IRMutator::mutate(e); }

private:
    using IRMutator::visit;

    Expr visit(const Variable *op) override {
        if (op->name == lane_) {
            of_lane = true;
            return op;
        }
        const auto d = definitions.find(op->name);
        if (d == definitions.end()) {
            of_others = true;
            return op;
        }
        known = known && d->second.defined();
        return d->second.defined() ? mutate(d->second) : op;
    }

    const std::string lane_;
};

// The parts of a condition that all have to hold.
void conjuncts(const Expr &e, std::vector<Expr> &all) {
    if (const And *a = e.as<And>()) {
        conjuncts(a->a, all);
        conjuncts(a->b, all);
    } else {
        all.push_back(e);
    }
}

// Conditions that all have to hold; of those that differ by a constant the strongest.
class Conditions {
public:
    void join(const Expr &e) {
        const Expr s = simplify(e);
        if (is_const_one(s)) {
            return;
        }
        const std::optional<Linear> l = at_least_0(s);
        for (Part &p : parts_) {
            if (l && p.linear && same_terms(*l, *p.linear)) {
                if (l->constant < p.linear->constant) {
                    p = {s, l};
                }
                return;
            }
            if (equal(p.condition, s)) {
                return;
            }
        }
        parts_.push_back({s, l});
    }

    Expr all() const {
        std::vector<Expr> conditions;
        for (const Part &p : parts_) {
            conditions.push_back(p.condition);
        }
        return conjunction(conditions);
    }

private:
    struct Part {
        Expr condition;
        std::optional<Linear> linear;
    };

    static bool same_terms(const Linear &a, const Linear &b) {
        return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(), [](const auto &s, const auto &t) { return s.second == t.second && equal(s.first, t.first); });
    }

    std::vector<Part> parts_;
};

// What has to hold so that all of a warp's tile lies inside, found on the way through a line, and the line without what fails only elsewhere.
class Find : public IRMutator {
public:
    explicit Find(const LaneKernel &kernel)
        : lane_(kernel.lanes->name), loops_(kernel.blocks), whole_(lane_) {
        loops_.insert(lane_);
        if (kernel.warps) {
            loops_.insert(kernel.warps->name);
        }
    }

    Expr condition() const { return conditions_.all(); }

    // A definition as it is inside.
    Expr define(const std::string &name, const Expr &value) {
        const Expr v = mutate(value);
        whole_.definitions[name] = v;
        return v;
    }

    // The guards that stay; the others join the condition.
    StraightLine::Guards stay(const StraightLine::Guards &guards) {
        std::vector<Expr> all;
        for (const Expr &g : guards) {
            conjuncts(g, all);
        }
        int last = warp_lanes - 1;
        std::vector<Expr> rest;
        StraightLine::Guards kept;
        for (const Expr &g : all) {
            const Expr whole = resolve(g);
            if (whole.defined() && whole_.of_lane && !whole_.of_others) {
                kept.push_back(g);
                while (last > 0 && !is_const_one(simplify(substitute(lane_, last, whole)))) {
                    last--;
                }
            } else if (whole.defined()) {
                rest.push_back(whole);
            } else {
                kept.push_back(g);
            }
        }
        for (const Expr &g : rest) {
            join(g, last);
        }
        return kept;
    }

private:
    using IRMutator::visit;

    // A condition in terms of what is known before a lane starts; undefined if it is about something else, or may change back and forth along the lanes.
    Expr resolve(const Expr &g) {
        whole_.of_lane = whole_.of_others = false;
        whole_.known = true;
        whole_.nodes = 0;
        const Expr e = whole_.mutate(g);
        Reads r;
        e.accept(&r);
        const bool usable = !r.any && whole_.known && whole_.nodes <= most_nodes && is_monotonic(e, lane_) != Monotonic::Unknown;
        return usable ? e : Expr();
    }

    // Joins a condition for the lanes up to the last: true at both ends it is true between them.
    void join(const Expr &g, int last) {
        if (!expr_uses_var(g, lane_)) {
            conditions_.join(g);
            return;
        }
        for (int lane : {0, last}) {
            conditions_.join(substitute(lane_, lane, g));
        }
    }

    // Whether a value differs from block to block, warp to warp or lane to lane; no for what is not known.
    bool varies(const Expr &e) {
        const Expr w = resolve(e);
        return w.defined() && std::any_of(loops_.begin(), loops_.end(), [&](const std::string &l) { return expr_uses_var(w, l); });
    }

    // A clamp of a place leaves it as it is inside.
    template<typename T, typename Holds>
    Expr clamp(const T *op) {
        const Expr a = mutate(op->a), b = mutate(op->b);
        if (op->type == Int(32)) {
            const bool of_a = varies(a), of_b = varies(b);
            if (of_a != of_b) {
                const Expr place = of_a ? a : b, bound = of_a ? b : a;
                const Expr holds = resolve(Holds::make(place, bound));
                if (holds.defined()) {
                    join(holds, warp_lanes - 1);
                    return place;
                }
            }
        }
        return T::make(a, b);
    }
    Expr visit(const Min *op) override { return clamp<Min, LE>(op); }
    Expr visit(const Max *op) override { return clamp<Max, GE>(op); }

    // The comparisons that all have to hold for a condition to hold, or to fail; false where there is anything else in it.
    bool comparisons(const Expr &e, bool hold, std::vector<Expr> &all) const {
        const Or *o = e.as<Or>();
        const And *a = e.as<And>();
        if (const Not *n = e.as<Not>()) {
            return comparisons(n->a, !hold, all);
        }
        if (const Variable *v = e.as<Variable>()) {
            const auto d = whole_.definitions.find(v->name);
            return d != whole_.definitions.end() && d->second.defined() && comparisons(d->second, hold, all);
        }
        if (hold && a) {
            return comparisons(a->a, hold, all) && comparisons(a->b, hold, all);
        }
        if (!hold && o) {
            return comparisons(o->a, hold, all) && comparisons(o->b, hold, all);
        }
        all.push_back(hold ? e : simplify(!e));
        return e.as<LT>() || e.as<LE>() || e.as<GT>() || e.as<GE>();
    }

    // Whether a condition, if it holds or if it fails, says that what differs from block to block or lane to lane is between two bounds. Then they are joined.
    bool between(const Expr &condition, bool hold) {
        std::vector<Expr> all;
        bool vary = false, known = comparisons(condition, hold, all) && all.size() > 1;
        for (Expr &c : all) {
            vary = vary || varies(c);
            c = resolve(c);
            known = known && c.defined();
        }
        if (!vary || !known) {
            return false;
        }
        for (const Expr &c : all) {
            join(c, warp_lanes - 1);
        }
        return true;
    }

    // A boundary condition that chooses, of a place (one that mirrors or repeats what is inside) or of a value (a constant outside), is what it is inside.
    Expr visit(const Select *op) override {
        if ((in_index_ || is_const(op->false_value)) && between(op->condition, true)) {
            return mutate(op->true_value);
        }
        if ((in_index_ || is_const(op->true_value)) && between(op->condition, false)) {
            return mutate(op->false_value);
        }
        return IRMutator::visit(op);
    }

    Expr visit(const Load *op) override {
        const ScopedValue<bool> index(in_index_, true);
        return IRMutator::visit(op);
    }

    // What is defined inside a statement is known in it alone.
    template<typename T>
    T within(const std::string &name, const Expr &value, const std::function<T()> &go) {
        whole_.definitions[name] = value;
        const T t = go();
        whole_.definitions[name] = Expr();
        return t;
    }
    Expr visit(const Let *op) override {
        const Expr value = mutate(op->value);
        return within<Expr>(op->name, value, [&] { return Let::make(op->name, value, mutate(op->body)); });
    }
    Stmt visit(const LetStmt *op) override {
        const Expr value = mutate(op->value);
        return within<Stmt>(op->name, value, [&] { return LetStmt::make(op->name, value, mutate(op->body)); });
    }
    Stmt visit(const For *op) override {
        return within<Stmt>(op->name, Expr(), [&] { return IRMutator::visit(op); });
    }

    const std::string lane_;
    std::set<std::string> loops_;  // over blocks, warps and lanes
    Whole whole_;
    Conditions conditions_;
    bool in_index_ = false;
};

}  // namespace

Interior interior(const StraightLine &line, const LaneKernel &kernel) {
    Find find(kernel);
    Interior out;
    for (const StraightLine::Run &r : line.runs()) {
        for (const auto &l : r.lets) {
            out.line.let(l.first, find.define(l.first, l.second));
        }
        if (r.body.empty()) {
            out.line.end_run();
            continue;
        }
        const StraightLine::Guards kept = find.stay(r.guards);
        for (const Stmt &s : r.body) {
            out.line.add(kept, find.mutate(s));
        }
        out.line.end_run();
    }
    out.condition = find.condition();
    return out;
}

}  // namespace gowarp

//go:build halide

#include "interior.h"
#include "shuffle.h"

#include <algorithm>
#include <map>

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

    std::map<std::string, Expr> definitions;
    bool of_lane = false, of_others = false;
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
        return mutate(d->second);
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

class Find {
public:
    Find(const For *lanes, const For *warps) : lane_(lanes->name), warps_(warps), whole_(lane_) {}

    void define(const std::string &name, const Expr &value) {
        Reads r;
        value.accept(&r);
        if (!r.any) {
            whole_.definitions[name] = value;
        }
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
            // True at both ends it is true between them.
            for (const Expr &of_warps : ends(g, lane_, last)) {
                for (const Expr &e : warps_ ? ends(of_warps, warps_->name, (int)*as_const_int(warps_->extent) - 1) : std::vector<Expr>{of_warps}) {
                    join(e);
                }
            }
        }
        return kept;
    }

    Expr condition() const { return conjunction(parts_); }

private:
    // A condition in terms of what is known before a lane starts; undefined if it is about something else, or may change back and forth along the lanes.
    Expr resolve(const Expr &g) {
        whole_.of_lane = whole_.of_others = false;
        whole_.nodes = 0;
        const Expr e = whole_.mutate(g);
        Reads r;
        e.accept(&r);
        if (r.any || whole_.nodes > most_nodes || is_monotonic(e, lane_) == Monotonic::Unknown || (warps_ && is_monotonic(e, warps_->name) == Monotonic::Unknown)) {
            return Expr();
        }
        return e;
    }

    static std::vector<Expr> ends(const Expr &e, const std::string &variable, int last) {
        return expr_uses_var(e, variable) ? std::vector<Expr>{substitute(variable, 0, e), substitute(variable, last, e)} : std::vector<Expr>{e};
    }

    void join(const Expr &e) {
        const Expr s = simplify(e);
        if (!is_const_one(s) && std::none_of(parts_.begin(), parts_.end(), [&](const Expr &p) { return equal(p, s); })) {
            parts_.push_back(s);
        }
    }

    const std::string lane_;
    const For *const warps_;
    Whole whole_;
    std::vector<Expr> parts_;
};

}  // namespace

Interior interior(const StraightLine &line, const For *lanes, const For *warps) {
    Find find(lanes, warps);
    Interior out;
    for (const StraightLine::Run &r : line.runs()) {
        for (const auto &l : r.lets) {
            find.define(l.first, l.second);
            out.line.let(l.first, l.second);
        }
        if (r.body.empty()) {
            out.line.end_run();
            continue;
        }
        const StraightLine::Guards kept = find.stay(r.guards);
        for (const Stmt &s : r.body) {
            out.line.add(kept, s);
        }
        out.line.end_run();
    }
    out.condition = find.condition();
    return out;
}

}  // namespace gowarp

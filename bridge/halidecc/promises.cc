//go:build halide

#include "promises.h"
#include "anypart.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

class WithPromises : public IRGraphMutator {
public:
    explicit WithPromises(const std::map<std::string, Interval> &ranges) : ranges_(ranges) {}

private:
    using IRGraphMutator::visit;

    Expr visit(const Variable *v) override {
        const auto range = ranges_.find(v->name);
        return range == ranges_.end() ? Expr(v) : promise_clamped(v, range->second.min, range->second.max);
    }

    const std::map<std::string, Interval> &ranges_;
};

// Narrows a range whose ends are literals by what a condition of the variable alone rules out there, as r % 3 == 0 does.
bool narrow(Interval &range, const std::string &var, const Expr &condition) {
    const int most_steps = 64;
    const auto first = as_const_int(range.min), last = as_const_int(range.max);
    if (!first || !last) {
        return false;
    }
    const auto ruled_out = [&](int64_t at) { return is_const_zero(simplify(substitute(var, make_const(Int(32), at), condition))); };
    int64_t min = *first, max = *last;
    for (int i = 0; i < most_steps && min < max && ruled_out(min); i++) {
        min++;
    }
    for (int i = 0; i < most_steps && min < max && ruled_out(max); i++) {
        max--;
    }
    range = Interval(make_const(Int(32), min), make_const(Int(32), max));
    return min != *first || max != *last;
}

// Whether a Func is read, directly or through others, of which the user bounds the extent alone: it begins at the first place that is read, and would end later if that were a later one.
bool moves_what_it_reads(const Definition &def) {
    std::set<std::string> seen;
    std::vector<Expr> left = def.values();
    while (!left.empty()) {
        const Expr e = left.back();
        left.pop_back();
        const bool moves = any_part(e, [&](const Expr &x) {
            const Call *c = as_load(x);
            if (!c || !c->func.defined() || !seen.insert(c->name).second) {
                return false;
            }
            const Function f(c->func);
            const std::vector<Expr> all = func_exprs(f);
            left.insert(left.end(), all.begin(), all.end());
            const std::vector<Bound> &bounds = f.schedule().bounds();
            return std::any_of(bounds.begin(), bounds.end(), [](const Bound &b) { return !b.min.defined() && b.extent.defined(); });
        });
        if (moves) {
            return true;
        }
    }
    return false;
}

}  // namespace

void promise_ranges(Definition &def, const Expr &conditions) {
    if (moves_what_it_reads(def)) {
        return;
    }
    const std::vector<ReductionVariable> &rvars = def.schedule().rvars();
    std::map<std::string, Interval> all, ranges;
    for (const ReductionVariable &v : rvars) {
        all[v.var] = Interval(simplify(v.min), simplify(v.min + v.extent - 1));
    }
    for (size_t pass = 0; pass < rvars.size(); pass++) {  // what bounds one variable may bound another through it
        for (const ReductionVariable &v : rvars) {
            Scope<Interval> others;
            for (const auto &[name, range] : all) {
                if (name != v.var) {
                    others.push(name, range);
                }
            }
            const Interval left = solve_for_outer_interval(conditions, v.var);
            Interval &range = all[v.var];
            bool bounded = false;
            if (left.has_lower_bound()) {
                const Interval of = bounds_of_expr_in_scope(left.min, others);
                if (of.has_lower_bound()) {
                    range.min = simplify(max(range.min, of.min));
                    bounded = true;
                }
            }
            if (left.has_upper_bound()) {
                const Interval of = bounds_of_expr_in_scope(left.max, others);
                if (of.has_upper_bound()) {
                    range.max = simplify(min(range.max, of.max));
                    bounded = true;
                }
            }
            if (narrow(range, v.var, conditions) || bounded) {
                // Not empty, even where no value is computed: what is stored on the GPU for an empty region ends the process.
                ranges[v.var] = Interval(range.min, simplify(max(range.min, range.max)));
            }
        }
    }
    WithPromises promise(ranges);
    for (auto *exprs : {&def.args(), &def.values()}) {
        for (Expr &e : *exprs) {
            e = promise.mutate(e);
        }
    }
}

}  // namespace gowarp

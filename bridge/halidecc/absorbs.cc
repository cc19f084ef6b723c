//go:build halide

#include "absorbs.h"
#include "small.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

bool Absorbs::is(const Function &f) {
    const auto known = known_.find(f.name());
    if (known != known_.end()) {
        return known->second;
    }
    known_[f.name()] = true;  // as for what it reads of itself
    bool all = !f.has_extern_definition();
    for (const Definition *def : definitions(f)) {
        Scope<Interval> ranges;
        for (const std::string &v : f.args()) {
            ranges.push(v, Interval::everything());
        }
        for (const ReductionVariable &r : def->schedule().rvars()) {
            ranges.push(r.var, Interval(r.min, r.min + r.extent - 1));
        }
        for (const Expr &e : stage_exprs(*def)) {
            all = all && within(e, ranges);
        }
    }
    return known_[f.name()] = all;
}

bool Absorbs::of(const Call *c) { return c->call_type == Call::Halide && c->func.defined() && is(Function(c->func)); }

bool Absorbs::bounded(const Expr &place, const Scope<Interval> &ranges) {
    constexpr int most_nodes = 1 << 12;  // written out: what is shared Halide looks at as often as it is used
    return Small::is(place, most_nodes) && bounds_of_expr_in_scope(place, ranges).is_bounded();
}

bool Absorbs::within(const Expr &e, const Scope<Interval> &ranges) {
    return !any_part(substitute_in_all_lets(e), [&](const Expr &x) {  // names of lets have no ranges here
        const Call *c = as_load(x);
        return c && !std::all_of(c->args.begin(), c->args.end(), [&](const Expr &place) { return bounded(place, ranges); }) && !of(c);
    });
}

}  // namespace gowarp

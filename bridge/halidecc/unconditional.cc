//go:build halide

#include "unconditional.h"
#include "absorbs.h"
#include "movable.h"
#include "ownpoint.h"
#include "restate.h"

#include <algorithm>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// What an update consists of, where its values are made from others: calls of its own Func, which may not keep it alive, and variables of its domain under the
// conditions that are left. Those of a condition name no domain.
class Own : public IRGraphMutator {
public:
    Own(const Function &f, const Definition &def, const Expr &condition) : name_(f.name()), itself_(f.get_contents()), domain_(def.schedule().rvars(), condition, true) { itself_.weaken(); }

protected:
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *c = e.as<Call>();
        const bool open = c && c->call_type == Call::Halide && c->name == name_ && !c->func.defined();
        return open ? Call::make(c->type, c->name, c->args, c->call_type, itself_, c->value_index) : e;
    }
    Expr visit(const Variable *op) override {
        const auto &all = domain_.domain();
        const bool own = std::any_of(all.begin(), all.end(), [&](const ReductionVariable &r) { return r.var == op->name; });
        return own ? Variable::make(op->type, op->name, domain_) : Expr(op);
    }

private:
    const std::string name_;
    FunctionPtr itself_;
    const ReductionDomain domain_;
};

// Whether what a definition loads at the points that an update stores to, the update loads itself, or it is loaded for nothing.
bool loads_the_same(const Function &f, const Definition &def, Absorbs &absorbs) {
    std::vector<Expr> there;
    std::vector<Expr> parts = def.values();
    parts.push_back(def.predicate());
    for (const Expr &e : parts) {
        any_part(substitute_in_all_lets(e), [&](const Expr &x) {
            if (as_load(x)) {
                there.push_back(x);
            }
            return false;
        });
    }
    std::map<std::string, Expr> point;
    for (size_t k = 0; k < def.args().size(); k++) {
        point[f.args()[k]] = def.args()[k];
    }
    const auto &values = f.definition().values();
    return std::all_of(values.begin(), values.end(), [&](const Expr &v) {
        return !any_part(substitute(point, substitute_in_all_lets(v)), [&](const Expr &x) {
            const Call *c = as_load(x);
            return c && !absorbs.of(c) && std::none_of(there.begin(), there.end(), [&](const Expr &t) { return graph_equal(t, x); });
        });
    });
}

// Whether an update needs its Func where it stores anyway, or more of it costs nothing: to read what is there, a definition has to have been computed all over the update's domain.
bool needs_what_it_changes(const FuncEntry &entry, size_t update, Absorbs &absorbs) {
    const Function &f = entry.original;
    const Definition &def = f.updates()[update];
    if (entry.output || is_own_point(f, def.args())) {
        return true;  // the domain is in the region that is asked for
    }
    bool all = true;
    for (size_t out = 0; out < def.values().size(); out++) {
        all = all && any_part(def.values()[out], [&](const Expr &x) { return is_self(x, f, def, (int)out); });
    }
    return all || absorbs.is(f) || (update == 0 && loads_the_same(f, def, absorbs));
}

// Whether an update adds to 32-bit integers: where data say to which, atomic operations do, and of what a condition rules out there is none (atomicadds.cc).
bool adds_atomically(const Function &f, const Definition &def) {
    const Type t = def.values()[0].type();
    if (def.values().size() != 1 || !t.is_int_or_uint() || t.bits() != 32 || t.lanes() != 1) {
        return false;
    }
    const Expr value = substitute_in_all_lets(def.values()[0]);
    const Add *sum = value.as<Add>();
    return sum && (is_self(sum->a, f, def, 0) != is_self(sum->b, f, def, 0));
}

// The values of an update that stores everywhere in its domain; none where it has to stay as it is.
std::vector<Expr> everywhere(const Function &f, const Definition &def, const Expr &loading) {
    std::vector<Expr> values = restatement(f, def);
    if (!values.empty()) {
        return values;
    }
    for (size_t out = 0; out < def.values().size(); out++) {
        const Expr value = substitute_in_all_lets(def.values()[out]);
        if (has_promise(value) || !Movable::is(value, false) || !value.type().is_scalar() || value.type().is_handle()) {
            return {};
        }
        const Expr self = Call::make(value.type(), f.name(), def.args(), Call::Halide, FunctionPtr(), (int)out);
        values.push_back(common_subexpression_elimination(Select::make(substitute_in_all_lets(loading), value, self)));
    }
    return values;
}

bool store_unconditionally(const FuncEntry &entry, Absorbs &absorbs) {
    const Function &f = entry.original;
    // Of what is undefined at first, nothing is read.
    const auto &first = f.definition().values();
    if (!std::all_of(first.begin(), first.end(), [](const Expr &e) { return Movable::is(e, false); })) {
        return false;
    }
    bool any = false;
    for (size_t u = 0; u < f.updates().size(); u++) {
        Definition def = f.updates()[u];
        const Conditions of = conditions(def);
        const bool adds = adds_atomically(f, def);
        // A place that is promised may be one only where the condition holds.
        const auto stays = [&](const Expr &place) { return !Movable::is(place, false) || (loads_anything(place) && (!adds || has_promise(place))); };
        if (!of.loading.defined() || !def.specializations().empty() || !is_small(def) || std::any_of(def.args().begin(), def.args().end(), stays) || !needs_what_it_changes(entry, u, absorbs)) {
            continue;
        }
        std::vector<Expr> values = everywhere(f, def, of.loading);
        if (values.empty()) {
            continue;
        }
        const Expr left = of.others.defined() ? of.others : const_true();
        Own own(f, def, left);
        for (Expr &place : def.args()) {
            place = own.mutate(place);
        }
        for (Expr &v : values) {
            v = own.mutate(v);
        }
        def.values() = values;
        def.predicate() = left;
        any = true;
    }
    return any;
}

}  // namespace

Graph store_unconditionally(const Pipeline &pipeline, const Graph &before) {
    std::set<std::string> changed;
    Absorbs absorbs;
    for (const FuncEntry &f : before.funcs) {
        if (f.original.has_pure_definition() && !f.original.has_extern_definition() && store_unconditionally(f, absorbs)) {
            changed.insert(f.original.name());
        }
    }
    return rebuild_changed(pipeline, before, changed, &FuncEntry::unconditional);
}

}  // namespace gowarp

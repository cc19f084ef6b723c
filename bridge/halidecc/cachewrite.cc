//go:build halide

#include "cachewrite.h"
#include "givenname.h"
#include "ownpoint.h"

#include <algorithm>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// An output of fewer points leaves most of a GPU idle: its reductions are better split among threads, in kernels of their own.
const int64_t fewest_points = 1 << 15;

// What a Func's definitions read.
class Reads : public IRGraphVisitor {
public:
    explicit Reads(const Function &in) : in_(in) {}

    std::map<std::string, bool> elsewhere;  // by Func that is read: whether elsewhere than at the point that is computed
    bool undefined = false;

    void of(const Definition &def) {
        for (const Expr &e : stage_exprs(def)) {
            e.accept(this);
        }
    }

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        undefined = undefined || op->is_intrinsic(Call::undef);
        if (op->call_type == Call::Halide) {
            bool &e = elsewhere[op->name];
            e = e || op->args.size() != in_.args().size() || !is_own_point(in_, op->args);
        }
    }

    const Function &in_;
};

// Whether an update's values have a variable of its domain, by which alone Halide finds it when the update is defined anew.
bool shows_domain(const Definition &update) {
    const auto &rvars = update.schedule().rvars();
    return rvars.empty() || std::any_of(rvars.begin(), rvars.end(), [&](const ReductionVariable &r) {
        return std::any_of(update.values().begin(), update.values().end(), [&](const Expr &v) { return expr_uses_var(v, r.var); });
    });
}

// Whether a Func's updates reduce to the points that they are about, each from what it was there.
bool reduces(const Function &f) {
    if (!f.schedule().wrappers().empty() || !f.has_pure_definition() || f.has_extern_definition() || f.updates().empty() || f.args().empty() || !f.definition().specializations().empty()) {
        return false;
    }
    Reads own(f);
    own.of(f.definition());
    bool domain = false;
    for (const Definition &update : f.updates()) {
        if (!update.specializations().empty() || !is_own_point(f, update.args()) || !shows_domain(update)) {
            return false;
        }
        own.of(update);
        domain = domain || !update.schedule().rvars().empty();
    }
    return domain && !own.elsewhere[f.name()] && !own.undefined;
}

// The points of an output at its estimates; 0 where there is none.
int64_t points(const Function &f) {
    int64_t n = 1;
    for (const std::string &arg : f.args()) {
        int64_t along = 0;
        for (const Bound &b : f.schedule().estimates()) {
            const auto extent = as_const_int(b.extent);
            along = b.var == arg && extent ? *extent : along;
        }
        n *= std::min<int64_t>(along, fewest_points);
        n = std::min(n, fewest_points);
    }
    return n;
}

// The Funcs that several read, or one elsewhere than at its own points, so that they cannot be computed with it.
std::set<std::string> read_otherwise(const Graph &graph) {
    std::set<std::string> by_one, otherwise;
    for (const FuncEntry &entry : graph.funcs) {
        const Function &g = entry.original;
        Reads reads(g);
        for (const Definition *def : definitions(g)) {
            reads.of(*def);
        }
        for (const auto &[name, elsewhere] : reads.elsewhere) {
            if (name != g.name() && (!by_one.insert(name).second || elsewhere || !g.updates().empty())) {
                otherwise.insert(name);
            }
        }
        for (const ExternFuncArgument &arg : g.extern_arguments()) {
            if (arg.is_func()) {
                otherwise.insert(Function(arg.func).name());
            }
        }
    }
    return otherwise;
}

// Has what a Func reads of itself be another's.
class Renamed : public IRGraphMutator {
public:
    Renamed(const Function &f, const Function &as) : f_(f), as_(as) {}

private:
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *c = e.as<Call>();
        return c && c->call_type == Call::Halide && c->name == f_.name() ? Call::make(as_, c->args, c->value_index) : e;
    }

    const Function &f_, &as_;
};

// Defines a Func as the copy of a new one, which has its definitions; the result is the new one's name.
std::string cache_write(Function f) {
    Function cache(unique_name(given_name(f.name()) + "_local"));
    cache.define(f.args(), f.definition().values());
    Renamed renamed(f, cache);
    for (const Definition &update : f.updates()) {
        std::vector<Expr> values;
        for (const Expr &v : update.values()) {
            values.push_back(renamed.mutate(v));
        }
        cache.define_update(update.args(), values);
        Definition made = cache.updates().back();
        made.predicate() = renamed.mutate(update.predicate());
    }
    std::vector<Expr> here;
    for (const std::string &arg : f.args()) {
        here.push_back(Variable::make(Int(32), arg));
    }
    for (size_t v = 0; v < f.values().size(); v++) {
        f.definition().values()[v] = Call::make(cache, here, (int)v);
    }
    updates_of(f).clear();
    return cache.name();
}

}  // namespace

Graph cache_writes(const Pipeline &pipeline, const Graph &before) {
    std::set<std::string> caches;
    const std::set<std::string> wrapped = wrapped_in(before), otherwise = read_otherwise(before);
    for (const FuncEntry &f : before.funcs) {
        const Function &o = f.original;
        // A row has few points, like a small output.
        if (!f.fused_init && !wrapped.count(o.name()) && reduces(o) && (f.output ? points(o) >= fewest_points : o.args().size() > 1 && otherwise.count(o.name()) > 0)) {
            caches.insert(cache_write(o));
        }
    }
    if (caches.empty()) {
        return before;
    }
    Graph after = rebuild_graph(pipeline, before);
    for (FuncEntry &f : after.funcs) {
        f.local = f.local || caches.count(f.original.name()) > 0;
    }
    return after;
}

}  // namespace gowarp

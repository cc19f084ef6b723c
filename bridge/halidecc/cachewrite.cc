//go:build halide

#include "cachewrite.h"
#include "givenname.h"
#include "reduces.h"

#include <algorithm>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The Funcs that several read, or one elsewhere than at its own points, so that they cannot be computed with it.
std::set<std::string> read_otherwise(const Graph &graph) {
    std::set<std::string> by_one, otherwise;
    for (const FuncEntry &entry : graph.funcs) {
        const Function &g = entry.original;
        const ReadFuncs reads(g);
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
        if (!f.fused_init && !wrapped.count(o.name()) && reduces(o) && (f.output ? !few_points(o) : o.args().size() > 1 && otherwise.count(o.name()) > 0)) {
            caches.insert(cache_write(o));
        }
    }
    return rebuild_changed(pipeline, before, caches, &FuncEntry::local);
}

}  // namespace gowarp

//go:build halide

#include "factor.h"
#include "loops.h"
#include "promises.h"
#include "restate.h"
#include "standin.h"
#include "text.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// Puts two Funcs in front of one.
void insert(Graph &g, int func, const Function &intm, const Function &parts) {
    FuncEntry made[2];
    made[0].original = made[0].copy = intm;
    made[1].original = made[1].copy = parts;
    made[0].made = made[1].made = true;
    g.funcs.insert(g.funcs.begin() + func, made, made + 2);
    for (int &id : g.outputs) {
        id += id >= func ? 2 : 0;
    }
    g.func_by_name.clear();
    for (size_t i = 0; i < g.funcs.size(); i++) {
        g.func_by_name[g.funcs[i].original.name()] = (int)i;
    }
}

[[noreturn]] void fail(const gowarp_directive &d, const std::string &name, std::string why) {
    while (!why.empty() && isspace((unsigned char)why.back())) {
        why.pop_back();
    }
    throw CompileError("gowarp: rfactor on " + name + ".update(" + std::to_string(d.stage - 1) + "): " + why);
}

void check(const Graph &g, const gowarp_directive &d) {
    if (d.func < 0 || d.func >= (int)g.funcs.size()) {
        throw CompileError("gowarp: rfactor is for Func " + std::to_string(d.func) + "; there are " + std::to_string(g.funcs.size()));
    }
    const Function &f = g.funcs[d.func].original;
    if (d.stage < 1 || d.stage > (int)f.updates().size() || d.num_vars < 1 || !d.multiples) {
        fail(d, f.name(), "it needs an update and reduction variables");
    }
}

// A name that no loop of the stage and no argument has.
std::string fresh(const std::string &name, std::set<std::string> &taken) {
    std::string unique = name;
    for (int n = 2; !taken.insert(unique).second; n++) {
        unique = name + "_" + std::to_string(n);
    }
    return unique;
}

// Has the loops over variables inside those over arguments, and all in their order, as in an update that no schedule has touched.
void plain_order(Stage s, const Function &f, const Definition &def) {
    std::vector<VarOrRVar> order;
    bool already = true;
    for (const auto &l : untouched_loops(f, def)) {
        already = already && def.schedule().dims()[order.size()].var == l.name;
        order.emplace_back(l.name, l.rvar);
    }
    if (!already) {
        s.reorder(order);
    }
}

// Takes a condition's variables for themselves. Halide's rfactor promises that they stay within the domain, and then no longer sees how the
// condition bounds what is read.
class WithoutPromises : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Call *c) override {
        return c->is_intrinsic(Call::promise_clamped) ? mutate(c->args[0]) : IRMutator::visit(c);
    }
};

void factor(Graph &g, const gowarp_directive &d) {
    check(g, d);
    Function f = g.funcs[d.func].original;
    Definition &def = f.update(d.stage - 1);
    const Loops loops(f, def);
    std::set<std::string> taken(f.args().begin(), f.args().end());
    for (const auto &l : untouched_loops(f, def)) {
        taken.insert(l.name);
    }
    try {
        Stage s(f, def, d.stage);
        std::vector<std::pair<RVar, Var>> kept;
        for (int i = 0; i < d.num_vars; i++) {
            const Loop *l = loops.original(str(d.vars[i]));
            if (!l || !l->rvar) {
                fail(d, f.name(), str(d.vars[i]) + " is no reduction variable");
            }
            const std::string pure = fresh(i == 0 ? "u" : i == 1 ? "v" : "w", taken);
            RVar rvar(l->name);
            if (d.multiples[i] > 0) {
                const RVar inner(fresh(pure + "_r", taken)), outer(fresh(pure + "_s", taken));
                s.split(rvar, outer, inner, (int)d.multiples[i], TailStrategy::GuardWithIf);
                rvar = inner;
            }
            kept.emplace_back(rvar, Var(pure));
        }
        // What a level of a tree leaves has conditions of Halide's own.
        const bool conditional = has_predicate(def) && g.funcs[d.func].factored.insert(d.stage).second;
        const Expr condition = conditional ? conditions(def).others : Expr();  // those that load something are in the values
        const std::unique_ptr<StandIn> other = stand_in(g.funcs[d.func], d.stage, def);
        if (conditional) {
            def.predicate() = condition.defined() ? condition : const_true();
        }
        if (other) {
            other->enter(def);
        }
        if (condition.defined()) {
            promise_ranges(def, condition);
        }
        Func intm = s.rfactor(kept);
        if (conditional) {
            def.predicate() = const_true();  // a partial result of nothing changes nothing
            Expr &part = intm.function().update(0).predicate();
            part = WithoutPromises().mutate(part);
        }
        g.funcs[d.func].factored.insert(d.stage);
        if (other) {
            other->leave(intm.function(), def, g.funcs[d.func].over_partial[d.stage]);
        }
        plain_order(intm.update(0), intm.function(), intm.function().update(0));
        // A computed place leaves its loop in front of those over the other arguments.
        plain_order(Stage(f, f.update(d.stage - 1), d.stage), f, f.update(d.stage - 1));
        insert(g, d.func, intm.function(), intm.in().function());
    } catch (const Error &e) {
        fail(d, f.name(), e.what());
    }
}

}  // namespace

int count_factors(const gowarp_directive *directives, int count) {
    int n = 0;
    while (n < count && str(directives[n].op) == "rfactor") {
        n++;
    }
    return n;
}

Graph factor_reductions(const Graph &g, const gowarp_directive *directives, int count, Twin twin) {
    Graph out = g;
    if (twin == Twin::copies) {
        for (FuncEntry &f : out.funcs) {
            f.original = f.copy;
        }
    }
    for (int i = 0; i < count; i++) {
        factor(out, directives[i]);
    }
    return out;
}

Graph names_of_factored(const Graph &g, const gowarp_directive *directives, int count) {
    Graph out = g;
    for (int i = 0; i < count_factors(directives, count); i++) {
        check(out, directives[i]);
        const std::string name = out.funcs[directives[i].func].original.name() + "_intm";
        insert(out, directives[i].func, Function(name), Function(name + "_global_wrapper"));
    }
    return out;
}

}  // namespace gowarp

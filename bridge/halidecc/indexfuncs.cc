//go:build halide

#include "indexfuncs.h"
#include "indexing.h"

#include <algorithm>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr int most_nodes = 400;  // of a definition, with those of the Funcs that it calls in their place

// By Func, the value that stands for a call of it.
using Definitions = std::map<std::string, Expr>;

// Whether an expression written out has few nodes, reads no memory, and calls no Func but known ones.
class Plain : public IRMutator {
public:
    static bool is(const Expr &e, const Definitions &known) {
        Plain p(known);
        p.mutate(e);
        return !p.other_ && p.nodes_ <= most_nodes;
    }

    using IRMutator::mutate;
    Expr mutate(const Expr &e) override { return !other_ && ++nodes_ <= most_nodes ? IRMutator::mutate(e) : e; }

private:
    explicit Plain(const Definitions &known) : known_(known) {}

    using IRMutator::visit;
    Expr visit(const Call *op) override {
        other_ = other_ || (op->call_type == Call::Halide ? !known_.count(op->name) : !op->is_pure());
        return IRMutator::visit(op);
    }
    Expr visit(const Load *op) override {
        other_ = true;
        return op;
    }
    Expr visit(const Let *op) override {
        other_ = true;  // a substitution might catch its name
        return op;
    }

    const Definitions &known_;
    int nodes_ = 0;
    bool other_ = false;
};

// Puts definitions in the place of calls.
class InPlace : public IRGraphMutator {
public:
    InPlace(const Graph &g, const Definitions &values) : g_(g), values_(values) {}

protected:
    using IRGraphMutator::visit;

    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *c = e.as<Call>();
        const auto value = c && c->call_type == Call::Halide ? values_.find(c->name) : values_.end();
        if (value == values_.end()) {
            return e;
        }
        const std::vector<std::string> &args = g_.funcs[g_.func_id(c->name)].original.args();
        std::map<std::string, Expr> point;
        for (size_t k = 0; k < args.size(); k++) {
            point[args[k]] = c->args[k];
        }
        return substitute(point, value->second);
    }

private:
    const Graph &g_;
    const Definitions &values_;
};

// The definitions of the Funcs that hang on no memory, with those that they call in their place.
Definitions without_memory(const Graph &g) {
    Definitions known;
    for (const FuncEntry &f : g.funcs) {  // callees come first
        const Function &o = f.original;
        if (f.output || !o.has_pure_definition() || o.has_extern_definition() || !o.updates().empty() || o.values().size() != 1 || !o.definition().specializations().empty() ||
            !o.schedule().wrappers().empty() || !o.schedule().bounds().empty()) {
            continue;
        }
        if (!Plain::is(o.values()[0], known)) {
            continue;
        }
        const Expr value = InPlace(g, known).mutate(o.values()[0]);
        if (Plain::is(value, {})) {
            known[o.name()] = value;
        }
    }
    return known;
}

// Whether Halide knows no bounds of what a definition reads or writes at a point.
bool reads_without_end(const Definition &def) {
    for (const Expr &e : def.args()) {
        if (!bounds_of_expr_in_scope(e, Scope<Interval>::empty_scope()).is_bounded()) {
            return true;
        }
    }
    std::vector<Expr> evaluated = def.values();
    evaluated.insert(evaluated.end(), def.args().begin(), def.args().end());
    for (const Expr &e : evaluated) {
        for (const auto &[name, box] : boxes_required(e)) {
            if (std::any_of(box.bounds.begin(), box.bounds.end(), [](const Interval &in) { return !in.is_bounded(); })) {
                return true;
            }
        }
    }
    return false;
}

// Of those, the ones that decide where something is read, where that has no bounds for want of theirs: not those that are clamped, themselves or where they are called.
Definitions unbounded_indices(const Graph &g, const Definitions &known) {
    std::set<std::string> open;
    for (const auto &[name, value] : known) {
        Scope<Interval> anywhere;
        for (const std::string &arg : g.funcs[g.func_id(name)].original.args()) {
            anywhere.push(arg, Interval::everything());
        }
        if (!bounds_of_expr_in_scope(value, anywhere).is_bounded()) {
            open.insert(name);
        }
    }
    Definitions out;
    if (open.empty()) {
        return out;
    }
    for (const FuncEntry &f : g.funcs) {
        for (const Definition *def : definitions(f.original)) {
            std::vector<std::string> wanted;
            for (const std::string &name : indexing_funcs(def->values(), def->args())) {
                if (open.count(name)) {
                    wanted.push_back(name);
                }
            }
            if (!wanted.empty() && reads_without_end(*def)) {
                for (const std::string &name : wanted) {
                    out.emplace(name, known.at(name));
                }
            }
        }
    }
    return out;
}

}  // namespace

Graph look_through_index_funcs(const Pipeline &pipeline, const Graph &before) {
    const Definitions known = without_memory(before);
    const Definitions values = known.empty() ? known : unbounded_indices(before, known);
    if (values.empty()) {
        return before;
    }
    InPlace in_place(before, values);
    const auto change = [&](std::vector<Expr> &all) {
        for (Expr &e : all) {
            e = in_place.mutate(e);
        }
    };
    for (const FuncEntry &f : before.funcs) {
        Function o = f.original;
        if (!o.has_pure_definition() || o.has_extern_definition()) {
            continue;
        }
        change(o.definition().values());
        for (size_t i = 0; i < o.updates().size(); i++) {
            change(o.update((int)i).args());
            change(o.update((int)i).values());
        }
    }
    return rebuild_graph(pipeline, before);
}

}  // namespace gowarp

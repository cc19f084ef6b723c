//go:build halide

// The box of each producer that a box of a consumer stage's loops requires, by
// Halide's own bounds analysis, as expressions over the consumer's loop bounds.
//
// Halide's simplifier orders commutative operands by the names of variables.
// So that its answers do not depend on the $N suffixes of a run, everything an
// expression can mention is given a canonical name first: loops by their
// position, inputs by their id.

#include "export.h"
#include "indexing.h"

#include <functional>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

std::string input_name(int id) {
    return "gowarp.in" + std::to_string(id);
}

// Renames what refers to inputs. The nodes keep their parameters and buffers,
// by which the exporter recognises them.
class RenameInputs : public IRMutator {
public:
    explicit RenameInputs(const Graph &g) : g_(g) {}

private:
    using IRMutator::visit;

    Expr visit(const Variable *v) override {
        const int id = v->param.defined() ? g_.input_id(v->param) : v->image.defined() ? g_.input_id(v->image) : -1;
        if (id < 0) {
            return v;
        }
        const InputEntry &in = g_.inputs[id];
        std::string name = input_name(id);
        if (!in.scalar()) {
            if (v->name.size() <= in.name().size()) {
                return v;
            }
            name += v->name.substr(in.name().size());  // ".min.0"
        }
        return Variable::make(v->type, name, v->image, v->param, v->reduction_domain);
    }

    Expr visit(const Call *c) override {
        const Expr e = IRMutator::visit(c);
        c = e.as<Call>();
        if (!c || c->call_type != Call::Image) {
            return e;
        }
        const int id = c->param.defined() ? g_.input_id(c->param) : g_.input_id(c->image);
        if (id < 0) {
            return e;
        }
        return Call::make(c->type, input_name(id), c->args, c->call_type, c->func, c->value_index, c->image, c->param);
    }

    const Graph &g_;
};

// Bounds inference asks what must have been computed, not what is loaded: only
// the side of a select that is taken counts. Conditions with side effects stay.
class SelectAsBranch : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Select *s) override {
        if (!is_pure(s->condition)) {
            return IRMutator::visit(s);
        }
        return Call::make(s->type, Call::if_then_else,
                          {mutate(s->condition), mutate(s->true_value), mutate(s->false_value)}, Call::PureIntrinsic);
    }
};

// What a stage evaluates, with the predicate of its reduction as a condition.
std::vector<Expr> evaluated(const Definition &def, bool update) {
    std::vector<Expr> exprs = def.values();
    if (update) {
        exprs.insert(exprs.begin(), def.args().begin(), def.args().end());
    }
    const std::vector<Expr> conditions = def.split_predicate();
    std::vector<Expr> out;
    SelectAsBranch branch;
    for (Expr e : exprs) {
        for (const Expr &c : conditions) {
            e = Call::make(e.type(), Call::if_then_else, {likely(c), e}, Call::PureIntrinsic);
        }
        out.push_back(branch.mutate(e));
    }
    if (update) {
        // The predicate itself may read Funcs.
        out.insert(out.end(), conditions.begin(), conditions.end());
    }
    return out;
}

class Boxes {
public:
    Boxes(Graph &g, NodeTable &table) : g_(g), table_(table) {}

    std::vector<Edge> run() {
        RenameInputs rename(g_);
        for (FuncEntry &f : g_.funcs) {
            f.copy.mutate(&rename);
        }
        bound_values();
        for (size_t i = 0; i < g_.funcs.size(); i++) {
            const Function &f = g_.funcs[i].copy;
            if (f.has_extern_definition()) {
                extern_edges((int)i);
                continue;
            }
            const auto defs = definitions(f);
            for (size_t s = 0; s < defs.size(); s++) {
                stage_edges((int)i, (int)s, *defs[s]);
            }
        }
        return edges_;
    }

private:
    // The bounds of the values that indices and conditions are made of. Of all Funcs they would be
    // nine tenths of the time of an export.
    void bound_values() {
        std::set<std::string> wanted;
        for (const FuncEntry &f : g_.funcs) {
            if (f.copy.has_extern_definition()) {
                continue;
            }
            const auto defs = definitions(f.copy);
            for (size_t s = 0; s < defs.size(); s++) {
                std::vector<Expr> whole = defs[s]->args();
                const std::vector<Expr> conditions = defs[s]->split_predicate();
                whole.insert(whole.end(), conditions.begin(), conditions.end());
                for (const ReductionVariable &rv : defs[s]->schedule().rvars()) {
                    whole.push_back(rv.min);
                    whole.push_back(rv.extent);
                }
                const auto found = indexing_funcs(evaluated(*defs[s], s > 0), whole);
                wanted.insert(found.begin(), found.end());
            }
        }
        // A value is bounded by the values that it is made of; callers come behind callees.
        for (size_t i = g_.funcs.size(); i-- > 0;) {
            const Function &f = g_.funcs[i].copy;
            if (!wanted.count(f.name()) || f.has_extern_definition()) {
                continue;
            }
            for (const Definition *def : definitions(f)) {
                const auto found = indexing_funcs({}, def->values());
                wanted.insert(found.begin(), found.end());
            }
        }
        std::vector<std::string> order;
        std::map<std::string, Function> env;
        for (const FuncEntry &f : g_.funcs) {
            if (wanted.count(f.copy.name())) {
                order.push_back(f.copy.name());
                env.emplace(f.copy.name(), f.copy);
            }
        }
        values_ = compute_function_value_bounds(order, env);
    }

    void stage_edges(int func, int stage, const Definition &def) {
        const Function &f = g_.funcs[func].copy;
        const std::vector<StageLoop> loops = untouched_loops(f, def);
        Scope<Interval> scope;
        Context context;
        context.where = "boxes of Func " + f.name();
        for (size_t k = 0; k < loops.size(); k++) {
            const std::string at = std::to_string(k);
            const std::string lo = "gowarp.lo" + at, hi = "gowarp.hi" + at;
            scope.push(loops[k].name, Interval(Variable::make(Int(32), lo), Variable::make(Int(32), hi)));
            context.extras[lo] = "\"kind\":\"lo\",\"i\":" + at;
            context.extras[hi] = "\"kind\":\"hi\",\"i\":" + at;
        }
        std::map<std::string, Box> boxes;
        for (const Expr &e : evaluated(def, stage > 0)) {
            for (const auto &b : boxes_required(e, scope, values_)) {
                auto it = boxes.find(b.first);
                if (it == boxes.end()) {
                    boxes.emplace(b.first, b.second);
                } else {
                    merge_boxes(it->second, b.second);
                }
            }
        }
        table_.begin(context);
        for (size_t p = 0; p < g_.funcs.size(); p++) {
            auto it = boxes.find(g_.funcs[p].copy.name());
            if (it != boxes.end()) {
                add(func, stage, (int)p, -1, it->second);
            }
        }
        for (size_t p = 0; p < g_.inputs.size(); p++) {
            auto it = boxes.find(input_name((int)p));
            if (it != boxes.end()) {
                add(func, stage, -1, (int)p, it->second);
            }
        }
    }

    void add(int consumer, int stage, int func, int input, const Box &box) {
        Edge e{consumer, stage, func, input, {}};
        for (const Interval &in : box.bounds) {
            const int lo = in.has_lower_bound() ? table_.add(simplify(in.min)) : -1;
            const int hi = in.has_upper_bound() ? table_.add(simplify(in.max)) : -1;
            e.box.emplace_back(lo, hi);
        }
        edges_.push_back(e);
    }

    // An extern stage needs all of whatever it is handed.
    void extern_edges(int func) {
        std::map<int, bool> funcs, inputs;  // by id, each once
        for (const ExternFuncArgument &arg : g_.funcs[func].copy.extern_arguments()) {
            if (arg.is_func()) {
                funcs[g_.func_id(Function(arg.func).name())] = true;
            } else if (arg.is_buffer()) {
                inputs[g_.input_id(arg.buffer)] = true;
            } else if (arg.is_image_param()) {
                inputs[g_.input_id(arg.image_param)] = true;
            }
        }
        for (const auto &p : funcs) {
            edges_.push_back({func, 0, p.first, -1, {}});
        }
        for (const auto &p : inputs) {
            edges_.push_back({func, 0, -1, p.first, {}});
        }
    }

    Graph &g_;
    NodeTable &table_;
    FuncValueBounds values_;
    std::vector<Edge> edges_;
};

}  // namespace

std::vector<Edge> required_boxes(Graph &g, NodeTable &table) {
    return Boxes(g, table).run();
}

}  // namespace gowarp

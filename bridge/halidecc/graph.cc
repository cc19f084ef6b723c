//go:build halide

#include "graph.h"

#include <functional>
#include <set>
#include <unordered_set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

int Graph::func_id(const std::string &name) const {
    auto it = func_by_name.find(name);
    return it == func_by_name.end() ? -1 : it->second;
}

int Graph::input_id(const Parameter &p) const {
    auto it = input_by_param.find(p);
    return it == input_by_param.end() ? -1 : it->second;
}

int Graph::input_id(const Buffer<> &b) const {
    auto it = input_by_buffer.find(b.get());
    return it == input_by_buffer.end() ? -1 : it->second;
}

bool has_predicate(const Definition &def) {
    return def.predicate().defined() && !is_const_one(def.predicate());
}

std::vector<Expr> func_exprs(const Function &f) {
    std::vector<Expr> all;
    for (const Definition *def : definitions(f)) {
        const std::vector<Expr> of = stage_exprs(*def);
        all.insert(all.end(), of.begin(), of.end());
    }
    return all;
}

std::set<std::string> wrapped_in(const Graph &g) {
    std::set<std::string> readers;
    for (const FuncEntry &f : g.funcs) {
        for (const auto &w : f.original.schedule().wrappers()) {
            readers.insert(w.first);
        }
    }
    return readers;
}

std::vector<const Definition *> definitions(const Function &f) {
    std::vector<const Definition *> defs;
    // Halide gives an extern Func a pure definition of undefined values.
    if (f.has_pure_definition() && !f.has_extern_definition()) {
        defs.push_back(&f.definition());
        for (const Definition &d : f.updates()) {
            defs.push_back(&d);
        }
    }
    return defs;
}

std::vector<Expr> stage_exprs(const Definition &def) {
    std::vector<Expr> out = def.args();
    out.insert(out.end(), def.values().begin(), def.values().end());
    if (has_predicate(def)) {
        out.push_back(def.predicate());
    }
    for (const ReductionVariable &rv : def.schedule().rvars()) {
        out.push_back(rv.min);
        out.push_back(rv.extent);
    }
    return out;
}

namespace {

template<typename Node>
void two(const BaseExprNode *e, std::vector<Expr> &out) {
    const Node *n = (const Node *)e;
    out.push_back(n->a);
    out.push_back(n->b);
}

}  // namespace

void operands(const BaseExprNode *e, const std::string &where, std::vector<Expr> &out) {
    switch (e->node_type) {
    case IRNodeType::IntImm:
    case IRNodeType::UIntImm:
    case IRNodeType::FloatImm:
    case IRNodeType::StringImm:
    case IRNodeType::Variable:
        return;
    case IRNodeType::Cast:
        out.push_back(((const Cast *)e)->value);
        return;
    case IRNodeType::Reinterpret:
        out.push_back(((const Reinterpret *)e)->value);
        return;
    case IRNodeType::Add: return two<Add>(e, out);
    case IRNodeType::Sub: return two<Sub>(e, out);
    case IRNodeType::Mul: return two<Mul>(e, out);
    case IRNodeType::Div: return two<Div>(e, out);
    case IRNodeType::Mod: return two<Mod>(e, out);
    case IRNodeType::Min: return two<Min>(e, out);
    case IRNodeType::Max: return two<Max>(e, out);
    case IRNodeType::EQ: return two<EQ>(e, out);
    case IRNodeType::NE: return two<NE>(e, out);
    case IRNodeType::LT: return two<LT>(e, out);
    case IRNodeType::LE: return two<LE>(e, out);
    case IRNodeType::GT: return two<GT>(e, out);
    case IRNodeType::GE: return two<GE>(e, out);
    case IRNodeType::And: return two<And>(e, out);
    case IRNodeType::Or: return two<Or>(e, out);
    case IRNodeType::Not:
        out.push_back(((const Not *)e)->a);
        return;
    case IRNodeType::Select: {
        const Select *s = (const Select *)e;
        out.push_back(s->condition);
        out.push_back(s->true_value);
        out.push_back(s->false_value);
        return;
    }
    case IRNodeType::Load: {
        const Load *l = (const Load *)e;
        out.push_back(l->index);
        out.push_back(l->predicate);
        return;
    }
    case IRNodeType::Ramp: {
        const Ramp *r = (const Ramp *)e;
        out.push_back(r->base);
        out.push_back(r->stride);
        return;
    }
    case IRNodeType::Broadcast:
        out.push_back(((const Broadcast *)e)->value);
        return;
    case IRNodeType::Call: {
        const Call *c = (const Call *)e;
        out.insert(out.end(), c->args.begin(), c->args.end());
        return;
    }
    case IRNodeType::Let: {
        const Let *l = (const Let *)e;
        out.push_back(l->value);
        out.push_back(l->body);
        return;
    }
    case IRNodeType::Shuffle: {
        const Shuffle *s = (const Shuffle *)e;
        out.insert(out.end(), s->vectors.begin(), s->vectors.end());
        return;
    }
    case IRNodeType::VectorReduce:
        out.push_back(((const VectorReduce *)e)->value);
        return;
    default:
        throw CompileError("gowarp: expression node of kind " + std::to_string((int)e->node_type) + " in " + where +
                           " is not known; this plugin was written for Halide 21");
    }
}

namespace {

// Builds a Graph from a copied environment.
class Walker {
public:
    Walker(Graph &g, const std::vector<Function> &outputs, const std::map<std::string, Function> &originals, const std::map<std::string, Function> &copies)
        : g_(g), originals_(originals), copies_(copies) {
        for (const Function &f : outputs) {
            for (const Parameter &p : f.output_buffers()) {
                output_buffers_.insert(p.name());
            }
        }
    }

    void visit(const Function &f) {
        if (!started_.insert(f.name()).second) {
            if (!g_.func_by_name.count(f.name())) {
                throw CompileError("gowarp: Func " + f.name() + " calls itself through other Funcs");
            }
            return;
        }
        const std::string where = "Func " + f.name();
        for (const Expr &e : func_exprs(f)) {
            scan(e, where, f.name());
        }
        if (f.has_extern_definition()) {
            for (const ExternFuncArgument &arg : f.extern_arguments()) {
                if (arg.is_func()) {
                    called(Function(arg.func).name(), f.name());
                } else if (arg.is_expr()) {
                    scan(arg.expr, where, f.name());
                } else if (arg.is_image_param()) {
                    add_input(arg.image_param);
                } else if (arg.is_buffer()) {
                    add_input(arg.buffer);
                }
            }
            scan(f.extern_definition_proxy_expr(), where, f.name());
        }
        for (const Bound &b : f.schedule().bounds()) {
            for (const Expr &e : {b.min, b.extent, b.modulus, b.remainder}) {
                scan(e, where, f.name());
            }
        }
        for (const Parameter &p : f.output_buffers()) {
            scan_constraints(p, where);
        }
        FuncEntry entry;
        entry.copy = f;
        entry.original = originals_.at(f.name());
        g_.func_by_name[f.name()] = (int)g_.funcs.size();
        g_.funcs.push_back(entry);
    }

    // Constraints on inputs may name further inputs; the list grows as it is read.
    void scan_input_constraints() {
        for (size_t i = 0; i < g_.inputs.size(); i++) {
            const Parameter p = g_.inputs[i].param;
            if (!p.defined()) {
                continue;
            }
            const std::string where = "input " + p.name();
            if (p.is_buffer()) {
                scan_constraints(p, where);
            } else {
                for (const Expr &e : {p.estimate(), p.min_value(), p.max_value()}) {
                    scan(e, where, "");
                }
            }
        }
    }

private:
    void scan_constraints(const Parameter &p, const std::string &where) {
        for (int d = 0; d < p.dimensions(); d++) {
            for (const Expr &e : {p.min_constraint(d), p.extent_constraint(d), p.stride_constraint(d)}) {
                scan(e, where, "");
            }
        }
    }

    // Finds what e refers to, operands first, in one pass over its nodes.
    // The stack is explicit: definitions are up to tens of thousands deep.
    void scan(const Expr &root, const std::string &where, const std::string &self) {
        if (!root.defined()) {
            return;
        }
        struct Frame {
            const BaseExprNode *node;
            std::vector<Expr> args;
            size_t next;
        };
        std::vector<Frame> stack;
        const auto enter = [&](const Expr &e) {
            if (e.defined() && seen_.insert(e.get()).second) {
                stack.push_back({e.get(), {}, 0});
                operands(e.get(), where, stack.back().args);
            }
        };
        enter(root);
        while (!stack.empty()) {
            Frame &top = stack.back();
            if (top.next < top.args.size()) {
                const Expr e = top.args[top.next++];
                enter(e);
                continue;
            }
            const BaseExprNode *node = top.node;
            stack.pop_back();
            if (node->node_type == IRNodeType::Variable) {
                const Variable *v = (const Variable *)node;
                if (v->param.defined()) {
                    add_input(v->param);
                } else if (v->image.defined()) {
                    add_input(v->image);
                }
            } else if (node->node_type == IRNodeType::Load) {
                const Load *l = (const Load *)node;
                if (l->param.defined()) {
                    add_input(l->param);
                } else if (l->image.defined()) {
                    add_input(l->image);
                }
            } else if (node->node_type == IRNodeType::Call) {
                const Call *c = (const Call *)node;
                if (c->call_type == Call::Halide) {
                    called(c->name, self);
                } else if (c->param.defined()) {
                    add_input(c->param);
                } else if (c->image.defined()) {
                    add_input(c->image);
                }
            }
        }
    }

    void called(const std::string &name, const std::string &self) {
        if (name == self) {
            return;
        }
        auto it = copies_.find(name);
        if (it == copies_.end()) {
            throw CompileError("gowarp: " + self + " calls Func " + name + ", which is not part of the pipeline");
        }
        visit(it->second);
    }

    void add_input(const Parameter &p) {
        if (p.is_buffer() && output_buffers_.count(p.name())) {
            return;  // a definition that names the size of an output
        }
        if (g_.input_by_param.emplace(p, (int)g_.inputs.size()).second) {
            InputEntry in;
            in.param = p;
            g_.inputs.push_back(in);
        }
    }

    void add_input(const Buffer<> &b) {
        if (g_.input_by_buffer.emplace(b.get(), (int)g_.inputs.size()).second) {
            InputEntry in;
            in.buffer = b;
            g_.inputs.push_back(in);
        }
    }

    Graph &g_;
    const std::map<std::string, Function> &originals_, &copies_;
    std::set<std::string> output_buffers_, started_;
    // Nodes already scanned: a shared node refers to the same things everywhere.
    // All of them belong to the copied Funcs and to parameters, which outlive this.
    std::unordered_set<const BaseExprNode *> seen_;
};

// Pipeline::get_func(i) walks Halide's own topological order, which sorts by
// name and does not know wrappers.
std::map<std::string, int> pipeline_indices(const std::vector<Function> &outputs) {
    std::map<std::string, Function> env;
    for (const Function &f : outputs) {
        const auto more = find_transitive_calls(f);
        env.insert(more.begin(), more.end());
    }
    std::map<std::string, int> index;
    for (const std::string &name : topological_order(outputs, env)) {
        index.emplace(name, (int)index.size());
    }
    return index;
}

}  // namespace

Graph build_graph(const Pipeline &pipeline) {
    std::vector<Function> outputs;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    const std::map<std::string, Function> originals = build_environment(outputs);
    auto copied = deep_copy(outputs, originals);
    const std::map<std::string, Function> copies = wrap_func_calls(copied.second);

    Graph g;
    Walker walker(g, outputs, originals, copies);
    for (const Function &f : copied.first) {
        walker.visit(copies.at(f.name()));
        const int id = g.func_id(f.name());
        g.funcs[id].output = true;
        g.outputs.push_back(id);
    }
    walker.scan_input_constraints();
    const auto index = pipeline_indices(outputs);
    std::map<std::string, int> found;
    for (const Function &f : called_funcs_in_order_found(outputs)) {
        found.emplace(f.name(), (int)found.size());
    }
    const auto look_up = [](const std::map<std::string, int> &m, const std::string &name) {
        auto it = m.find(name);
        return it == m.end() ? -1 : it->second;
    };
    for (FuncEntry &f : g.funcs) {
        f.pipeline_index = look_up(index, f.copy.name());
        f.found_index = look_up(found, f.copy.name());
    }
    return g;
}

Graph rebuild_graph(const Pipeline &pipeline, const Graph &before) {
    Graph after = build_graph(pipeline);
    const bool same = after.funcs.size() == before.funcs.size();
    for (FuncEntry &f : after.funcs) {
        const int id = before.func_id(f.original.name());
        if (id < 0) {
            continue;
        }
        const FuncEntry &was = before.funcs[id];
        f.written_out = was.written_out;
        f.fused_init = was.fused_init;
        f.unconditional = was.unconditional;
        f.held_reads = was.held_reads;
        f.local = was.local;
        f.separated = was.separated;
        if (same) {
            f.pipeline_index = was.pipeline_index;
            f.found_index = was.found_index;
        }
    }
    return after;
}

Graph rebuild_changed(const Pipeline &pipeline, const Graph &before, const std::set<std::string> &changed, bool FuncEntry::*flag) {
    if (changed.empty()) {
        return before;
    }
    Graph after = rebuild_graph(pipeline, before);
    for (FuncEntry &f : after.funcs) {
        f.*flag = f.*flag || changed.count(f.original.name()) > 0;
    }
    return after;
}

}  // namespace gowarp

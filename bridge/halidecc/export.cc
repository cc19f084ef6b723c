//go:build halide

#include "export.h"
#include "fuseinit.h"
#include "json.h"
#include "restate.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

std::vector<StageLoop> untouched_loops(const Function &f, const Definition &def) {
    const auto type_of = [&](const std::string &name, DimType otherwise) {
        for (const Dim &d : def.schedule().dims()) {
            if (d.var == name) {
                return d.dim_type;
            }
        }
        return otherwise;
    };
    std::vector<StageLoop> loops;
    for (const ReductionVariable &rv : def.schedule().rvars()) {
        loops.push_back({rv.var, true, type_of(rv.var, DimType::ImpureRVar)});
    }
    for (size_t i = 0; i < f.args().size(); i++) {
        const Variable *v = def.args()[i].as<Variable>();
        if (v && !v->param.defined() && !v->reduction_domain.defined() && v->name == f.args()[i]) {
            loops.push_back({v->name, false, DimType::PureVar});
        }
    }
    return loops;
}

namespace {

class Exporter {
public:
    Exporter(Graph &g, const Target &t) : g_(g), target_(t), table_(g) {}

    std::string run() {
        std::string out;
        Json j(out);
        j.open('{');
        j.field("format", std::string("gowarp-pipeline"));
        j.field("version", 1);
        j.field("halide", std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + "." +
                              std::to_string(HALIDE_VERSION_PATCH));
        j.newline();
        j.key("target");
        j.raw(target_json(target_));
        j.newline();
        ids(j, "outputs", g_.outputs);
        j.newline();
        // Inputs come first in the document, but their nodes after those of the
        // Funcs: the order of nodes is that of the walk through the definitions.
        std::string funcs, inputs;
        for (size_t i = 0; i < g_.funcs.size(); i++) {
            funcs += i ? ",\n" : "\n";
            Json f(funcs);
            write_func(f, (int)i);
        }
        for (size_t i = 0; i < g_.inputs.size(); i++) {
            inputs += i ? ",\n" : "\n";
            Json in(inputs);
            write_input(in, g_.inputs[i]);
        }
        j.key("inputs");
        out += "[" + inputs + "],\n\"funcs\":[" + funcs + "],\n\"edges\":[";
        const std::vector<Edge> edges = required_boxes(g_, table_);
        for (size_t i = 0; i < edges.size(); i++) {
            out += i ? ",\n" : "\n";
            Json e(out);
            write_edge(e, edges[i]);
        }
        out += "],\n\"nodes\":[";
        for (size_t i = 0; i < table_.nodes().size(); i++) {
            out += i ? ",\n" : "\n";
            out += table_.nodes()[i];
        }
        out += "]}\n";
        return out;
    }

private:
    static void ids(Json &j, const char *key, const std::vector<int> &v) {
        j.key(key);
        j.open('[');
        for (int id : v) {
            j.integer(id);
        }
        j.close(']');
    }

    void optional(Json &j, const char *key, const Expr &e) {
        if (e.defined()) {
            j.field(key, table_.add(simplify(e)));
        }
    }

    void write_func(Json &j, int id) {
        const FuncEntry &entry = g_.funcs[id];
        const Function &f = entry.copy;
        j.open('{');
        j.field("id", id);
        j.field("name", f.name());
        j.key("types");
        j.open('[');
        for (const Type &t : f.output_types()) {
            j.string(type_name(t));
        }
        j.close(']');
        j.key("args");
        j.open('[');
        for (const std::string &a : f.args()) {
            j.string(a);
        }
        j.close(']');
        j.flag("output", entry.output);
        j.key("stages");
        j.open('[');
        const auto defs = definitions(f);
        for (size_t s = 0; s < defs.size(); s++) {
            write_stage(j, id, *defs[s], s > 0);
        }
        j.close(']');
        table_.begin(stage_context(g_, id, nullptr));
        if (f.has_extern_definition()) {
            write_extern(j, f);
        }
        write_bounds(j, f, entry.output);
        write_estimates(j, f, entry.output);
        write_wrappers(j, entry.original);
        j.field("memory", std::string(memory_word(entry.original.schedule().memory_type())));
        j.key("scheduled");
        j.open('[');
        for (const std::string &s : scheduled_directives(entry.original)) {
            j.string(s);
        }
        j.close(']');
        if (entry.pipeline_index >= 0) {
            j.field("pipeline_index", entry.pipeline_index);
        }
        if (entry.found_index >= 0) {
            j.field("found_index", entry.found_index);
        }
        if (const size_t n = entry.written_out.updates.size()) {
            j.field("written_out", (int)n);
        }
        if (entry.fused_init) {
            j.flag("fused_init", true);
        }
        if (entry.unconditional) {
            j.flag("unconditional", true);
        }
        if (entry.held_reads) {
            j.flag("held_reads", true);
        }
        if (entry.local) {
            j.flag("local", true);
        }
        if (!entry.separated.empty()) {
            j.field("separated", entry.separated);
        }
        j.close('}');
    }

    void write_stage(Json &j, int func, const Definition &def, bool update) {
        table_.begin(stage_context(g_, func, &def));
        const Function &f = g_.funcs[func].copy;
        const size_t before = table_.nodes().size();
        j.open('{');
        std::vector<int> args, values;
        for (const Expr &e : def.args()) {
            args.push_back(table_.add(e));
        }
        std::vector<Expr> computed = def.values();
        Expr where = has_predicate(def) ? def.predicate() : Expr();
        if (!update) {
            where = partly_computed(computed);
        }
        for (const Expr &e : computed) {
            values.push_back(table_.add(e));
        }
        ids(j, "args", args);
        ids(j, "values", values);
        if (where.defined()) {
            j.field("predicate", table_.add(where));
        }
        const auto &rvars = def.schedule().rvars();
        j.key("rvars");
        j.open('[');
        for (const ReductionVariable &rv : rvars) {
            j.open('{');
            j.field("name", rv.var);
            j.field("min", table_.add(rv.min));
            j.field("extent", table_.add(rv.extent));
            j.close('}');
        }
        j.close(']');
        j.key("loops");
        j.open('[');
        for (const StageLoop &l : untouched_loops(f, def)) {
            j.open('{');
            j.field("name", l.name);
            j.field("kind", std::string(!l.rvar                          ? "pure" :
                                        l.type == DimType::ImpureRVar ? "impure_rvar" :
                                                                        "pure_rvar"));
            j.close('}');
        }
        j.close(']');
        if (update) {
            // Halide's prover first undoes CSE, which can grow a definition
            // exponentially; a definition this large is no plain reduction.
            const size_t most_nodes = 2000;
            bool associative = false, commutative = false;
            if (table_.nodes().size() - before <= most_nodes) {
                const AssociativeOp op = prove_associativity(f.name(), def.args(), def.values());
                associative = op.associative();
                commutative = associative && op.commutative();
            }
            j.flag("associative", associative);
            j.flag("commutative", commutative);
            std::vector<int> restated;
            for (const Expr &e : restatement(f, def)) {
                restated.push_back(table_.add(e));
            }
            if (!restated.empty()) {
                ids(j, "restated", restated);
            }
            if (const std::optional<ArgElement> arg = arg_extreme(f, def)) {
                j.key("arg_extreme");
                j.open('{');
                j.field("value", arg->how.value);
                j.flag("greatest", arg->how.greatest);
                ids(j, "places", arg->how.places);
                j.close('}');
            }
        }
        j.close('}');
    }

    void write_extern(Json &j, const Function &f) {
        j.key("extern");
        j.open('{');
        j.field("name", f.extern_function_name());
        const NameMangling m = f.extern_definition_name_mangling();
        j.field("mangling", std::string(m == NameMangling::C ? "c" : m == NameMangling::CPlusPlus ? "cplusplus" :
                                                                                                    "default"));
        j.field("device_api", std::string(device_api_word(f.extern_function_device_api())));
        j.key("args");
        j.open('[');
        for (const ExternFuncArgument &arg : f.extern_arguments()) {
            j.open('{');
            if (arg.is_func()) {
                j.field("func", g_.func_id(Function(arg.func).name()));
            } else if (arg.is_buffer()) {
                j.field("input", g_.input_id(arg.buffer));
            } else if (arg.is_image_param()) {
                j.field("input", g_.input_id(arg.image_param));
            } else if (arg.is_expr()) {
                j.field("expr", table_.add(arg.expr));
            } else {
                throw CompileError("gowarp: an argument of extern Func " + f.name() + " is undefined");
            }
            j.close('}');
        }
        j.close(']');
        j.close('}');
    }

    // The user's promises: Func::bound and its like, and what an output's
    // buffer is constrained to.
    void write_bounds(Json &j, const Function &f, bool output) {
        j.key("bounds");
        j.open('[');
        for (const Bound &b : f.schedule().bounds()) {
            write_bound(j, b);
        }
        if (output && !f.output_buffers().empty()) {
            const Parameter &p = f.output_buffers()[0];
            for (size_t d = 0; d < f.args().size(); d++) {
                Bound b;
                b.var = f.args()[d];
                b.min = p.min_constraint((int)d);
                b.extent = p.extent_constraint((int)d);
                if (b.min.defined() || b.extent.defined()) {
                    write_bound(j, b);
                }
            }
        }
        j.close(']');
    }

    void write_bound(Json &j, const Bound &b) {
        j.open('{');
        j.field("var", b.var);
        optional(j, "min", b.min);
        optional(j, "extent", b.extent);
        optional(j, "modulus", b.modulus);
        optional(j, "remainder", b.remainder);
        j.close('}');
    }

    static bool constant(const Expr &e, int64_t &v) {
        if (!e.defined()) {
            return false;
        }
        const auto c = as_const_int(simplify(e));
        const auto u = as_const_uint(simplify(e));
        v = c ? *c : u ? (int64_t)*u : 0;
        return c || u;
    }

    // A later estimate of the same variable replaces an earlier one. The
    // estimates of an output may also stand on its buffer.
    void write_estimates(Json &j, const Function &f, bool output) {
        j.key("estimates");
        j.open('[');
        for (size_t d = 0; d < f.args().size(); d++) {
            Expr min, extent;
            if (output && !f.output_buffers().empty()) {
                min = f.output_buffers()[0].min_constraint_estimate((int)d);
                extent = f.output_buffers()[0].extent_constraint_estimate((int)d);
            }
            for (const Bound &b : f.schedule().estimates()) {
                if (b.var == f.args()[d]) {
                    min = b.min.defined() ? b.min : min;
                    extent = b.extent.defined() ? b.extent : extent;
                }
            }
            int64_t lo, n;
            if (constant(min, lo) && constant(extent, n)) {
                j.open('{');
                j.field("var", f.args()[d]);
                j.field("min", lo);
                j.field("extent", n);
                j.close('}');
            }
        }
        j.close(']');
    }

    void write_wrappers(Json &j, const Function &f) {
        // By id: the map is ordered by names.
        std::map<int, int> by_id;
        for (const auto &w : f.schedule().wrappers()) {
            const int wrapper = g_.func_id(Function(w.second).name());
            const int in = w.first.empty() ? -1 : g_.func_id(w.first);
            if (wrapper >= 0 && (in >= 0 || w.first.empty())) {
                by_id[in] = wrapper;
            }
        }
        j.key("wrappers");
        j.open('[');
        for (const auto &w : by_id) {
            j.open('{');
            j.field("in", w.first);
            j.field("wrapper", w.second);
            j.close('}');
        }
        j.close(']');
    }

    void write_input(Json &j, const InputEntry &in) {
        Context c;
        c.where = "input " + in.name();
        table_.begin(c);
        j.open('{');
        j.field("name", in.name());
        j.field("kind", std::string(in.scalar() ? "scalar" : in.param.defined() ? "buffer" : "constant"));
        j.field("type", type_name(in.type()));
        if (in.scalar()) {
            optional(j, "estimate", in.param.estimate());
            optional(j, "min", in.param.min_value());
            optional(j, "max", in.param.max_value());
            Expr value = in.param.default_value();
            if (!value.defined() && in.param.has_scalar_value() && !in.type().is_handle()) {
                value = in.param.scalar_expr();
            }
            optional(j, "value", value);
        } else if (in.param.defined()) {
            write_parameter_dims(j, in.param);
        } else {
            j.field("dimensions", in.buffer.dimensions());
            j.key("dim");
            j.open('[');
            for (int d = 0; d < in.buffer.dimensions(); d++) {
                j.open('{');
                j.field("min", table_.add(in.buffer.dim(d).min()));
                j.field("extent", table_.add(in.buffer.dim(d).extent()));
                j.field("stride", table_.add(in.buffer.dim(d).stride()));
                j.close('}');
            }
            j.close(']');
        }
        j.close('}');
    }

    void write_parameter_dims(Json &j, const Parameter &p) {
        // A JIT pipeline's parameter may hold a buffer already: its shape is
        // the best estimate where the user gave none.
        const Buffer<> held = p.buffer();
        j.field("dimensions", p.dimensions());
        j.key("dim");
        j.open('[');
        for (int d = 0; d < p.dimensions(); d++) {
            j.open('{');
            optional(j, "min", p.min_constraint(d));
            optional(j, "extent", p.extent_constraint(d));
            optional(j, "stride", p.stride_constraint(d));
            int64_t v;
            if (constant(p.min_constraint_estimate(d), v)) {
                j.field("min_estimate", v);
            } else if (held.defined()) {
                j.field("min_estimate", held.dim(d).min());
            }
            if (constant(p.extent_constraint_estimate(d), v)) {
                j.field("extent_estimate", v);
            } else if (held.defined()) {
                j.field("extent_estimate", held.dim(d).extent());
            }
            j.close('}');
        }
        j.close(']');
        j.field("host_alignment", p.host_alignment());
    }

    static void write_edge(Json &j, const Edge &e) {
        j.open('{');
        j.field("consumer", e.consumer);
        j.field("stage", e.stage);
        if (e.func >= 0) {
            j.field("func", e.func);
        } else {
            j.field("input", e.input);
        }
        j.key("box");
        j.open('[');
        for (const auto &r : e.box) {
            j.open('[');
            j.raw(r.first < 0 ? "null" : std::to_string(r.first));
            j.raw(r.second < 0 ? "null" : std::to_string(r.second));
            j.close(']');
        }
        j.close(']');
        j.close('}');
    }

    Graph &g_;
    const Target &target_;
    NodeTable table_;
};

}  // namespace

std::string export_pipeline(Graph &g, const Target &target) {
    return Exporter(g, target).run();
}

}  // namespace gowarp

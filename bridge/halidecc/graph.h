// The pipeline as the exporter walks it: Funcs and inputs in an order that
// depends on the definitions alone, never on Halide's names, whose $N suffixes
// differ between runs.
#ifndef GOWARP_GRAPH_H
#define GOWARP_GRAPH_H

#include <Halide.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "argextreme.h"

namespace gowarp {

// The first updates of a Func of the user's, where its definition has taken them over (writeout.h), and what its values are without them.
struct WrittenOut {
    std::vector<Halide::Expr> values;
    std::vector<Halide::Internal::Definition> updates;
};

// A Func's updates, to be taken or put back. Halide hands out its list for reading only; what is behind it is no constant.
inline std::vector<Halide::Internal::Definition> &updates_of(const Halide::Internal::Function &f) {
    return const_cast<std::vector<Halide::Internal::Definition> &>(f.updates());
}

// A Func of the user's, and its twin in a deep copy of the pipeline in which
// calls already go to the wrappers of Func::in and clone_in, exactly as Halide
// resolves them when it lowers. Expressions are read from the copy; directives
// are rehearsed on the copy and then applied to the original.
struct FuncEntry {
    Halide::Internal::Function original, copy;
    bool output = false;
    int pipeline_index = -1;  // i of Pipeline::get_func(i); -1 where that cannot reach it
    int found_index = -1;     // position in called_funcs_in_order_found
    WrittenOut written_out;
    bool fused_init = false;  // its first update has taken over its pure definition (fuseinit.h)
    bool unconditional = false;  // conditions of its updates that load something are part of what they store (unconditional.h)
    bool held_reads = false;     // places that it reads are held within what is needed of it (holdreads.h)
    bool local = false;       // it holds a reduction that a Func of the user's copies (cachewrite.h): none of theirs
    std::string separated;    // not empty: it combines parts of windows, of which all have equal weights or some are weighted (separate.h): none of the user's
    std::map<int, std::optional<ArgExtreme>> over_partial;  // by stage: what a factored one does with its partial results, where that is the least or greatest with its place
    std::set<int> factored;  // stages that a level of a tree has left
    bool made = false;       // by factoring: none of the user's
};

// An input: a parameter (buffer or scalar) or an embedded buffer.
struct InputEntry {
    Halide::Parameter param;
    Halide::Buffer<> buffer;
    std::string name() const { return param.defined() ? param.name() : buffer.name(); }
    Halide::Type type() const { return param.defined() ? param.type() : (Halide::Type)buffer.type(); }
    bool scalar() const { return param.defined() && !param.is_buffer(); }
};

struct Graph {
    std::vector<FuncEntry> funcs;  // producers first
    std::vector<InputEntry> inputs;
    std::vector<int> outputs;

    // -1 where unknown.
    int func_id(const std::string &name) const;
    int input_id(const Halide::Parameter &p) const;
    int input_id(const Halide::Buffer<> &b) const;

    std::map<std::string, int> func_by_name;  // for look-ups only
    std::map<Halide::Parameter, int> input_by_param;
    std::map<const void *, int> input_by_buffer;
};

// Walks the pipeline. Throws Halide::Error.
Graph build_graph(const Halide::Pipeline &pipeline);

// The same once definitions have been changed in place; before is the graph that it had. A schedule that is printed names the Funcs of the
// pipeline as the user has it, and so their positions are those of before; where there are more Funcs now it is for the pipeline that has them.
Graph rebuild_graph(const Halide::Pipeline &pipeline, const Graph &before);

// The same where the definitions of some Funcs, by name, were changed, with a flag that says so of each; before itself if there are none.
Graph rebuild_changed(const Halide::Pipeline &pipeline, const Graph &before, const std::set<std::string> &changed, bool FuncEntry::*flag);

// The operands of an expression, in order. Throws Halide::CompileError for a
// kind of node that this exporter does not know; where names the place.
void operands(const Halide::Internal::BaseExprNode *e, const std::string &where,
              std::vector<Halide::Expr> &out);

// Every expression of one stage in the order in which it is exported: the
// left-hand side, the values, the predicate, the ranges of the reduction.
std::vector<Halide::Expr> stage_exprs(const Halide::Internal::Definition &def);

// The definitions of a Func: pure, then updates; none for an extern Func.
std::vector<const Halide::Internal::Definition *> definitions(const Halide::Internal::Function &f);

// Every expression of all stages of a Func.
std::vector<Halide::Expr> func_exprs(const Halide::Internal::Function &f);

bool has_predicate(const Halide::Internal::Definition &def);

// The Funcs that a wrapper of the user's is for: they have to go on calling what it wraps.
std::set<std::string> wrapped_in(const Graph &g);

}  // namespace gowarp

#endif

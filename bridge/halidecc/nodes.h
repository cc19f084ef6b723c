// The node table: every expression of the pipeline as JSON, each an index.
#ifndef GOWARP_NODES_H
#define GOWARP_NODES_H

#include "graph.h"

#include <unordered_map>

namespace gowarp {

// What names mean where an expression stands: inside one stage of one Func, or
// in the boxes of one. Nodes are shared within a context and never across two,
// because "argument 0" is another variable in the next Func.
struct Context {
    std::string where;                          // for errors: "Func gray"
    std::map<std::string, std::string> extras;  // name of a variable -> its JSON keys ("kind" and what that asks for)
    bool is_func = false;
    int self = -1;  // id of the Func itself
};

// The variables of one stage: the Func's arguments and the reduction's.
Context stage_context(const Graph &g, int func, const Halide::Internal::Definition *def);

// Type as the format spells it: int32, uint1, float16, bfloat16, handle64, x4.
std::string type_name(const Halide::Type &t);

class NodeTable {
public:
    explicit NodeTable(const Graph &g) : graph_(g) {}

    // Everything until the next begin belongs to this context.
    void begin(const Context &context);

    // Adds e and returns its id. e must be defined.
    int add(const Halide::Expr &e);

    const std::vector<std::string> &nodes() const { return nodes_; }

private:
    struct Frame {
        Halide::Expr expr;
        std::vector<Halide::Expr> args;
        std::vector<int> ids;
        size_t next = 0;
        // For a let whose body is being walked.
        std::string let_label;
        size_t memo_mark = 0;
        bool bound = false;
        std::string hidden;  // what an outer let of the same name was called
        bool hides = false;
        std::unordered_map<const Halide::Internal::BaseExprNode *, int> hidden_memo;
    };
    void bind_let(Frame &f);
    void unbind_let(Frame &f);
    std::string render(const Frame &f) const;
    std::string output_size(const Halide::Internal::Variable *v) const;
    std::string render_variable(const Halide::Internal::Variable *v) const;
    std::string render_call(const Halide::Internal::Call *c) const;
    int intern(const std::string &text);

    const Graph &graph_;
    Context context_;
    std::vector<std::string> nodes_;
    // Nodes of this context by address, and by what they say. Entries made
    // inside a let's body are dropped at its end: there a name may mean
    // something else.
    std::unordered_map<const Halide::Internal::BaseExprNode *, int> memo_;
    std::vector<const Halide::Internal::BaseExprNode *> memo_log_;
    std::unordered_map<std::string, int> by_text_;
    std::map<std::string, std::string> lets_;  // Halide's name -> ours
    int lets_made_ = 0;
    // Addresses are compared, so what they point to must stay alive.
    std::vector<Halide::Expr> alive_;
};

}  // namespace gowarp

#endif

//go:build halide

#include "nodes.h"
#include "json.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

std::string type_name(const Type &t) {
    std::string s;
    switch (t.code()) {
    case Type::Int: s = "int"; break;
    case Type::UInt: s = "uint"; break;
    case Type::Float: s = "float"; break;
    case Type::BFloat: s = "bfloat"; break;
    case Type::Handle: s = "handle"; break;
    default:
        throw CompileError("gowarp: type of class " + std::to_string((int)t.code()) + " is not known");
    }
    s += std::to_string(t.bits());
    if (t.lanes() != 1) {
        s += "x" + std::to_string(t.lanes());
    }
    return s;
}

Context stage_context(const Graph &g, int func, const Definition *def) {
    const Function &f = g.funcs[func].copy;
    Context c;
    c.where = "Func " + f.name();
    c.is_func = true;
    c.self = func;
    for (size_t i = 0; i < f.args().size(); i++) {
        c.extras[f.args()[i]] = "\"kind\":\"dim\",\"i\":" + std::to_string(i);
    }
    if (def) {
        const auto &rvars = def->schedule().rvars();
        for (size_t i = 0; i < rvars.size(); i++) {
            c.extras[rvars[i].var] = "\"kind\":\"rvar\",\"i\":" + std::to_string(i);
        }
    }
    return c;
}

void NodeTable::begin(const Context &context) {
    context_ = context;
    memo_.clear();
    memo_log_.clear();
    by_text_.clear();
    lets_.clear();
    lets_made_ = 0;
}

int NodeTable::intern(const std::string &text) {
    auto it = by_text_.emplace(text, (int)nodes_.size());
    if (it.second) {
        nodes_.push_back(text);
    }
    return it.first->second;
}

void NodeTable::bind_let(Frame &f) {
    const Let *l = f.expr.as<Let>();
    f.bound = true;
    f.let_label = "t" + std::to_string(lets_made_++);
    f.memo_mark = memo_log_.size();
    auto it = lets_.find(l->name);
    if (it != lets_.end()) {
        // An inner let hides an outer one: nodes seen so far may mean another
        // value in this body.
        f.hides = true;
        f.hidden = it->second;
        f.hidden_memo.swap(memo_);
    }
    lets_[l->name] = f.let_label;
}

void NodeTable::unbind_let(Frame &f) {
    const Let *l = f.expr.as<Let>();
    if (f.hides) {
        lets_[l->name] = f.hidden;
        memo_.swap(f.hidden_memo);
    } else {
        lets_.erase(l->name);
        for (size_t i = f.memo_mark; i < memo_log_.size(); i++) {
            memo_.erase(memo_log_[i]);
        }
    }
    memo_log_.resize(f.memo_mark);
}

int NodeTable::add(const Expr &root) {
    alive_.push_back(root);
    std::vector<Frame> stack;
    const auto enter = [&](const Expr &e) {
        if (!e.defined()) {
            throw InternalError("gowarp: an expression in " + context_.where + " has an undefined operand");
        }
        Frame f;
        f.expr = e;
        operands(e.get(), context_.where, f.args);
        stack.push_back(std::move(f));
    };
    const auto known = [&](const Expr &e) {
        auto it = e.defined() ? memo_.find(e.get()) : memo_.end();
        return it == memo_.end() ? -1 : it->second;
    };
    int id = known(root);
    if (id >= 0) {
        return id;
    }
    enter(root);
    while (true) {
        Frame &top = stack.back();
        if (top.next < top.args.size()) {
            const bool body = top.expr.node_type() == IRNodeType::Let && top.next == 1;
            if (body && !top.bound) {
                bind_let(top);
            }
            const Expr e = top.args[top.next];
            const int child = known(e);
            if (child >= 0) {
                top.ids.push_back(child);
                top.next++;
            } else {
                enter(e);
            }
            continue;
        }
        if (top.bound) {
            unbind_let(top);
        }
        id = intern(render(top));
        if (memo_.emplace(top.expr.get(), id).second) {
            memo_log_.push_back(top.expr.get());
        }
        stack.pop_back();
        if (stack.empty()) {
            return id;
        }
        stack.back().ids.push_back(id);
        stack.back().next++;
    }
}

namespace {

const char *binary_word(IRNodeType t) {
    switch (t) {
    case IRNodeType::Add: return "add";
    case IRNodeType::Sub: return "sub";
    case IRNodeType::Mul: return "mul";
    case IRNodeType::Div: return "div";
    case IRNodeType::Mod: return "mod";
    case IRNodeType::Min: return "min";
    case IRNodeType::Max: return "max";
    case IRNodeType::EQ: return "eq";
    case IRNodeType::NE: return "ne";
    case IRNodeType::LT: return "lt";
    case IRNodeType::LE: return "le";
    case IRNodeType::GT: return "gt";
    case IRNodeType::GE: return "ge";
    case IRNodeType::And: return "and";
    case IRNodeType::Or: return "or";
    case IRNodeType::Not: return "not";
    case IRNodeType::Select: return "select";
    case IRNodeType::Cast: return "cast";
    case IRNodeType::Reinterpret: return "reinterpret";
    default: return nullptr;
    }
}

const char *reduce_word(VectorReduce::Operator op) {
    switch (op) {
    case VectorReduce::Add: return "add";
    case VectorReduce::SaturatingAdd: return "saturating_add";
    case VectorReduce::Mul: return "mul";
    case VectorReduce::Min: return "min";
    case VectorReduce::Max: return "max";
    case VectorReduce::And: return "and";
    case VectorReduce::Or: return "or";
    }
    throw CompileError("gowarp: vector reduction " + std::to_string((int)op) + " is not known");
}

const char *call_word(Call::CallType t, const std::string &where) {
    switch (t) {
    case Call::Halide: return "halide";
    case Call::Image: return "image";
    case Call::Intrinsic: return "intrinsic";
    case Call::PureIntrinsic: return "pure_intrinsic";
    case Call::Extern: return "extern";
    case Call::ExternCPlusPlus: return "extern_cplusplus";
    case Call::PureExtern: return "pure_extern";
    }
    throw CompileError("gowarp: call of kind " + std::to_string((int)t) + " in " + where + " is not known");
}

std::string id_list(const std::vector<int> &ids) {
    std::string s = "[";
    for (size_t i = 0; i < ids.size(); i++) {
        s += (i ? "," : "") + std::to_string(ids[i]);
    }
    return s + "]";
}

// "name.min.0" of input "name": the field and the dimension.
bool split_buffer_field(const std::string &name, std::string &field, int &dim) {
    const size_t last = name.rfind('.');
    const size_t middle = last == std::string::npos || last == 0 ? std::string::npos : name.rfind('.', last - 1);
    if (middle == std::string::npos || last + 1 == name.size() ||
        name.find_first_not_of("0123456789", last + 1) != std::string::npos || name.size() - last > 8) {
        return false;
    }
    field = name.substr(middle + 1, last - middle - 1);
    dim = std::stoi(name.substr(last + 1));
    return field == "min" || field == "max" || field == "extent" || field == "stride";
}

}  // namespace

// The keys of a size of an output, "" of another variable.
std::string NodeTable::output_size(const Variable *v) const {
    std::string field;
    int dim;
    if (!v->param.defined() || !split_buffer_field(v->name, field, dim) || (field != "min" && field != "extent")) {
        return "";
    }
    for (int id : graph_.outputs) {
        const Function &f = graph_.funcs[id].original;
        if (!f.output_buffers().empty() && dim < (int)f.args().size() && v->param.name() == f.output_buffers()[0].name() && v->name == f.output_buffers()[0].name() + "." + field + "." + std::to_string(dim)) {
            return ",\"kind\":\"output\",\"of\":" + std::to_string(id) + ",\"field\":\"" + field + "\",\"dim\":" + std::to_string(dim);
        }
    }
    return "";
}

std::string NodeTable::render_variable(const Variable *v) const {
    auto let = lets_.find(v->name);
    if (let != lets_.end()) {
        return "\"name\":" + json_quote(let->second) + ",\"kind\":\"let\"";
    }
    const int input = v->param.defined() ? graph_.input_id(v->param) : v->image.defined() ? graph_.input_id(v->image)
                                                                                          : -1;
    if (input >= 0) {
        const InputEntry &in = graph_.inputs[input];
        if (in.scalar()) {
            return "\"name\":" + json_quote(in.name()) + ",\"kind\":\"scalar\",\"i\":" + std::to_string(input);
        }
        std::string field;
        int dim;
        if (split_buffer_field(v->name, field, dim)) {
            return "\"name\":" + json_quote(in.name() + "." + field + "." + std::to_string(dim)) +
                   ",\"kind\":\"bound\",\"of\":" + std::to_string(input) + ",\"field\":\"" + field +
                   "\",\"dim\":" + std::to_string(dim);
        }
    }
    if (const std::string size = output_size(v); !size.empty()) {
        return "\"name\":" + json_quote(v->name) + size;
    }
    auto extra = context_.extras.find(v->name);
    if (extra != context_.extras.end()) {
        return "\"name\":" + json_quote(v->name) + "," + extra->second;
    }
    return "\"name\":" + json_quote(v->name) + ",\"kind\":\"free\"";
}

std::string NodeTable::render_call(const Call *c) const {
    std::string name = c->name;
    std::string keys = std::string(",\"ct\":\"") + call_word(c->call_type, context_.where) + "\"";
    if (c->call_type == Call::Halide) {
        const int f = graph_.func_id(c->name);
        if (f < 0) {
            throw InternalError("gowarp: " + context_.where + " calls Func " + c->name + ", which the walk did not meet");
        }
        keys += ",\"func\":" + std::to_string(f) + ",\"out\":" + std::to_string(c->value_index);
    } else if (c->call_type == Call::Image) {
        const int i = c->param.defined() ? graph_.input_id(c->param) : c->image.defined() ? graph_.input_id(c->image)
                                                                                          : -1;
        if (i < 0) {
            throw InternalError("gowarp: " + context_.where + " reads image " + c->name + ", which the walk did not meet");
        }
        name = graph_.inputs[i].name();
        keys += ",\"input\":" + std::to_string(i);
    }
    return "\"name\":" + json_quote(name) + keys;
}

std::string NodeTable::render(const Frame &f) const {
    const BaseExprNode *e = f.expr.get();
    std::string head = "{\"op\":\"", t = "\",\"t\":\"" + type_name(e->type) + "\"";
    const std::string a = ",\"a\":" + id_list(f.ids) + "}";
    if (const char *word = binary_word(e->node_type)) {
        return head + word + t + a;
    }
    switch (e->node_type) {
    case IRNodeType::IntImm:
        return head + "int" + t + ",\"v\":" + std::to_string(((const IntImm *)e)->value) + "}";
    case IRNodeType::UIntImm:
        return head + "uint" + t + ",\"v\":" + std::to_string(((const UIntImm *)e)->value) + "}";
    case IRNodeType::FloatImm:
        return head + "float" + t + ",\"v\":" + json_double(((const FloatImm *)e)->value) + "}";
    case IRNodeType::StringImm:
        return head + "string" + t + ",\"v\":" + json_quote(((const StringImm *)e)->value) + "}";
    case IRNodeType::Variable:
        return head + "var" + t + "," + render_variable((const Variable *)e) + "}";
    case IRNodeType::Call:
        return head + "call" + t + "," + render_call((const Call *)e) + a;
    case IRNodeType::Let:
        return head + "let" + t + ",\"name\":" + json_quote(f.let_label) + a;
    case IRNodeType::Ramp:
        return head + "ramp" + t + ",\"lanes\":" + std::to_string(((const Ramp *)e)->lanes) + a;
    case IRNodeType::Broadcast:
        return head + "broadcast" + t + ",\"lanes\":" + std::to_string(((const Broadcast *)e)->lanes) + a;
    case IRNodeType::Shuffle:
        return head + "shuffle" + t + ",\"indices\":" + id_list(((const Shuffle *)e)->indices) + a;
    case IRNodeType::VectorReduce:
        return head + "vector_reduce" + t + ",\"reduce\":\"" + reduce_word(((const VectorReduce *)e)->op) + "\"" + a;
    case IRNodeType::Load:
        return head + "load" + t + ",\"name\":" + json_quote(((const Load *)e)->name) + a;
    default:
        throw CompileError("gowarp: expression node of kind " + std::to_string((int)e->node_type) + " in " +
                           context_.where + " is not known; this plugin was written for Halide 21");
    }
}

}  // namespace gowarp

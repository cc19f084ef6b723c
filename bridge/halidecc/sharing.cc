//go:build halide

#include "sharing.h"
#include "shuffle.h"

#include <set>
#include <sstream>
#include <unordered_map>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The instructions of a condition: a branch, and a jump behind what is under it.
constexpr int guard_operations = 2;

// Numbers values: equal ones have one number. Each is visited behind what it is computed from.
class Values : public IRVisitor {
public:
    struct Value {
        bool product = false;  // of floats
        bool sum = false;
        bool operation = false;
        bool stays = false;  // the compiler moves it under no condition
        std::vector<int> of;
    };

    int number(const Expr &e) {
        e.accept(this);
        return last_;
    }

    // A register has this value from now on; one of its own, which nothing is known of, for a negative one.
    void set(const std::string &name, const Expr &index, int value) {
        const std::string at = place(name, index);
        registers_[at] = value;
        written_[at]++;
    }

    void define(const std::string &variable, int value) { variables_[variable] = value; }

    const std::vector<Value> &all() const { return values_; }

private:
    using IRVisitor::visit;

    void note(const std::string &key, Value v) {
        const auto [at, fresh] = numbers_.emplace(key, (int)values_.size());
        if (fresh) {
            values_.push_back(std::move(v));
        }
        last_ = at->second;
    }

    static std::string place(const std::string &name, const Expr &index) {
        std::ostringstream s;
        s << name << "[" << index << "]";
        return s.str();
    }

    template<typename T>
    void binary(const T *op, const char *name) {
        Value v;
        const int a = number(op->a), b = number(op->b);
        v.operation = true;
        v.of = {a, b};
        const bool floats = op->type.is_float();
        if (std::is_same<T, Mul>::value) {
            v.product = floats;
        } else if (std::is_same<T, Add>::value || std::is_same<T, Sub>::value) {
            v.sum = floats;
        }
        note(name + (" " + std::to_string(a)) + " " + std::to_string(b), v);
    }

    // One that is printed but for what it is computed from.
    void other(const std::string &name, const std::vector<Expr> &of, bool operation, bool stays = false) {
        Value v;
        v.operation = operation;
        v.stays = stays;
        std::string key = name;
        for (const Expr &e : of) {
            v.of.push_back(number(e));
            key += " " + std::to_string(v.of.back());
        }
        note(key, v);
    }

    template<typename T>
    void leaf(const T *op) {
        std::ostringstream s;
        s << op->type << " " << Expr(op);
        note(s.str(), Value());
    }

    void visit(const IntImm *op) override { leaf(op); }
    void visit(const UIntImm *op) override { leaf(op); }
    void visit(const FloatImm *op) override { leaf(op); }
    void visit(const StringImm *op) override { leaf(op); }
    void visit(const Variable *op) override {
        const auto v = variables_.find(op->name);
        if (v != variables_.end()) {
            last_ = v->second;
            return;
        }
        leaf(op);
    }
    void visit(const Add *op) override { binary(op, "+"); }
    void visit(const Sub *op) override { binary(op, "-"); }
    void visit(const Mul *op) override { binary(op, "*"); }
    void visit(const Div *op) override { binary(op, "/"); }
    void visit(const Mod *op) override { binary(op, "%"); }
    void visit(const Min *op) override { binary(op, "min"); }
    void visit(const Max *op) override { binary(op, "max"); }
    void visit(const EQ *op) override { binary(op, "=="); }
    void visit(const NE *op) override { binary(op, "!="); }
    void visit(const LT *op) override { binary(op, "<"); }
    void visit(const LE *op) override { binary(op, "<="); }
    void visit(const GT *op) override { binary(op, ">"); }
    void visit(const GE *op) override { binary(op, ">="); }
    void visit(const And *op) override { binary(op, "&&"); }
    void visit(const Or *op) override { binary(op, "||"); }
    void visit(const Not *op) override { other("!", {op->a}, true); }
    void visit(const Select *op) override { other("select", {op->condition, op->true_value, op->false_value}, true); }
    void visit(const Cast *op) override {
        std::ostringstream s;
        s << "cast " << op->type;
        other(s.str(), {op->value}, true);
    }
    void visit(const Reinterpret *op) override {
        std::ostringstream s;
        s << "reinterpret " << op->type;
        other(s.str(), {op->value}, false);
    }
    void visit(const Call *op) override { other(op->name, op->args, true, bool(as_shuffle(op))); }
    void visit(const Load *op) override {
        const std::string at = place(op->name, op->index);
        const auto r = registers_.find(at);
        if (r != registers_.end() && r->second >= 0) {
            last_ = r->second;
            return;
        }
        // An instruction adds a constant to an address of 64 bits.
        const Add *a = op->index.type().bits() == 64 ? op->index.as<Add>() : nullptr;
        const Expr address = a && is_const(a->b) ? a->a : op->index;
        other(at + " " + std::to_string(written_[at]), {address}, !is_const(op->index));
    }
    void visit(const Let *op) override {
        variables_[op->name] = number(op->value);
        last_ = number(op->body);
    }

    std::vector<Value> values_;
    std::unordered_map<std::string, int> numbers_;
    std::unordered_map<std::string, int> variables_, registers_, written_;
    int last_ = -1;
};

// Counts what is computed where. The line is a sequence of stretches, every second one under a condition. The compiler computes a value where it was
// written without condition, once, or under the condition under which alone it is needed; what was written under conditions only, under each.
class Count {
public:
    explicit Count(const Held &held) : held_(held) {}

    int count(const StraightLine &line) {
        for (const StraightLine::Run &r : line.runs()) {
            for (const auto &l : r.lets) {
                values_.define(l.first, born(values_.number(l.second)));
            }
            if (r.body.empty()) {
                continue;
            }
            guarded_ = !r.guards.empty();
            stretch_ += guarded_;
            guards_ += guarded_;
            for (const Stmt &s : r.body) {
                statement(s);
            }
            stretch_ += guarded_;
            guarded_ = false;
        }
        place();
        return stores_ + guards_ * guard_operations + placed();
    }

private:
    static bool under_condition(int stretch) { return stretch % 2 == 1; }

    struct Fate {
        int born = -1;           // the first stretch without condition in which it is written
        std::set<int> needed;    // the stretches
        std::set<int> computed;  // likewise
    };

    Fate &fate(int v) {
        if ((int)fates_.size() <= v) {
            fates_.resize(v + 1);
        }
        return fates_[v];
    }

    // Notes that a value, and all that it is computed from, is written here.
    int born(int v) {
        if (guarded_ || fate(v).born >= 0) {
            return v;
        }
        fates_[v].born = stretch_;
        for (int of : values_.all()[v].of) {
            born(of);
        }
        if (values_.all()[v].stays) {
            fate(v).needed.insert(stretch_);
        }
        return v;
    }

    void statement(const Stmt &s) {
        if (const LetStmt *l = s.as<LetStmt>()) {
            values_.define(l->name, born(values_.number(l->value)));
            statement(l->body);
            return;
        }
        const Store *op = s.as<Store>();
        if (!op) {
            return;  // others cost the same wherever they stand
        }
        const int v = born(values_.number(op->value));
        if (held_.count(op->name)) {
            values_.set(op->name, op->index, guarded_ ? -1 : v);
        }
        if (guarded_ || !held_.count(op->name)) {
            fate(v).needed.insert(stretch_);
        }
        if (!held_.count(op->name)) {
            fate(born(values_.number(op->index))).needed.insert(stretch_);
            stores_++;
        }
    }

    // Decides where each value is computed: users come behind what they use.
    void place() {
        for (int v = (int)values_.all().size() - 1; v >= 0; v--) {
            Fate &f = fate(v);
            for (int s : f.needed) {
                const bool alone = f.needed.size() == 1 && under_condition(s) && !values_.all()[v].stays;
                f.computed.insert(f.born < 0 || s < f.born || alone ? s : f.born);
            }
            for (int of : values_.all()[v].of) {
                fate(of).needed.insert(f.computed.begin(), f.computed.end());
            }
        }
    }

    // How many operations that makes. A product whose every use is to be added in its own stretch is none, of two in one sum the first.
    int placed() const {
        std::set<std::pair<int, int>> own;  // products that are operations, by stretch
        for (size_t v = 0; v < fates_.size(); v++) {
            const Values::Value &value = values_.all()[v];
            bool fused = false;
            for (int of : value.of) {
                const bool may = value.sum && !fused && values_.all()[of].product;
                fused = fused || may;
                for (int s : fates_[v].computed) {
                    const std::set<int> &at = fates_[of].computed;
                    if (may && at.count(s)) {
                        continue;
                    }
                    own.emplace(of, at.count(s) ? s : fates_[of].born);
                }
            }
        }
        int n = 0;
        for (size_t v = 0; v < fates_.size(); v++) {
            const Values::Value &value = values_.all()[v];
            for (int s : fates_[v].computed) {
                n += value.operation && (!value.product || own.count({(int)v, s}));
            }
        }
        return n;
    }

    const Held &held_;
    Values values_;
    std::vector<Fate> fates_;
    bool guarded_ = false;
    int stretch_ = 0, stores_ = 0, guards_ = 0;
};

}  // namespace

int operations(const StraightLine &line, const Held &held) {
    return Count(held).count(line);
}

}  // namespace gowarp

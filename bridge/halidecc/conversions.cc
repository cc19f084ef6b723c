//go:build halide

#include "conversions.h"

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The buffers that a kernel stores to.
class Stored : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Store *op) override {
        names.insert(op->name);
        IRVisitor::visit(op);
    }

public:
    std::set<std::string> names;
};

// Whether an expression loads something, and nothing but that may change.
class Loads : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Load *op) override {
        any = true;
        constant = constant && (!stored_.count(op->name) || is_set_once_(op));
        IRVisitor::visit(op);
    }
    void visit(const Call *op) override {
        constant = constant && op->is_pure();
        IRVisitor::visit(op);
    }
    void visit(const Let *op) override { constant = false; }

    const std::set<std::string> &stored_;
    const IsSetOnce &is_set_once_;

public:
    Loads(const std::set<std::string> &stored, const IsSetOnce &is_set_once)
        : stored_(stored), is_set_once_(is_set_once) {}
    bool any = false, constant = true;
};

class Apart : public IRMutator {
public:
    Apart(std::set<std::string> stored, const IsSetOnce &is_set_once)
        : stored_(std::move(stored)), is_set_once_(is_set_once) {}

private:
    using IRMutator::visit;

    struct Made {
        std::string name;
        Expr value;
    };

    const std::set<std::string> stored_;
    const IsSetOnce &is_set_once_;
    const std::string prefix_ = unique_name("gowarp.of");
    std::map<Expr, std::string, IRDeepCompare> known_;  // where this is defined
    std::vector<Made> made_;                            // for the definition at hand
    bool takes_ = false;  // what is made is defined before what is at hand
    bool in_index_ = false, conditional_ = false;
    int next_ = 0;

    Stmt visit(const LetStmt *op) override {
        Expr value;
        std::vector<Made> made;
        {
            const ScopedValue<bool> before(takes_, true), index(in_index_, op->value.type() == Int(32));
            value = mutate(op->value);
            made.swap(made_);
        }
        return defined(made, LetStmt::make(op->name, value, mutate(op->body)));
    }

    Stmt visit(const Store *op) override {
        const ScopedValue<bool> before(takes_, true);
        const Stmt s = IRMutator::visit(op);
        std::vector<Made> made;
        made.swap(made_);
        return defined(made, s);
    }

    Expr visit(const Load *op) override {
        const ScopedValue<bool> index(in_index_, takes_);
        return IRMutator::visit(op);
    }

    // A statement with definitions before it, which hold there alone.
    Stmt defined(const std::vector<Made> &made, Stmt s) {
        for (auto m = made.rbegin(); m != made.rend(); m++) {
            known_.erase(m->value);
            s = LetStmt::make(m->name, m->value, s);
        }
        return s;
    }

    Expr visit(const Cast *op) override {
        if (in_index_ && !conditional_ && op->type == Int(32) && op->value.type().is_float() && op->value.type().is_scalar()) {
            Loads loads(stored_, is_set_once_);
            op->value.accept(&loads);
            if (loads.any && loads.constant) {
                auto [known, fresh] = known_.emplace(op, "");
                if (fresh) {
                    known->second = prefix_ + "." + std::to_string(next_++);
                    made_.push_back({known->second, op});
                }
                return Variable::make(Int(32), known->second);
            }
        }
        return IRMutator::visit(op);
    }

    // What may not be computed where it is not asked for stays.
    Expr visit(const Call *op) override {
        const ScopedValue<bool> side(conditional_, conditional_ || op->is_intrinsic(Call::if_then_else));
        return IRMutator::visit(op);
    }
    Expr visit(const Let *op) override {
        const ScopedValue<bool> bound(conditional_, true);
        return IRMutator::visit(op);
    }
};

}  // namespace

Stmt with_conversions_apart(const Stmt &kernel, const IsSetOnce &is_set_once) {
    Stored stored;
    kernel.accept(&stored);
    return Apart(std::move(stored.names), is_set_once).mutate(kernel);
}

}  // namespace gowarp

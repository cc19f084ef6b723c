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
        constant = constant && !stored_.count(op->name);
        IRVisitor::visit(op);
    }
    void visit(const Call *op) override {
        constant = constant && op->is_pure();
        IRVisitor::visit(op);
    }
    void visit(const Let *op) override { constant = false; }

    const std::set<std::string> &stored_;

public:
    explicit Loads(const std::set<std::string> &stored)
        : stored_(stored) {}
    bool any = false, constant = true;
};

class Apart : public IRMutator {
public:
    explicit Apart(std::set<std::string> stored)
        : stored_(std::move(stored)) {}

private:
    using IRMutator::visit;

    struct Made {
        std::string name;
        Expr value;
    };

    const std::set<std::string> stored_;
    const std::string prefix_ = unique_name("gowarp.of");
    std::map<Expr, std::string, IRDeepCompare> known_;  // where this is defined
    std::vector<Made> made_;                            // for the definition at hand
    bool in_index_ = false, conditional_ = false;
    int next_ = 0;

    Stmt visit(const LetStmt *op) override {
        Expr value = op->value;
        std::vector<Made> made;
        if (value.type() == Int(32)) {
            const ScopedValue<bool> index(in_index_, true);
            value = mutate(value);
            made.swap(made_);
        }
        Stmt s = LetStmt::make(op->name, value, mutate(op->body));
        for (auto m = made.rbegin(); m != made.rend(); m++) {
            known_.erase(m->value);
            s = LetStmt::make(m->name, m->value, s);
        }
        return s;
    }

    Expr visit(const Cast *op) override {
        if (in_index_ && !conditional_ && op->type == Int(32) && op->value.type().is_float() && op->value.type().is_scalar()) {
            Loads loads(stored_);
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

Stmt with_conversions_apart(const Stmt &kernel) {
    Stored stored;
    kernel.accept(&stored);
    return Apart(std::move(stored.names)).mutate(kernel);
}

}  // namespace gowarp

//go:build halide

#include "wholecells.h"
#include "kernelof.h"

#include <numeric>
#include <optional>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr char whole[] = "gowarp.whole_cells";

bool is_index(const Type &t) { return t == Int(32); }

int64_t mod(int64_t a, int64_t m) { return ((a % m) + m) % m; }

// What an expression leaves when it is divided by a number, where that is known.
std::optional<int64_t> remainder(const Expr &e, int64_t m) {
    const ModulusRemainder is = modulus_remainder(e);
    if (is.modulus == 0) {  // a constant
        return mod(is.remainder, m);
    }
    return is.modulus % m == 0 ? std::optional<int64_t>(mod(is.remainder, m)) : std::nullopt;
}

// (e - r) / m of an expression that leaves r. Halide's simplifier leaves divisions by m of the smaller of two multiples, and of sums with it.
Expr quotient(const Expr &e, int64_t m, int64_t r) {
    const auto number = [](int64_t n) { return make_const(Int(32), n); };
    const auto both = [&](const Expr &a, const Expr &b) {
        const auto ra = remainder(a, m), rb = remainder(b, m);
        return ra && rb ? std::optional<std::pair<int64_t, int64_t>>({*ra, *rb}) : std::nullopt;
    };
    if (const auto n = as_const_int(e)) {
        return number((*n - r) / m);
    }
    if (const Add *op = e.as<Add>()) {
        if (const auto rs = both(op->a, op->b)) {
            return quotient(op->a, m, rs->first) + quotient(op->b, m, rs->second) + number((rs->first + rs->second - r) / m);
        }
    } else if (const Sub *op = e.as<Sub>()) {
        if (const auto rs = both(op->a, op->b)) {
            return quotient(op->a, m, rs->first) - quotient(op->b, m, rs->second) + number((rs->first - rs->second - r) / m);
        }
    } else if (const Min *op = e.as<Min>()) {
        if (both(op->a, op->b) == std::make_pair(r, r)) {
            return min(quotient(op->a, m, r), quotient(op->b, m, r));
        }
    } else if (const Max *op = e.as<Max>()) {
        if (both(op->a, op->b) == std::make_pair(r, r)) {
            return max(quotient(op->a, m, r), quotient(op->b, m, r));
        }
    } else if (const Select *op = e.as<Select>()) {
        if (both(op->true_value, op->false_value) == std::make_pair(r, r)) {
            return select(op->condition, quotient(op->true_value, m, r), quotient(op->false_value, m, r));
        }
    } else if (const Mul *op = e.as<Mul>()) {
        const auto by = as_const_int(op->b);
        if (by && *by % m == 0) {
            return op->a * number(*by / m);
        }
        if (by && r == 0 && remainder(op->a, m) == 0) {
            return quotient(op->a, m, 0) * number(*by);
        }
    }
    return (e - number(r)) / number(m);
}

// A statement in which some variables are multiples.
class AtCells : public IRMutator {
public:
    // of is what all cells are a divisor of.
    explicit AtCells(int64_t of) : of_(of) {}

    // The variable is so many times the one that is returned.
    std::string times(const std::string &variable, int64_t m) {
        const std::string cell = unique_name(variable + ".cell");
        becomes_[variable] = Variable::make(Int(32), cell) * make_const(Int(32), m);
        return cell;
    }

private:
    using IRMutator::visit;

    const int64_t of_;
    std::map<std::string, Expr> becomes_;  // what stands for a variable
    bool changed_ = false;

    // An expression that is no part of another.
    Expr all_of(const Expr &e) {
        if (!e.defined()) {
            return e;
        }
        const ScopedValue<bool> before(changed_, false);
        const Expr is = mutate(e);
        return changed_ ? simplify(is) : is;
    }

    // What a let of this name and value, which is mutated already, is now; and what its variable is.
    std::pair<std::string, Expr> defined(const std::string &name, const Expr &value) {
        if (is_index(value.type()) && !is_const(value)) {
            const ModulusRemainder is = modulus_remainder(value);
            if (const int64_t m = is.modulus ? std::gcd(is.modulus, of_) : 1; m > 1) {
                const int64_t r = mod(is.remainder, m);
                const std::string cell = unique_name(name + ".cell");
                becomes_[name] = Variable::make(Int(32), cell) * make_const(Int(32), m) + make_const(Int(32), r);
                return {cell, simplify(quotient(value, m, r))};
            }
        }
        // The code before has the name, too.
        const std::string again = unique_name(name);
        becomes_[name] = Variable::make(value.type(), again);
        return {again, value};
    }

    Expr visit(const Variable *op) override {
        const auto is = becomes_.find(op->name);
        if (is == becomes_.end()) {
            return op;
        }
        changed_ = changed_ || !is->second.as<Variable>();
        return is->second;
    }

    Expr visit(const Let *op) override {
        const auto [name, value] = defined(op->name, simplify(mutate(op->value)));
        return Let::make(name, value, mutate(op->body));
    }

    Stmt visit(const LetStmt *op) override {
        const auto [name, value] = defined(op->name, all_of(op->value));
        return LetStmt::make(name, value, mutate(op->body));
    }

    Stmt visit(const Store *op) override {
        const Expr value = all_of(op->value);
        return Store::make(op->name, value, all_of(op->index), op->param, all_of(op->predicate), op->alignment);
    }

    Stmt visit(const For *op) override {
        const Expr min = all_of(op->min), extent = all_of(op->extent);
        return For::make(op->name, min, extent, op->for_type, op->partition_policy, op->device_api, mutate(op->body));
    }

    Stmt visit(const IfThenElse *op) override {
        const Expr condition = all_of(op->condition);
        if (is_const_one(condition)) {
            return mutate(op->then_case);
        }
        if (is_const_zero(condition)) {
            return op->else_case.defined() ? mutate(op->else_case) : Evaluate::make(0);
        }
        return IfThenElse::make(condition, mutate(op->then_case), op->else_case.defined() ? mutate(op->else_case) : Stmt());
    }
};

// The names of all variables in a statement or an expression.
class Used : public IRVisitor {
public:
    std::set<std::string> names;

private:
    using IRVisitor::visit;
    void visit(const Variable *op) override { names.insert(op->name); }
};

}  // namespace

bool chooses_cells(const IfThenElse *op) {
    const Variable *v = op->condition.as<Variable>();
    return v && starts_with(v->name, whole);
}

Stmt WholeCells::visit(const LetStmt *op) {
    lets_.emplace_back(op->name, op->value);
    const Stmt s = IRMutator::visit(op);
    lets_.pop_back();
    return s;
}

Stmt WholeCells::visit(const For *op) {
    if (op->for_type != ForType::GPUBlock) {
        return IRMutator::visit(op);
    }
    const auto f = kernel_of(moduli_, op);
    if (f == moduli_.end() || !done_.insert(f->first).second) {
        return op;
    }
    int64_t all = 1;
    for (const int m : f->second) {
        all = std::lcm(all, (int64_t)m);
    }
    AtCells at(all);
    std::set<std::string> from;  // what is computed from where the output begins and ends
    std::vector<std::pair<std::string, Expr>> cells;
    Expr are;
    for (size_t d = 0; d < f->second.size(); d++) {
        const int m = f->second[d];
        for (const char *which : {".min.", ".extent."}) {
            const std::string name = f->first + which + std::to_string(d);
            if (m < 2) {
                continue;
            }
            if (std::none_of(lets_.begin(), lets_.end(), [&](const auto &l) { return l.first == name; })) {
                return op;  // nothing tells where it begins
            }
            const Expr v = Variable::make(Int(32), name), is = v % m == 0;
            are = are.defined() ? are && is : is;
            from.insert(name);
            cells.emplace_back(at.times(name, m), v / m);
        }
    }
    if (!are.defined()) {
        return op;
    }
    // What the host works out from those for the kernel it works out once more.
    std::vector<std::pair<std::string, Expr>> anew;
    for (const auto &[name, value] : lets_) {
        Used in;
        value.accept(&in);
        if (is_index(value.type()) && is_pure(value) && std::any_of(in.names.begin(), in.names.end(), [&](const std::string &n) { return from.count(n) > 0; })) {
            from.insert(name);
            anew.emplace_back(name, value);
        }
    }
    Used used;
    op->accept(&used);
    Stmt s = op;
    for (auto l = anew.rbegin(); l != anew.rend(); l++) {
        if (used.names.count(l->first)) {
            s = LetStmt::make(l->first, l->second, s);
            l->second.accept(&used);
        }
    }
    const std::string name = unique_name(whole);
    s = IfThenElse::make(Variable::make(Bool(), name), at.mutate(s), op);
    for (const auto &[cell, value] : cells) {
        s = LetStmt::make(cell, value, s);
    }
    return LetStmt::make(name, are, s);
}

}  // namespace gowarp

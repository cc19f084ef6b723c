//go:build halide

#include "addresschains.h"
#include "polynomial.h"
#include "shuffle.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr size_t most_terms = 24;    // of an index; what has more stays as it is
constexpr int most_nodes = 400;      // of an index with definitions in the place of their names
constexpr size_t most_distance = 2;  // terms of a distance; one of more is no less than an address anew

// Whether an expression written out has no more than most_nodes nodes.
class Small : public IRMutator {
public:
    static bool is(const Expr &e) {
        Small s;
        s.mutate(e);
        return s.nodes_ <= most_nodes;
    }

    using IRMutator::mutate;
    Expr mutate(const Expr &e) override { return ++nodes_ <= most_nodes ? IRMutator::mutate(e) : e; }

private:
    int nodes_ = 0;
};

// The buffers of a kernel whose addresses stay: what is allocated within, and what is both read and written. Of those the compiler keeps in registers what
// a turn of a loop writes and the next reads, where it sees that the addresses are the same (the scans of a recursive filter).
class Kept : public IRVisitor {
public:
    std::set<std::string> names() const {
        std::set<std::string> all = own_;
        std::set_intersection(read_.begin(), read_.end(), written_.begin(), written_.end(), std::inserter(all, all.end()));
        return all;
    }

private:
    using IRVisitor::visit;
    void visit(const Allocate *op) override {
        own_.insert(op->name);
        IRVisitor::visit(op);
    }
    void visit(const Load *op) override {
        read_.insert(op->name);
        IRVisitor::visit(op);
    }
    void visit(const Store *op) override {
        written_.insert(op->name);
        IRVisitor::visit(op);
    }
    std::set<std::string> own_, read_, written_;
};

// Where an access is: in which buffer, and the part of its index that differs from thread to thread or turn to turn.
struct Place {
    std::string buffer;
    Polynomial variant;
    bool operator<(const Place &p) const { return buffer != p.buffer ? buffer < p.buffer : variant < p.variant; }
};

// An index taken apart: what is the same for all threads, without the constant, tells accesses of a place apart.
struct Index {
    Place place;
    Polynomial uniform;
    int64_t constant = 0;
};

class Kernel : public IRMutator {
public:
    Kernel(std::set<std::string> kept, int longest)
        : kept_(std::move(kept)), longest_(longest) {}

    // First all places are counted, and nothing is changed; then addresses are made of them.
    Stmt chained(const Stmt &kernel) {
        counting_ = true;
        within(kernel);
        counting_ = false;
        return within(kernel);
    }

    using IRMutator::mutate;

private:
    using IRMutator::visit;

    // A definition that is not in the code yet.
    struct Made {
        Place place;
        Polynomial uniform;
        std::string name;
        Expr value;
    };
    // An index that a name stands for, with the constant that it includes.
    struct Known {
        std::string name;
        int64_t constant;
        int depth;  // additions since one was computed anew
    };

    const std::set<std::string> kept_;
    const int longest_;
    bool counting_ = false;
    bool in_statement_ = false;  // of a block: it will be known where what is made for it is defined
    Scope<std::optional<Polynomial>> names_;  // bound in the kernel; the value of those that have one
    Scope<> in_expression_;                   // bound within an expression
    std::map<Place, std::set<Polynomial>> uses_;
    std::map<Place, std::map<Polynomial, Known>> known_;
    std::set<Polynomial> distances_;  // that were added already
    int next_ = 0;
    std::vector<Made> made_;          // in the order in which they are to be defined
    const std::string prefix_ = unique_name("gowarp.at");

    std::optional<Index> index_of(const std::string &buffer, const Expr &index, const Expr &predicate) const {
        Reads reads;
        index.accept(&reads);
        if (kept_.count(buffer) || index.type() != Int(32) || !is_const_one(predicate) || reads.any || expr_uses_vars(index, in_expression_)) {
            return {};
        }
        const Polynomial p = value_of(index);
        const auto [uniform, variant] = p.split([&](const Factors &factors) {
            return std::none_of(factors.begin(), factors.end(), [&](const Expr &f) { return expr_uses_vars(f, names_); });
        });
        return Index{{buffer, variant}, uniform.plus(Polynomial(-p.constant())), p.constant()};
    }

    Polynomial value_of(const Expr &e) const {
        return polynomial(e, [&](const std::string &name) -> const Polynomial * {
            const std::optional<Polynomial> *known = names_.find(name);
            return known && *known ? &**known : nullptr;
        }, most_terms);
    }

    // The index of an access; undefined if it stays.
    Expr at(const std::string &buffer, const Expr &index, const Expr &predicate) {
        const std::optional<Index> i = index_of(buffer, index, predicate);
        if (!i) {
            return Expr();
        }
        if (counting_) {
            uses_[i->place].insert(i->uniform);
            return Expr();
        }
        if (uses_[i->place].size() < 2) {
            return Expr();
        }
        auto &known = known_[i->place];
        auto at = known.find(i->uniform);
        if (at == known.end()) {
            at = known.emplace(i->uniform, make(*i, index)).first;
        }
        const Known &k = at->second;
        const Expr name = Variable::make(Int(64), k.name);
        return i->constant == k.constant ? name : Add::make(name, IntImm::make(Int(64), i->constant - k.constant));
    }

    Known make(const Index &i, const Expr &index) {
        std::optional<std::tuple<size_t, bool, bool, int, int64_t>> least;  // terms, whether it is too deep, whether the distance is new, then depth, and size
        const Known *from = nullptr;
        Polynomial distance;
        for (const auto &[uniform, k] : known_[i.place]) {
            const Polynomial d = i.uniform.plus(uniform, -1);
            int64_t size = 0;
            for (const auto &term : d.terms()) {
                size += std::abs(term.second);
            }
            const bool fresh = !distances_.count(d);
            const std::tuple<size_t, bool, bool, int, int64_t> cost{d.terms().size(), k.depth >= longest_, fresh, fresh ? k.depth : 0, size};
            if (d.terms().size() <= most_distance && (!least || cost < *least)) {
                least = cost;
                from = &k;
                distance = d;
            }
        }
        const std::string name = prefix_ + "." + std::to_string(next_++);
        const Known made{name, from ? from->constant : i.constant, from ? from->depth + 1 : 0};
        Expr value = Cast::make(Int(64), index);
        if (from) {
            distances_.insert(distance);
            value = Add::make(Variable::make(Int(64), from->name), Cast::make(Int(64), distance.expr()));
        }
        made_.push_back({i.place, i.uniform, name, value});
        return made;
    }
    // Defines around a statement what was made for it, and forgets that.
    Stmt define(size_t from, Stmt s) {
        for (; made_.size() > from; made_.pop_back()) {
            s = define(made_.back(), s);
        }
        return s;
    }

    Stmt define(const Made &m, const Stmt &s) {
        known_[m.place].erase(m.uniform);
        return LetStmt::make(m.name, m.value, s);
    }

    // Defines around what a definition is for that part of what was made for it which cannot be without it.
    Stmt define_with(const LetStmt *op, bool movable, size_t from, Stmt body) {
        std::vector<Made> here, further;
        Scope<> bound;
        bound.push(op->name);
        for (size_t i = from; i < made_.size(); i++) {
            Made &m = made_[i];
            if (movable && expr_uses_var(m.value, op->name)) {
                const Expr without = substitute(op->name, op->value, m.value);
                m.value = Small::is(without) ? without : m.value;
            }
            if (expr_uses_vars(m.value, bound)) {
                bound.push(m.name);
                here.push_back(m);
            } else {
                further.push_back(m);
            }
        }
        made_.resize(from);
        made_.insert(made_.end(), further.begin(), further.end());
        for (auto m = here.rbegin(); m != here.rend(); m++) {
            body = define(*m, body);
        }
        return body;
    }

    // The body of a loop, or what is under a condition: nothing made for it is known outside.
    Stmt within(const Stmt &s) {
        const size_t before = made_.size();
        const bool was = in_statement_;
        in_statement_ = false;
        const Stmt body = mutate(s);
        in_statement_ = was;
        return define(before, body);
    }

    // What is made for a statement of a block is known to those behind it. It is not made earlier, since it takes registers.
    Stmt visit(const Block *op) override {
        if (in_statement_) {
            return IRMutator::visit(op);
        }
        const size_t before = made_.size();
        in_statement_ = true;
        const Stmt first = mutate(op->first);
        in_statement_ = false;
        const Stmt rest = mutate(op->rest);
        return define(before, Block::make(first, rest));
    }

    Stmt visit(const Store *op) override {
        const Stmt s = IRMutator::visit(op);
        const Expr index = at(op->name, op->index, op->predicate);
        if (!index.defined()) {
            return s;
        }
        return Store::make(op->name, s.as<Store>()->value, index, op->param, op->predicate, op->alignment);
    }

    Expr visit(const Load *op) override {
        const Expr e = IRMutator::visit(op);
        const Expr index = at(op->name, op->index, op->predicate);
        return index.defined() ? Load::make(op->type, op->name, index, op->image, op->param, op->predicate, op->alignment) : e;
    }

    Expr visit(const Let *op) override {
        const Expr value = mutate(op->value);
        ScopedBinding<> bind(in_expression_, op->name);
        return Let::make(op->name, value, mutate(op->body));
    }

    Stmt visit(const IfThenElse *op) override {
        const Expr condition = mutate(op->condition);
        return IfThenElse::make(condition, within(op->then_case), op->else_case.defined() ? within(op->else_case) : Stmt());
    }

    Stmt visit(const LetStmt *op) override {
        if (names_.contains(op->name)) {
            return op;  // the name means something else further out, and there may be an address of it
        }
        const Expr value = mutate(op->value);
        Reads reads;
        op->value.accept(&reads);
        std::optional<Polynomial> known;
        if (op->value.type() == Int(32) && !reads.any) {
            known = value_of(op->value);
        }
        const size_t before = made_.size();
        ScopedBinding<std::optional<Polynomial>> bind(names_, op->name, known);
        const Stmt body = mutate(op->body);
        return LetStmt::make(op->name, value, define_with(op, known.has_value(), before, body));
    }

    Stmt visit(const For *op) override {
        if (names_.contains(op->name)) {
            return op;
        }
        const Expr min = mutate(op->min), extent = mutate(op->extent);
        ScopedBinding<std::optional<Polynomial>> bind(names_, op->name, std::nullopt);
        return For::make(op->name, min, extent, op->for_type, op->partition_policy, op->device_api, within(op->body));
    }
};

}  // namespace

Stmt AddressChains::visit(const For *op) {
    if (op->for_type != ForType::GPUBlock) {
        return IRMutator::visit(op);
    }
    const auto f = std::find_if(funcs_.begin(), funcs_.end(), [&](const auto &f) { return starts_with(op->name, f.first + ".s"); });
    if (f == funcs_.end() || op->device_api != DeviceAPI::CUDA) {
        return op;
    }
    Kept kept;
    op->accept(&kept);
    return Kernel(kept.names(), f->second).chained(op);
}

}  // namespace gowarp

//go:build halide

#include "addresses.h"
#include "shuffle.h"

#include <algorithm>
#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The terms of a sum, constants apart.
struct Sum {
    std::vector<Expr> terms;
    int64_t constant = 0;
};

Sum sum_of(const Expr &e) {
    if (const Add *a = e.as<Add>()) {
        Sum s = sum_of(a->a);
        const Sum t = sum_of(a->b);
        s.terms.insert(s.terms.end(), t.terms.begin(), t.terms.end());
        s.constant += t.constant;
        return s;
    }
    if (const auto n = as_const_int(e)) {
        return {{}, *n};
    }
    return {{e}, 0};
}

// Whether an address of a load can be a sum of 64 bits.
bool of_byte(const Load *op, const Held &held) {
    return !held.count(op->name) && op->type.is_scalar() && op->type.bits() == 8 && op->index.type() == Int(32) && is_const_one(op->predicate);
}

using Terms = std::vector<int>;  // numbers of terms
using Pair = std::pair<int, int>;

// What the indices have in common, pair by pair.
class Shared : public IRVisitor {
public:
    explicit Shared(const Held &held) : held_(held) {}

    // Sums pairs of terms as long as several indices have one in common; each becomes a term.
    void pair_up() {
        for (;;) {
            std::map<Pair, int> uses;
            for (const auto &i : indices_) {
                for (size_t a = 0; a < i.second.size(); a++) {
                    for (size_t b = a + 1; b < i.second.size(); b++) {
                        uses[{i.second[a], i.second[b]}]++;
                    }
                }
            }
            const auto most = std::max_element(uses.begin(), uses.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
            if (most == uses.end() || most->second < 2) {
                return;
            }
            const Pair pair = most->first;
            const int sum = (int)terms_.size();
            terms_.push_back(Expr());  // of pairs only the two are known
            of_.push_back(pair);
            for (auto &i : indices_) {
                Terms &t = i.second;
                const auto a = std::find(t.begin(), t.end(), pair.first), b = std::find(t.begin(), t.end(), pair.second);
                if (a != t.end() && b != t.end()) {
                    t.erase(b);
                    t.erase(a);
                    t.push_back(sum);
                }
            }
        }
    }

    // The terms of an index; null for one that stays.
    const Terms *terms(const Expr &index) const {
        const auto i = indices_.find(index);
        return i == indices_.end() ? nullptr : &i->second;
    }

    bool is_pair(int term) const { return of_[term].first >= 0; }
    Pair pair(int term) const { return of_[term]; }
    Expr wide(int term) const { return cast(Int(64), terms_[term]); }

private:
    using IRVisitor::visit;

    void visit(const Load *op) override {
        if (of_byte(op, held_) && !indices_.count(op->index) && anywhere(op->index)) {
            Terms t;
            for (const Expr &e : sum_of(op->index).terms) {
                const auto [n, fresh] = numbers_.emplace(e, (int)terms_.size());
                if (fresh) {
                    terms_.push_back(e);
                    of_.push_back({-1, -1});
                }
                t.push_back(n->second);
            }
            std::sort(t.begin(), t.end());
            indices_[op->index] = t;
        }
        IRVisitor::visit(op);
    }

    // What is defined inside a statement, or read from memory, cannot be computed before it.
    bool anywhere(const Expr &e) const {
        Reads r;
        e.accept(&r);
        return !r.any && std::none_of(inner_.begin(), inner_.end(), [&](const std::string &name) { return expr_uses_var(e, name); });
    }

    template<typename T>
    void within(const T *op) {
        inner_.push_back(op->name);
        IRVisitor::visit(op);
        inner_.pop_back();
    }
    void visit(const Let *op) override { within(op); }
    void visit(const LetStmt *op) override { within(op); }
    void visit(const For *op) override { within(op); }

    const Held &held_;
    std::vector<std::string> inner_;
    std::vector<Expr> terms_;
    std::vector<Pair> of_;  // by term: the two that it is the sum of
    std::map<Expr, int, IRDeepCompare> numbers_;
    std::map<Expr, Terms, IRDeepCompare> indices_;
};

// Puts the sums in the place of the indices. A sum of a pair is defined just before the first statement that uses it.
class Widen : public IRMutator {
public:
    Widen(const Shared &shared, const Held &held, StraightLine &line)
        : shared_(shared), held_(held), line_(line) {}

private:
    using IRMutator::visit;

    Expr of_term(int t) {
        if (!shared_.is_pair(t)) {
            return shared_.wide(t);
        }
        const auto known = defined_.find(t);
        if (known != defined_.end()) {
            return known->second;
        }
        const Pair p = shared_.pair(t);
        const Expr sum = Add::make(of_term(p.first), of_term(p.second));
        const std::string name = prefix_ + "." + std::to_string(t);
        line_.let(name, sum);
        return defined_[t] = Variable::make(Int(64), name);
    }

    Expr visit(const Load *op) override {
        const Terms *terms = of_byte(op, held_) ? shared_.terms(op->index) : nullptr;
        if (!terms || terms->empty()) {
            return IRMutator::visit(op);
        }
        Expr index = of_term((*terms)[0]);
        for (size_t i = 1; i < terms->size(); i++) {
            index = Add::make(index, of_term((*terms)[i]));
        }
        if (const int64_t c = sum_of(op->index).constant) {
            index = Add::make(index, IntImm::make(Int(64), c));
        }
        return Load::make(op->type, op->name, index, op->image, op->param, op->predicate, op->alignment);
    }

    const Shared &shared_;
    const Held &held_;
    StraightLine &line_;
    std::map<int, Expr> defined_;
    const std::string prefix_ = unique_name("gowarp.address");
};

}  // namespace

StraightLine share_addresses(const StraightLine &line, const Held &held) {
    Shared shared(held);
    for (const StraightLine::Run &r : line.runs()) {
        for (const auto &l : r.lets) {
            l.second.accept(&shared);
        }
        for (const Stmt &s : r.body) {
            s.accept(&shared);
        }
    }
    shared.pair_up();
    StraightLine out;
    Widen widen(shared, held, out);
    for (const StraightLine::Run &r : line.runs()) {
        for (const auto &l : r.lets) {
            const Expr value = widen.mutate(l.second);
            out.let(l.first, value);
        }
        for (const Stmt &s : r.body) {
            // Definitions stand before the run that uses them.
            out.end_run();
            const Stmt with = widen.mutate(s);
            out.add(r.guards, with);
        }
        out.end_run();
    }
    return out;
}

}  // namespace gowarp

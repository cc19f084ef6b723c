//go:build halide

#include "addresses.h"
#include "shuffle.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The terms of a sum, constants apart.
struct Sum {
    std::vector<Expr> terms;
    int64_t constant = 0;
};

using Defined = std::map<std::string, Expr>;  // sums, by name

Sum sum_of(const Expr &e, const Defined &defined) {
    if (const Add *a = e.as<Add>()) {
        Sum s = sum_of(a->a, defined);
        const Sum t = sum_of(a->b, defined);
        s.terms.insert(s.terms.end(), t.terms.begin(), t.terms.end());
        s.constant += t.constant;
        return s;
    }
    if (const auto n = as_const_int(e)) {
        return {{}, *n};
    }
    if (const Variable *v = e.as<Variable>()) {
        const auto d = defined.find(v->name);
        return d == defined.end() ? Sum{{e}, 0} : sum_of(d->second, defined);
    }
    // A row some rows on: where one is, and how far those are.
    if (const Mul *m = e.as<Mul>()) {
        for (const auto &[at, stride] : {std::pair(m->a, m->b), std::pair(m->b, m->a)}) {
            const Sum row = sum_of(at, defined);
            if (row.constant != 0 && !row.terms.empty() && !is_const(stride)) {
                const Expr first = std::accumulate(row.terms.begin() + 1, row.terms.end(), row.terms[0], [](const Expr &a, const Expr &b) { return a + b; });
                return {{first * stride, IntImm::make(stride.type(), row.constant) * stride}, 0};
            }
        }
    }
    return {{e}, 0};
}

// Whether an address of a load can be a sum of 64 bits.
bool of_byte(const Load *op, const Held &held) {
    return !held.count(op->name) && op->type.is_scalar() && op->type.bits() == 8 && op->index.type() == Int(32) && is_const_one(op->predicate);
}

using Terms = std::vector<int>;  // numbers of terms
struct Index {
    Terms terms;
    int64_t constant;
};
using Pair = std::pair<int, int>;

// What the indices have in common, pair by pair.
class Shared : public IRVisitor {
public:
    explicit Shared(const Held &held) : held_(held) {}

    void define(const std::string &name, const Expr &value) {
        value.accept(this);
        if (value.type() == Int(32) && anywhere(value)) {
            const Sum s = sum_of(value, defined_);
            if (s.terms.size() > 1 || s.constant != 0) {
                defined_[name] = value;
            }
        }
    }

    // Sums pairs of terms as long as several indices have one in common; each becomes a term.
    void pair_up() {
        for (;;) {
            std::map<Pair, int> uses;
            for (const auto &i : indices_) {
                const Terms &t = i.second.terms;
                for (size_t a = 0; a < t.size(); a++) {
                    for (size_t b = a + 1; b < t.size(); b++) {
                        uses[{t[a], t[b]}]++;
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
                Terms &t = i.second.terms;
                const auto a = std::find(t.begin(), t.end(), pair.first), b = std::find(t.begin(), t.end(), pair.second);
                if (a != t.end() && b != t.end()) {
                    t.erase(b);
                    t.erase(a);
                    t.push_back(sum);
                }
            }
        }
    }

    // An index as a sum; null for one that stays.
    const Index *sum(const Expr &index) const {
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
            const Sum s = sum_of(op->index, defined_);
            Terms t;
            for (const Expr &e : s.terms) {
                const auto [n, fresh] = numbers_.emplace(e, (int)terms_.size());
                if (fresh) {
                    terms_.push_back(e);
                    of_.push_back({-1, -1});
                }
                t.push_back(n->second);
            }
            std::sort(t.begin(), t.end());
            indices_[op->index] = {t, s.constant};
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
    std::map<Expr, Index, IRDeepCompare> indices_;
    Defined defined_;
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
        const Index *sum = of_byte(op, held_) ? shared_.sum(op->index) : nullptr;
        if (!sum || sum->terms.empty()) {
            return IRMutator::visit(op);
        }
        Expr index = of_term(sum->terms[0]);
        for (size_t i = 1; i < sum->terms.size(); i++) {
            index = Add::make(index, of_term(sum->terms[i]));
        }
        if (sum->constant != 0) {
            index = Add::make(index, IntImm::make(Int(64), sum->constant));
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
            shared.define(l.first, l.second);
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

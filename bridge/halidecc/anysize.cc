//go:build halide

#include "anysize.h"
#include "expand.h"
#include "gpuloop.h"

#include <algorithm>
#include <functional>
#include <sstream>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr size_t most_in_row = 4;  // points side by side whose values wait for the last of them

bool begins(const std::string &s, const std::string &with) { return s.compare(0, with.size(), with) == 0; }

bool ends(const std::string &s, const std::string &with) {
    return s.size() >= with.size() && s.compare(s.size() - with.size(), with.size(), with) == 0;
}

Expr var(const std::string &name) { return Variable::make(Int(32), name); }

// An integer expression as a sum of products: by the factors, sorted, how often. Halide's simplifier does not multiply out, so that it does not
// see what cancels. What is no sum or product is a factor as it stands.
using Sum = std::map<std::vector<std::string>, int64_t>;

Sum sum_of(const Expr &e) {
    if (const auto n = as_const_int(e)) {
        return *n ? Sum{{{}, *n}} : Sum{};
    }
    const auto both = [](const Expr &a, const Expr &b, int64_t sign) {
        Sum s = sum_of(a);
        for (const auto &[factors, n] : sum_of(b)) {
            if ((s[factors] += sign * n) == 0) {
                s.erase(factors);
            }
        }
        return s;
    };
    if (const Add *op = e.as<Add>()) {
        return both(op->a, op->b, 1);
    }
    if (const Sub *op = e.as<Sub>()) {
        return both(op->a, op->b, -1);
    }
    if (const Mul *op = e.as<Mul>()) {
        const Sum b = sum_of(op->b);
        Sum s;
        for (const auto &[f, n] : sum_of(op->a)) {
            for (const auto &[g, m] : b) {
                std::vector<std::string> factors = f;
                factors.insert(factors.end(), g.begin(), g.end());
                std::sort(factors.begin(), factors.end());
                if ((s[factors] += n * m) == 0) {
                    s.erase(factors);
                }
            }
        }
        return s;
    }
    std::ostringstream text;
    text << e;
    return {{{text.str()}, 1}};
}

bool is_zero(const Expr &e) { return sum_of(e).empty(); }

// Whether a buffer is that of a Func, or of one of its components.
bool of_func(const std::string &buffer, const std::string &func) {
    return buffer == func || (begins(buffer, func + ".") && buffer.find_first_not_of("0123456789", func.size() + 1) == std::string::npos);
}

// The condition of a special case: which extents have to be multiples of what.
class Extents : public IRVisitor {
public:
    explicit Extents(const std::string &func) : func_(func) {}

    // By the variable of the extent; empty where the condition is another.
    std::map<std::string, int> multiples(const Expr &condition) {
        condition.accept(this);
        for (const std::string &v : variables_) {
            other_ = other_ || !found_.count(v);
        }
        Lets whole;
        for (const auto &[name, n] : found_) {
            whole[name] = 3 * n;
        }
        if (other_ || !is_const_one(simplify(substitute(whole, condition)))) {
            return {};
        }
        for (const auto &[name, n] : found_) {
            Lets odd = whole;
            odd[name] = 3 * n + 1;
            if (!is_const_zero(simplify(substitute(odd, condition)))) {
                return {};
            }
        }
        return found_;
    }

private:
    using IRVisitor::visit;

    void visit(const Mod *op) override {
        const Variable *v = op->a.as<Variable>();
        const auto n = as_const_int(op->b);
        if (!v || !n || *n < 2 || !begins(v->name, func_ + ".") || found_.count(v->name)) {
            other_ = true;
            return;
        }
        found_[v->name] = (int)*n;
    }

    void visit(const Variable *op) override { variables_.push_back(op->name); }

    const std::string func_;
    std::map<std::string, int> found_;
    std::vector<std::string> variables_;
    bool other_ = false;
};

// The smaller of two expressions, which occurs as a Min, as a variable.
class MinAs : public IRMutator {
public:
    MinAs(Expr a, Expr b, Expr as) : a_(std::move(a)), b_(std::move(b)), as_(std::move(as)) {}

private:
    using IRMutator::visit;
    Expr visit(const Min *op) override {
        if ((is_zero(op->a - a_) && is_zero(op->b - b_)) || (is_zero(op->a - b_) && is_zero(op->b - a_))) {
            return as_;
        }
        return IRMutator::visit(op);
    }
    const Expr a_, b_, as_;
};

// The index of the inner one of two fused loops, where it occurs, by a name of its own.
class InnerIndex : public IRMutator {
public:
    // count tells whether an expression is how many iterations the inner loop has.
    InnerIndex(std::string loop, std::string as, std::function<bool(const Expr &)> count) : loop_(std::move(loop)), as_(std::move(as)), count_(std::move(count)) {}

    Expr iterations;  // undefined where the index does not occur

private:
    using IRMutator::visit;
    Expr visit(const Mod *op) override {
        const Variable *v = op->a.as<Variable>();
        if (!v || v->name != loop_ || !count_(op->b)) {
            return IRMutator::visit(op);
        }
        iterations = op->b;
        return var(as_);
    }
    const std::string loop_, as_;
    const std::function<bool(const Expr &)> count_;
};

// The special case with its stores told apart.
class TellApart : public IRMutator {
public:
    // extents are the variables of the extents along the case's dimensions, "" for one that is whole groups in every run.
    TellApart(const WholeGroups &c, const std::vector<std::string> &extents, const Lets &lets)
        : c_(c), extents_(extents), lets_(lets), blocks_(c.along.size()), threads_(c.along.size()) {}

    // Whether all stores of the Func in the statement that this is now were told apart, it is certain what its loops are, and they run over all groups of any
    // size: where Halide knows that extents are multiples, it may leave out what is left over.
    // A statement is of loops that are no longer fused; see as_it_was.
    bool done(const Stmt &s) const {
        return !failed_ && !pitch_.empty() && std::all_of(pitch_.begin(), pitch_.end(), [](const auto &buffer) {
            return std::all_of(buffer.second.begin(), buffer.second.end(), [](const Expr &e) { return e.defined(); });
        }) && std::all_of(folded_.begin(), folded_.end(), [&](const Folded &f) {
            return is_zero(pitch_.at(f.buffer)[f.along] - f.pitch);
        }) && runs_everywhere(s);
    }

    // A statement with the indices of the inner ones of fused loops as they were.
    Stmt as_it_was(const Stmt &s) const { return substitute(inner_, s); }

private:
    using IRMutator::visit;

    Stmt visit(const For *op) override {
        for (size_t d = 0; d < c_.along.size(); d++) {
            const WholeGroups::Along &a = c_.along[d];
            if (op->for_type == ForType::GPUBlock && begins(op->name, c_.func + ".s0.") && op->name.find("." + a.of_grid() + ".block_id_") != std::string::npos) {
                if (!a.fused.empty()) {
                    return mutate_inner(op, d);
                }
                blocks_[d] = op->name;
            } else if (a.thread >= 0 && op->for_type == ForType::GPUThread && gpu_axis(op->name, "thread_id_") == "xyz"[a.thread]) {
                threads_[d] = op->name;
            }
        }
        const Stmt s = IRMutator::visit(op);
        return op->for_type == ForType::Serial ? tested_before(s.as<For>()) : s;
    }

    // A loop over blocks that is two in one, of which the inner one is along a dimension of the case: its index has a name while stores are told apart.
    Stmt mutate_inner(const For *op, size_t d) {
        const std::string inner = op->name + ".inner";
        InnerIndex index(op->name, inner, [&](const Expr &e) { return is_count(expand(e, lets_), d); });
        Stmt body = index.mutate(op->body);
        if (!index.iterations.defined() || !is_const_zero(op->min)) {
            failed_ = true;
            return op;
        }
        // So many times the iterations of the inner one, whatever the outer one's are.
        const Expr iterations = expand(index.iterations, lets_);
        const Sum all = sum_of(expand(op->extent, lets_)), one = sum_of(iterations);
        const auto has = [](const std::vector<std::string> &factors, const std::string &f) { return std::find(factors.begin(), factors.end(), f) != factors.end(); };
        if (all.size() != 1 || one.size() != 1 || all.begin()->second != 1 || one.begin()->second != 1 || one.begin()->first.size() != 1 || !has(all.begin()->first, one.begin()->first[0])) {
            failed_ = true;
            return op;
        }
        blocks_[d] = inner;
        inner_[inner] = var(op->name) % iterations;
        body = mutate(body);
        return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
    }

    // Whether an expression is the number of blocks along a dimension, at any size.
    bool is_count(const Expr &e, size_t d) const {
        if (whole(d)) {
            return false;
        }
        const int points = c_.along[d].points, block = points * c_.along[d].threads;
        for (int size : {points, points + 1, block, block + 1, 2 * block - 1, 3 * block + 1, 5 * block, 7 * block + points}) {
            const auto n = as_const_int(simplify(substitute(extents_[d], size, e)));
            if (!n || *n != (size + block - 1) / block) {
                return false;
            }
        }
        return true;
    }

    // A loop over nothing but a test that is the same in all its turns as two loops, each without the test: what the turns share is known to be computed
    // in all of them then, and is computed before the first.
    static Stmt tested_before(const For *loop) {
        std::vector<const LetStmt *> lets;
        Stmt body = loop->body;
        for (const LetStmt *l = body.as<LetStmt>(); l; l = body.as<LetStmt>()) {
            lets.push_back(l);
            body = l->body;
        }
        const IfThenElse *test = body.as<IfThenElse>();
        if (!test || !test->else_case.defined() || !is_pure(test->condition) || expr_uses_var(test->condition, loop->name) ||
            std::any_of(lets.begin(), lets.end(), [&](const LetStmt *l) { return expr_uses_var(test->condition, l->name); })) {
            return loop;
        }
        const auto over = [&](Stmt s) {
            for (auto l = lets.rbegin(); l != lets.rend(); l++) {
                s = LetStmt::make((*l)->name, (*l)->value, s);
            }
            return For::make(loop->name, loop->min, loop->extent, loop->for_type, loop->partition_policy, loop->device_api, s);
        };
        return IfThenElse::make(test->condition, over(test->then_case), over(test->else_case));
    }

    Stmt visit(const LetStmt *op) override {
        if (stores_only(op)) {
            return only_own(op);
        }
        lets_[op->name] = op->value;
        return IRMutator::visit(op);
    }

    Stmt visit(const Store *op) override {
        return stores_only(op) ? only_own(op) : Stmt(op);
    }

    Stmt visit(const Block *op) override {
        // What is freed between stores is freed behind them: Halide does so after the last that reads it, which may be in the middle of a tuple.
        std::vector<Stmt> all, out, run, freed;
        flatten(op, all);
        const auto end_run = [&] {
            if (!run.empty()) {
                out.push_back(only_own(Block::make(run)));
                out.insert(out.end(), freed.begin(), freed.end());
                run.clear();
                freed.clear();
            }
        };
        for (const Stmt &s : all) {
            if (stores_only(s)) {
                run.push_back(s);
            } else if (s.as<Free>() && !run.empty()) {
                freed.push_back(s);
            } else {
                end_run();
                out.push_back(mutate(s));
            }
        }
        end_run();
        return Block::make(out);
    }

    static void flatten(const Stmt &s, std::vector<Stmt> &out) {
        if (const Block *b = s.as<Block>()) {
            flatten(b->first, out);
            flatten(b->rest, out);
        } else {
            out.push_back(s);
        }
    }

    // Whether a statement is nothing but stores of the Func and values that they share.
    bool stores_only(const Stmt &s) const {
        if (const Block *b = s.as<Block>()) {
            return stores_only(b->first) && stores_only(b->rest);
        }
        if (const LetStmt *l = s.as<LetStmt>()) {
            return stores_only(l->body);
        }
        const Store *st = s.as<Store>();
        return st && of_func(st->name, c_.func);
    }

    // Whether the first and the last group of every kind of size come by some of the stores.
    bool runs_everywhere(const Stmt &s) const {
        constexpr int kinds = 4, ends = 2;
        int samples = 1;
        for (size_t d = 0; d < c_.along.size(); d++) {
            samples *= whole(d) ? 1 : kinds * ends;
        }
        for (int sample = 0; sample < samples; sample++) {
            Lets at;
            int rest = sample;
            for (size_t d = 0; d < c_.along.size(); d++) {
                if (whole(d)) {
                    continue;
                }
                const int points = c_.along[d].points, block = points * c_.along[d].threads;
                const int sizes[kinds] = {points + 1, 2 * block - 1, 3 * block + 1, 5 * block};
                const int size = sizes[rest % kinds];
                rest /= kinds;
                const int group = rest % ends ? (size - 1) / points : 0;
                rest /= ends;
                at[extents_[d]] = size;
                at[blocks_[d]] = group / c_.along[d].threads;
                if (!threads_[d].empty()) {
                    at[threads_[d]] = group % c_.along[d].threads;
                }
            }
            if (!comes_by(s, at)) {
                return false;
            }
        }
        return true;
    }

    // Whether a statement stores anything of the Func there. Of conditions on anything else either way has to, where there are two.
    bool comes_by(const Stmt &s, const Lets &at) const {
        if (const Block *op = s.as<Block>()) {
            return comes_by(op->first, at) || comes_by(op->rest, at);
        } else if (const LetStmt *op = s.as<LetStmt>()) {
            return comes_by(op->body, at);
        } else if (const Allocate *op = s.as<Allocate>()) {
            return comes_by(op->body, at);
        } else if (const ProducerConsumer *op = s.as<ProducerConsumer>()) {
            return comes_by(op->body, at);
        } else if (const For *op = s.as<For>()) {
            const bool there = !at.count(op->name) || here(op->min <= var(op->name) && var(op->name) < op->min + op->extent, at) == yes;
            return there && comes_by(op->body, at);
        } else if (const IfThenElse *op = s.as<IfThenElse>()) {
            const Stmt other = op->else_case.defined() ? op->else_case : Evaluate::make(0);
            switch (here(op->condition, at)) {
            case yes:
                return comes_by(op->then_case, at);
            case no:
                return comes_by(other, at);
            case elsewhere:
                return comes_by(op->then_case, at) && (!op->else_case.defined() || comes_by(other, at));
            case maybe:
                return comes_by(op->then_case, at) && comes_by(other, at);
            }
        }
        const Store *st = s.as<Store>();
        return st && of_func(st->name, c_.func);
    }

    enum Holds { yes, no, maybe, elsewhere };

    // Whether a condition holds there; elsewhere is one on other things.
    Holds here(const Expr &condition, const Lets &at) const {
        if (const And *both = condition.as<And>()) {
            const Holds a = here(both->a, at), b = here(both->b, at);
            return a == no || b == no ? no : a == maybe || b == maybe ? maybe : a == elsewhere ? a : b;
        }
        const Expr all = expand(condition, lets_), e = simplify(substitute(at, all));
        return is_const_one(e) ? yes : is_const_zero(e) ? no : std::any_of(at.begin(), at.end(), [&](const auto &v) { return expr_uses_var(all, v.first); }) ? maybe : elsewhere;
    }

    // A value that stores share, or a store.
    struct Part {
        std::string name;
        Expr value;
        const Store *store = nullptr;
        Expr index, own;             // own: undefined for a point that is its group's own in any case
        const Part *last = nullptr;  // of a point that is not, the last of its group if that is one short row
    };

    void parts_of(const Stmt &s, std::vector<Part> &out) {
        if (const Block *b = s.as<Block>()) {
            parts_of(b->first, out);
            parts_of(b->rest, out);
        } else if (const LetStmt *l = s.as<LetStmt>()) {
            lets_[l->name] = l->value;
            out.push_back({l->name, l->value});
            parts_of(l->body, out);
        } else {
            const Store *st = s.as<Store>();
            out.push_back({"", st->value, st, expand(st->index, lets_)});
            failed_ = failed_ || !is_const_one(st->predicate) || !st->index.type().is_scalar();
        }
    }

    bool whole(size_t d) const { return extents_[d].empty(); }

    // The group that a thread has along a dimension, from 0, and where it begins and may at most.
    Expr group(size_t d) const {
        const Expr block = var(blocks_[d]) * c_.along[d].threads;
        return c_.along[d].threads > 1 ? block + var(threads_[d]) : block;
    }
    Expr unshifted(size_t d) const { return group(d) * c_.along[d].points; }
    Expr last(size_t d) const { return var(extents_[d]) - c_.along[d].points; }

    // How the beginning of groups enters an index.
    enum Form {
        steady,   // it is not shifted
        shifted,  // it is the smaller of both
        folded,   // it is another, the same for all that come by
        unknown,
    };

    Form form(const Expr &index, size_t d, const Expr &pitch) const {
        if (whole(d)) {
            return steady;
        }
        const Expr base = var("the.base"), i = MinAs(unshifted(d), last(d), base).mutate(index);
        const bool has_base = expr_uses_var(i, "the.base");
        const bool has_loop = expr_uses_var(i, blocks_[d]) || (c_.along[d].threads > 1 && expr_uses_var(i, threads_[d]));
        const auto steps = [&](const std::string &v, const Expr &by) { return is_zero(substitute(v, var(v) + 1, i) - i - by); };
        if (has_base && !has_loop) {
            return steps("the.base", pitch) ? shifted : unknown;
        }
        if (has_loop && !has_base) {
            const Expr group_pitch = pitch * c_.along[d].points;
            const bool by_thread = c_.along[d].threads == 1 || steps(threads_[d], group_pitch);
            return by_thread && steps(blocks_[d], group_pitch * c_.along[d].threads) ? steady : unknown;
        }
        return has_loop ? unknown : folded;
    }

    // Works out which of the stores of a buffer are of points that are a group's own: not before where it would begin if it were not shifted.
    // They are groups of points one after the other, or a row of each group and then the next row; anything else fails.
    void tell(const std::string &buffer, const std::vector<Part *> &stores, std::vector<Form> &forms) {
        failed_ = failed_ || (!told(buffer, stores, forms) && !told(buffer, by_groups(stores), forms));
    }

    size_t points_of_group() const {
        size_t points = 1;
        for (const auto &a : c_.along) {
            points *= a.points;
        }
        return points;
    }

    // Stores that are in the order of rows of all groups, group by group.
    std::vector<Part *> by_groups(const std::vector<Part *> &stores) const {
        const size_t points = points_of_group(), in_row = c_.along[0].points, groups = stores.size() / points, rows = points / in_row;
        std::vector<Part *> out;
        for (size_t i = 0; i < groups * points; i++) {
            const size_t x = i % in_row, row = i / in_row % rows, group = i / points;
            out.push_back(stores[(row * groups + group) * in_row + x]);
        }
        return out;
    }

    // Whether they are groups one after the other.
    bool told(const std::string &buffer, const std::vector<Part *> &stores, std::vector<Form> &forms) {
        const size_t points = points_of_group();
        if (stores.size() % points != 0) {
            return false;
        }
        std::vector<Expr> known = pitch_[buffer];
        known.resize(c_.along.size());
        std::vector<Form> found = forms;
        std::vector<Folded> folds;
        const auto other = [&] {
            for (Part *p : stores) {
                p->own = Expr();
                p->last = nullptr;
            }
            return false;
        };
        for (size_t first = 0; first < stores.size(); first += points) {
            const Expr origin = stores[first]->index;
            std::vector<Expr> pitch;
            size_t step = 1;
            for (size_t d = 0; d < c_.along.size(); d++) {
                pitch.push_back(stores[first + step]->index - origin);
                step *= c_.along[d].points;
                const Form f = form(origin, d, pitch[d]);
                if (f == unknown || (found[d] != unknown && found[d] != f) || (known[d].defined() && !is_zero(known[d] - pitch[d]))) {
                    return other();
                }
                found[d] = f;
                if (f == folded) {
                    folds.push_back({buffer, d, pitch[d]});
                } else {
                    known[d] = pitch[d];
                }
            }
            for (size_t i = 0; i < points; i++) {
                Expr index = stores[first + i]->index - origin;
                size_t rest = i;
                for (size_t d = 0; d < c_.along.size(); d++) {
                    const int p = (int)(rest % c_.along[d].points);
                    rest /= c_.along[d].points;
                    index -= pitch[d] * p;
                    if (found[d] != steady && p < c_.along[d].points - 1) {  // the last is always its own
                        const Expr is = unshifted(d) <= last(d) + p;
                        Expr &own = stores[first + i]->own;
                        own = own.defined() ? own && is : is;
                        if (points <= most_in_row && (int)points == c_.along[d].points) {
                            stores[first + i]->last = stores[first + points - 1];
                        }
                    }
                }
                if (!is_zero(index)) {
                    return other();
                }
            }
        }
        pitch_[buffer] = known;
        forms = found;
        folded_.insert(folded_.end(), folds.begin(), folds.end());
        return true;
    }

    // Stores as they are where no group is shifted, and else those of each group's own points alone.
    Stmt only_own(const Stmt &s) {
        if (failed_) {
            return s;
        }
        for (size_t d = 0; d < c_.along.size(); d++) {
            if (!whole(d) && (blocks_[d].empty() || (c_.along[d].threads > 1 && threads_[d].empty()))) {
                failed_ = true;
                return s;
            }
        }
        std::vector<Part> parts;
        parts_of(s, parts);
        std::map<std::string, std::vector<Part *>> buffers;
        for (Part &p : parts) {
            if (p.store) {
                buffers[p.store->name].push_back(&p);
            }
        }
        std::vector<Form> forms(c_.along.size(), unknown);
        for (const auto &b : buffers) {
            tell(b.first, b.second, forms);
        }
        if (failed_) {
            return s;
        }
        Expr none_shifted = const_true();
        bool all_steady = true, most = !steady_;
        for (size_t d = 0; d < forms.size(); d++) {
            if (forms[d] != steady) {
                all_steady = false;
                none_shifted = none_shifted && unshifted(d) <= last(d);
            }
            most = most && forms[d] != folded;
        }
        steady_ = steady_ || all_steady;
        if (all_steady) {
            return s;
        }
        const Stmt own = own_stores(parts);
        // Where Halide has told the edges of the image from the rest, few threads come by here.
        return most ? IfThenElse::make(none_shifted, s, own) : own;
    }

    // The stores under their conditions. Values are worked out outside of those, so that stores share what they have in common. In a group of one short row a point
    // that is not its own is stored as the last of the row once more: under a condition the compiler would work out the end of each value only there,
    // and hold until then all that it is of.
    static Stmt own_stores(const std::vector<Part> &parts) {
        std::vector<std::string> values(parts.size());  // the names of those stored
        std::map<size_t, std::vector<size_t>> waiting;  // by the last of their row
        for (size_t i = 0; i < parts.size(); i++) {
            if (const Part &p = parts[i]; p.store) {
                values[i] = unique_name(p.store->name + ".value");
                waiting[p.last ? p.last - parts.data() : i].push_back(i);
            }
        }
        Stmt out;
        for (size_t i = parts.size(); i-- > 0;) {
            const Part &p = parts[i];
            if (!p.store) {
                out = LetStmt::make(p.name, p.value, out);
                continue;
            }
            const std::vector<size_t> &now = waiting[i];
            for (auto k = now.rbegin(); k != now.rend(); k++) {
                const Stmt st = stored(parts[*k], values[*k], values[i]);
                out = out.defined() ? Block::make(st, out) : st;
            }
            out = LetStmt::make(values[i], p.value, out);
        }
        return out;
    }

    // A point's store, by the names of its value and of that of the last of its row.
    static Stmt stored(const Part &p, const std::string &name, const std::string &of_last) {
        const Type type = p.value.type();
        Expr value = Variable::make(type, name), index = p.store->index;
        const Expr own = p.own.defined() ? simplify(p.own) : const_true();
        if (p.last) {
            value = select(own, value, Variable::make(type, of_last));
            index = select(own, index, p.last->store->index);
        }
        const Stmt st = Store::make(p.store->name, value, index, p.store->param, p.store->predicate, p.store->alignment);
        return p.last || !p.own.defined() ? st : IfThenElse::make(own, st);
    }

    const WholeGroups &c_;
    const std::vector<std::string> extents_;
    Lets lets_;
    std::vector<std::string> blocks_, threads_;  // names of loops, by dimension of the case
    Lets inner_;                                 // what the indices of the inner ones of fused loops are, by their names
    std::map<std::string, std::vector<Expr>> pitch_;  // from a point to the next, by buffer and dimension, where an index tells that it is along it
    // What it seems to be where indices do not tell.
    struct Folded {
        std::string buffer;
        size_t along;
        Expr pitch;
    };
    std::vector<Folded> folded_;
    bool failed_ = false, steady_ = false;
};

}  // namespace

AnySize::AnySize(std::vector<WholeGroups> cases) : cases_(std::move(cases)) {}

Stmt AnySize::visit(const LetStmt *op) {
    // Extents are told apart by their variables.
    const auto extent = [&](const WholeGroups &c) { return begins(op->name, c.func + ".") && op->name.find(".extent.") != std::string::npos; };
    if (std::none_of(cases_.begin(), cases_.end(), extent)) {
        lets_[op->name] = op->value;
    }
    return IRMutator::visit(op);
}

Stmt AnySize::visit(const IfThenElse *op) {
    for (const WholeGroups &c : cases_) {
        const auto multiples = Extents(c.func).multiples(op->condition);
        std::vector<std::string> extents;
        Expr enough;
        size_t found = 0;
        for (const auto &a : c.along) {
            std::string &extent = extents.emplace_back();  // what a condition says nothing of Halide knows to be a multiple
            for (const auto &[name, n] : multiples) {
                if (n == a.points && ends(name, ".extent." + std::to_string(a.dim))) {
                    extent = name;
                    found++;
                    enough = enough.defined() ? enough && var(name) >= n : var(name) >= n;
                }
            }
        }
        if (found == 0 || found != multiples.size()) {
            continue;
        }
        TellApart apart(c, extents, lets_);
        const Stmt then_case = apart.mutate(op->then_case);
        if (apart.done(then_case)) {
            return IfThenElse::make(enough, apart.as_it_was(then_case), op->else_case);
        }
    }
    return IRMutator::visit(op);
}

}  // namespace gowarp

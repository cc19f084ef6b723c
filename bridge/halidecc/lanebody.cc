//go:build halide

#include "lanebody.h"
#include "order.h"
#include "shuffle.h"
#include "straight.h"

#include <algorithm>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// Lays a lane's body out as a straight line, and moves registers to the scratch on the way.
class Straighten : public IRMutator {
public:
    Straighten(const Places &places, const Held &held, const For *lanes, const For *warps, int scratch_bytes)
        : places_(places), held_(held), lane_(Variable::make(Int(32), lanes->name)), order_(places) {
        warp_ = warps ? Variable::make(Int(32), warps->name) : Expr(0);
        std::set<int> widths;
        for (const auto &p : places) {
            widths.insert(p.second.type.bytes());
        }
        for (int w : widths) {
            const std::string name = prefix_ + ".base" + std::to_string(w);
            line_.let(name, warp_ * (scratch_bytes / w) + lane_);
            base_[w] = Variable::make(Int(32), name);
        }
    }

    StraightLine straight(const Definitions &around, const Stmt &body) {
        for (const auto &d : around) {
            Reads r;
            d.second.accept(&r);
            if (!r.any) {
                const Expr value = mutate(d.second);
                env_[d.first] = Variable::make(value.type(), fresh());
                line_.let(env_[d.first].as<Variable>()->name, value);
            }
        }
        walk(body);
        return line_;
    }

private:
    using IRMutator::visit;

    // Statements.

    void walk(const Stmt &s) {
        if (const Block *b = s.as<Block>()) {
            walk(b->first);
            walk(b->rest);
        } else if (const ProducerConsumer *p = s.as<ProducerConsumer>()) {
            walk(p->body);
        } else if (const Allocate *a = s.as<Allocate>()) {
            if (!is_const_one(a->condition) || a->new_expr.defined()) {
                throw Unsuitable{a->name + " is allocated under a condition"};
            }
            walk(a->body);
        } else if (const LetStmt *l = s.as<LetStmt>()) {
            define(l);
        } else if (const IfThenElse *i = s.as<IfThenElse>()) {
            const Expr c = condition(i->condition);
            guards_.push_back(c);
            walk(i->then_case);
            guards_.pop_back();
            if (i->else_case.defined()) {
                guards_.push_back(!c);
                walk(i->else_case);
                guards_.pop_back();
            }
        } else if (s.as<Store>() || s.as<Evaluate>() || s.as<AssertStmt>() || s.as<For>()) {
            leaf(s);
        } else if (!s.as<Free>()) {
            throw Unsuitable{"it has a statement of another kind"};
        }
    }

    // A condition is computed anew for every run under it, so that it must not read what changes.
    Expr condition(const Expr &e) {
        const Expr c = mutate(e);
        Reads r;
        c.accept(&r);
        if (!r.any) {
            note_reads();
            return c;
        }
        if (!guards_.empty()) {
            throw Unsuitable{"a condition inside another reads what lanes hold"};
        }
        return all_lanes(c);
    }

    // A value that all lanes compute here.
    Expr all_lanes(const Expr &value) {
        note_reads();
        line_.end_run();
        in_run_.clear();
        const std::string name = fresh();
        line_.let(name, value);
        return Variable::make(value.type(), name);
    }

    void define(const LetStmt *l) {
        const Expr whole = resolved(l->value);
        Reads r;
        whole.accept(&r);
        if (r.any && small(whole)) {
            // Read where it is used, which tells when.
            const Expr shadowed = bind(raw_, l->name, whole);
            walk(l->body);
            bind(raw_, l->name, shadowed);
            return;
        }
        const bool after = std::any_of(leaf_lets_.begin(), leaf_lets_.end(), [&](const Definition &d) { return expr_uses_var(whole, d.first); });
        if (after || (r.any && !guards_.empty() && one_statement(l->body))) {
            // A condition may keep it, or what it is computed from, from being computed: it stays with the statement that uses it.
            leaf_lets_.emplace_back(l->name, mutate(whole));
            walk(l->body);
            leaf_lets_.pop_back();
            return;
        }
        Expr as;
        if (r.any) {
            // What lanes hold all of them may read, though it means nothing to some; memory they may not.
            if (!guards_.empty() && !std::all_of(r.loads.begin(), r.loads.end(), [&](const Load *load) { return held_.count(load->name); })) {
                throw Unsuitable{"several statements under a condition share the value " + l->name};
            }
            StraightLine::Guards none;
            std::swap(none, guards_);
            as = all_lanes(mutate(whole));
            std::swap(none, guards_);
        } else {
            const Expr value = mutate(whole);
            note_reads();
            as = Variable::make(value.type(), fresh());
            line_.let(as.as<Variable>()->name, value);
        }
        const Expr shadowed = bind(env_, l->name, as);
        walk(l->body);
        bind(env_, l->name, shadowed);
    }

    // Whether a chain of definitions ends in one statement that stays whole.
    static bool one_statement(Stmt s) {
        while (const LetStmt *l = s.as<LetStmt>()) {
            s = l->body;
        }
        return s.as<Store>() || s.as<Evaluate>() || s.as<For>();
    }

    void leaf(const Stmt &s) {
        Stmt t = mutate(s);
        for (auto l = leaf_lets_.rbegin(); l != leaf_lets_.rend(); l++) {
            t = LetStmt::make(l->first, l->second, t);
        }
        note_reads();
        note_writes();
        line_.add(guards_, t);
        for (const std::string &name : stored_) {
            in_run_.insert(name);
            // What was shuffled before is not what is there now.
            shuffled_.erase(std::remove_if(shuffled_.begin(), shuffled_.end(), [&](const Definition &d) { return reads(d.second, name); }), shuffled_.end());
        }
        stored_.clear();
    }

    static bool reads(const Expr &e, const std::string &name) {
        Reads r;
        e.accept(&r);
        return std::any_of(r.loads.begin(), r.loads.end(), [&](const Load *l) { return l->name == name; });
    }

    using Values = std::map<std::string, Expr>;
    using Definition = std::pair<std::string, Expr>;

    // Sets what stands for a variable, and returns what did before.
    static Expr bind(Values &in, const std::string &name, const Expr &value) {
        const Expr before = in.count(name) ? in[name] : Expr();
        if (value.defined()) {
            in[name] = value;
        } else {
            in.erase(name);
        }
        return before;
    }

    std::string fresh() { return prefix_ + "." + std::to_string(names_++); }

    // What may be computed again at every use: a read, what converts it, and a choice between two.
    static bool small(const Expr &e) {
        class Count : public IRMutator {
        public:
            int nodes = 0;
            using IRMutator::mutate;
            Expr mutate(const Expr &e) override { return ++nodes > most_small ? e : IRMutator::mutate(e); }
        } c;
        c.mutate(e);
        return c.nodes <= most_small;
    }
    static constexpr int most_small = 24;

    // Order.

    // Sets a barrier where what was written may be read by another lane.
    void note_reads() {
        if (order_.wait_to_read()) {
            barrier();
        }
        // Shuffles of registers that the present run sets come behind it.
        if (std::any_of(shuffles_.begin(), shuffles_.end(), [&](const Definition &d) {
                return std::any_of(in_run_.begin(), in_run_.end(), [&](const std::string &name) { return reads(d.second, name) || reads(d.second, scratch_name); });
            })) {
            line_.end_run();
            in_run_.clear();
        }
        for (const Definition &l : shuffles_) {
            line_.let(l.first, l.second);
        }
        shuffles_.clear();
    }

    // Sets a barrier where what is overwritten may still be read.
    void note_writes() {
        if (order_.wait_to_write()) {
            barrier();
        }
    }

    void barrier() {
        line_.barrier();
        in_run_.clear();
    }

    // Expressions.

    // The register that an index names, -1 if it is not in the scratch.
    int slot_of(const std::string &name, const Expr &index) const {
        const auto p = places_.find(name);
        if (p == places_.end()) {
            return -1;
        }
        const auto n = as_const_int(index);
        if (!n) {
            throw Unsuitable{"which register of " + name + " is used is not known before it runs"};
        }
        return *n < p->second.slots ? (int)*n : -1;
    }

    // The element of the scratch that holds a lane's register; lane is relative to the own one if its argument is.
    Expr element(const Place &p, int slot, const Expr &from) const {
        const int w = p.type.bytes();
        Expr base = base_.at(w);
        int at = p.begin(slot) / w;
        if (from.defined()) {
            if (const auto d = as_const_int(from)) {
                at += (int)*d;
            } else {
                base = base + from;
            }
        }
        return at ? base + at : base;
    }

    Expr from_scratch(const Load *op, int slot, const Expr &from, bool own) {
        const Place &p = places_.at(op->name);
        order_.read(op->name, slot, own);
        return Load::make(op->type, scratch_name, element(p, slot, from), Buffer<>(), Parameter(), const_true(), ModulusRemainder());
    }

    Expr visit(const Variable *op) override {
        const auto r = raw_.find(op->name);
        if (r != raw_.end()) {
            return mutate(r->second);
        }
        const auto v = env_.find(op->name);
        return v == env_.end() ? Expr(op) : v->second;
    }

    Expr visit(const Load *op) override {
        const int slot = slot_of(op->name, op->index);
        if (slot < 0) {
            return IRMutator::visit(op);
        }
        return from_scratch(op, slot, Expr(), true);
    }

    // The greatest lane that comes by under the conditions.
    int last_lane() const {
        int last = warp_lanes - 1;
        for (const Expr &g : guards_) {
            const LT *lt = g.as<LT>();
            const LE *le = g.as<LE>();
            if (lt && equal(lt->a, lane_) && as_const_int(lt->b)) {
                last = std::min(last, (int)*as_const_int(lt->b) - 1);
            } else if (le && equal(le->a, lane_) && as_const_int(le->b)) {
                last = std::min(last, (int)*as_const_int(le->b));
            }
        }
        return last;
    }

    // How many lanes further, or before, the other is. What no lane needs stays within the warp.
    Expr distance(const Shuffle &s) {
        const Expr by = mutate(s.by());
        const auto d = as_const_int(by);
        const int most = warp_lanes - 1;
        switch (s.kind) {
        case Shuffle::down:
            return d && *d >= 0 && last_lane() + *d <= most ? by : min(lane_ + by, most) - lane_;
        case Shuffle::up:
            return max(lane_ - by, 0) - lane_;
        default:
            return (by & most) - lane_;
        }
    }

    Expr visit(const Call *op) override {
        const Shuffle s = as_shuffle(op);
        if (!s) {
            return IRMutator::visit(op);
        }
        // Of a value that stands in one register, and that in the scratch, no shuffle is left.
        const Expr of = resolved(s.call->args[s.value]);
        Reads r;
        of.accept(&r);
        if (r.loads.size() == 1) {
            const Load *load = r.loads[0];
            const int slot = slot_of(load->name, load->index);
            if (slot >= 0) {
                const Expr other = from_scratch(load, slot, distance(s), false);
                class Replace : public IRMutator {
                public:
                    Replace(const Load *l, const Expr &e) : l_(l), e_(e) {}

                private:
                    using IRMutator::visit;
                    Expr visit(const Load *op) override { return op == l_ ? e_ : IRMutator::visit(op); }
                    const Load *l_;
                    Expr e_;
                };
                return Replace(load, other).mutate(of);
            }
        }
        std::vector<Expr> args = op->args;
        for (Expr &a : args) {
            a = mutate(a);
        }
        const Expr call = Call::make(op->type, op->name, args, op->call_type);
        for (const std::string &v : inner_) {
            if (expr_uses_var(call, v)) {
                throw Unsuitable{"a shuffle in a loop depends on it"};
            }
        }
        for (const Definition &l : leaf_lets_) {
            if (expr_uses_var(call, l.first)) {
                throw Unsuitable{"a shuffle depends on what only some lanes compute"};
            }
        }
        for (const Definition &known : shuffled_) {
            if (equal(known.second, call)) {
                return Variable::make(op->type, known.first);
            }
        }
        shuffled_.emplace_back(fresh(), call);
        shuffles_.push_back(shuffled_.back());
        return Variable::make(op->type, shuffled_.back().first);
    }

    // The definitions of what is read where it is used, in place of the variables.
    Expr resolved(const Expr &e) const {
        class Resolve : public IRMutator {
        public:
            explicit Resolve(const Values &raw) : raw_(raw) {}

        private:
            using IRMutator::visit;
            Expr visit(const Variable *op) override {
                const auto r = raw_.find(op->name);
                return r == raw_.end() ? Expr(op) : mutate(r->second);
            }
            const Values &raw_;
        };
        return Resolve(raw_).mutate(e);
    }

    template<typename T>
    auto inner_let(const T *op) -> decltype(op->body) {
        const Expr whole = resolved(op->value);
        Reads r;
        whole.accept(&r);
        if (r.any && small(whole)) {
            const Expr shadowed = bind(raw_, op->name, whole);
            const auto body = mutate(op->body);
            bind(raw_, op->name, shadowed);
            return body;
        }
        const Expr value = mutate(whole);
        inner_.push_back(op->name);
        const auto body = mutate(op->body);
        inner_.pop_back();
        return T::make(op->name, value, body);
    }

    Expr visit(const Let *op) override { return inner_let(op); }
    Stmt visit(const LetStmt *op) override { return inner_let(op); }

    Stmt visit(const For *op) override {
        if (is_gpu(op->for_type)) {
            throw Unsuitable{"a loop over threads stands inside its lanes"};
        }
        const Expr min = mutate(op->min), extent = mutate(op->extent);
        inner_.push_back(op->name);
        loops_++;
        const Stmt body = mutate(op->body);
        loops_--;
        inner_.pop_back();
        return For::make(op->name, min, extent, op->for_type, op->partition_policy, op->device_api, body);
    }

    Stmt visit(const Allocate *op) override { throw Unsuitable{op->name + " is allocated in a loop of a lane"}; }

    Stmt visit(const Store *op) override {
        const int slot = slot_of(op->name, op->index);
        if (held_.count(op->name)) {
            if (loops_ > 0) {
                throw Unsuitable{op->name + " is stored in a loop of a lane"};
            }
            stored_.push_back(op->name);
        }
        if (slot < 0) {
            return IRMutator::visit(op);
        }
        if (!is_const_one(op->predicate)) {
            throw Unsuitable{op->name + " is stored under a predicate"};
        }
        const Expr value = mutate(op->value);
        order_.write(op->name, slot);
        return Store::make(scratch_name, value, element(places_.at(op->name), slot, Expr()), Parameter(), const_true(), ModulusRemainder());
    }

    const std::string prefix_ = unique_name("gowarp.lane");  // no two kernels use a name
    const Places &places_;
    const Held &held_;
    const Expr lane_;
    Expr warp_;
    std::map<int, Expr> base_;  // by bytes of an element: the own lane's in the scratch of the own warp

    StraightLine line_;
    StraightLine::Guards guards_;
    Values env_, raw_;                               // what stands for a variable; what is mutated where it is used
    std::vector<Definition> leaf_lets_;              // around the present statement
    std::vector<std::string> inner_;                 // loops and definitions inside it
    int loops_ = 0;
    std::vector<Definition> shuffles_, shuffled_;    // of the present statement; those that hold
    std::vector<std::string> stored_;
    std::set<std::string> in_run_;  // registers that the present run sets
    Order order_;
    int names_ = 0;
};

}  // namespace

StraightLine straighten(const Places &places, const Held &held, const For *lanes, const For *warps, int scratch_bytes, const Definitions &around, const Stmt &body) {
    return Straighten(places, held, lanes, warps, scratch_bytes).straight(around, body);
}

}  // namespace gowarp

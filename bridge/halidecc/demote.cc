//go:build halide

#include "demote.h"
#include "straight.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr int warp_lanes = 32;
const char *const scratch_name = "gowarp.scratch";

// Why a kernel stays as it is.
struct Unsuitable {
    std::string why;
};

// A shuffle of Halide's: its value, and of which lane it is.
struct Shuffle {
    const Call *call = nullptr;
    size_t value = 0;  // the position of the argument
    enum { down, up, index } kind = index;
    explicit operator bool() const { return call; }
    Expr by() const { return call->args[value + 1]; }
};

Shuffle as_shuffle(const Expr &e) {
    static const std::string prefix = "llvm.nvvm.shfl.", sync = "sync.";
    const Call *c = e.as<Call>();
    if (!c || !starts_with(c->name, prefix)) {
        return {};
    }
    std::string form = c->name.substr(prefix.size());
    Shuffle s;
    if (starts_with(form, sync)) {
        s.value = 1;  // behind the mask of lanes
        form = form.substr(sync.size());
    }
    if (c->args.size() != s.value + 3) {
        throw Unsuitable{"a shuffle " + c->name + " of another form"};
    }
    s.call = c;
    s.kind = starts_with(form, "down.") ? Shuffle::down : starts_with(form, "up.") ? Shuffle::up : Shuffle::index;
    if (s.kind == Shuffle::index && !starts_with(form, "idx.")) {
        throw Unsuitable{"a shuffle " + c->name + " of another form"};
    }
    return s;
}

// The registers of one Func's component that go to the scratch.
struct Place {
    int slots = 0, offset = 0;
    Type type;
    int begin(int slot) const { return offset + slot * warp_lanes * type.bytes(); }
    int end(int slot) const { return begin(slot) + warp_lanes * type.bytes(); }
};

using Places = std::map<std::string, Place>;  // by the name of the allocation

// The allocations that a kernel's lanes share, and what else it consists of.
class Survey : public IRVisitor {
public:
    std::map<std::string, const Allocate *> held;
    const For *lanes = nullptr, *warps = nullptr;
    std::string why;  // for which it is no kernel of warps' tiles

private:
    using IRVisitor::visit;

    void visit(const For *op) override {
        if (op->for_type == ForType::GPULane) {
            if (lanes || !is_const(op->extent, warp_lanes)) {
                why = "its lanes are not one loop over " + std::to_string(warp_lanes);
            }
            lanes = op;
        } else if (op->for_type == ForType::GPUThread) {
            if (warps || lanes || !as_const_int(op->extent)) {
                why = "its warps are not one loop of constant extent";
            }
            warps = op;
        } else if (op->for_type != ForType::GPUBlock && !lanes) {
            why = "a loop goes around its lanes";
        }
        IRVisitor::visit(op);
    }

    void visit(const IfThenElse *op) override {
        if (warps && !lanes) {
            why = "a condition stands around its lanes";
        }
        IRVisitor::visit(op);
    }

    void visit(const Call *op) override {
        if (op->is_intrinsic(Call::gpu_thread_barrier)) {
            why = "it has other barriers";
        }
        IRVisitor::visit(op);
    }

    void visit(const Allocate *op) override {
        if (op->memory_type == MemoryType::GPUShared) {
            why = "it has other shared memory";
        } else if (lanes) {
            held[op->name] = op;
        }
        IRVisitor::visit(op);
    }
};

// Whether there is anything in an expression that depends on when it is computed, or by which lanes.
class Reads : public IRGraphVisitor {
public:
    bool any = false;
    std::vector<const Load *> loads;

private:
    using IRGraphVisitor::visit;

    void visit(const Load *op) override {
        any = true;
        loads.push_back(op);
        IRGraphVisitor::visit(op);
    }
    void visit(const Call *op) override {
        any = any || !op->is_pure() || starts_with(op->name, "llvm.nvvm.shfl.");
        IRGraphVisitor::visit(op);
    }
};

// Lays a lane's body out as a straight line, and moves registers to the scratch on the way.
class Straighten : public IRMutator {
public:
    Straighten(const Places &places, const std::map<std::string, const Allocate *> &held, const For *lanes, const For *warps, int scratch_bytes)
        : places_(places), held_(held), lane_(Variable::make(Int(32), lanes->name)) {
        warp_ = warps ? Variable::make(Int(32), warps->name) : Expr(0);
        std::set<int> widths;
        for (const auto &p : places) {
            widths.insert(p.second.type.bytes());
        }
        for (int w : widths) {
            const std::string name = "gowarp.base" + std::to_string(w);
            line_.let(name, warp_ * (scratch_bytes / w) + lane_);
            base_[w] = Variable::make(Int(32), name);
        }
    }

    Stmt straight(const Stmt &body) {
        walk(body);
        return line_.build();
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

    std::string fresh() { return "gowarp.t" + std::to_string(names_++); }

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

    struct Access {
        std::string name;
        int slot;
        bool own;  // each lane its own
    };

    // Sets a barrier where what was written may be read by another lane.
    void note_reads() {
        bool wait = false;
        for (const Access &a : reads_) {
            const Place &p = places_.at(a.name);
            const auto owner = owners_.find(p.begin(a.slot));
            if (owner == owners_.end() || owner->second != std::make_pair(a.name, a.slot)) {
                throw Unsuitable{a.name + " is read where another has its place"};
            }
            wait = wait || (!a.own && overlaps(written_, p, a.slot));
        }
        if (wait) {
            barrier();
        }
        for (const Access &a : reads_) {
            mark(read_, a);
        }
        reads_.clear();
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
        bool wait = false;
        for (const Access &a : writes_) {
            const Place &p = places_.at(a.name);
            wait = wait || overlaps(read_, p, a.slot) || (overlaps(written_, p, a.slot) && (!owners_.count(p.begin(a.slot)) || owners_[p.begin(a.slot)] != std::make_pair(a.name, a.slot)));
        }
        if (wait) {
            barrier();
        }
        for (const Access &a : writes_) {
            const Place &p = places_.at(a.name);
            const auto mine = std::make_pair(a.name, a.slot);
            for (auto o = owners_.begin(); o != owners_.end();) {
                const Place &q = places_.at(o->second.first);
                const bool gone = o->second != mine && q.begin(o->second.second) < p.end(a.slot) && p.begin(a.slot) < q.end(o->second.second);
                o = gone ? owners_.erase(o) : std::next(o);
            }
            owners_[p.begin(a.slot)] = mine;
            mark(written_, a);
        }
        writes_.clear();
    }

    void barrier() {
        line_.barrier();
        written_.clear();
        read_.clear();
        in_run_.clear();
    }

    using Bytes = std::vector<std::pair<int, int>>;

    static bool overlaps(const Bytes &all, const Place &p, int slot) {
        return std::any_of(all.begin(), all.end(), [&](const std::pair<int, int> &b) { return b.first < p.end(slot) && p.begin(slot) < b.second; });
    }

    void mark(Bytes &all, const Access &a) {
        const Place &p = places_.at(a.name);
        const std::pair<int, int> b{p.begin(a.slot), p.end(a.slot)};
        if (std::find(all.begin(), all.end(), b) == all.end()) {
            all.push_back(b);
        }
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
        reads_.push_back({op->name, slot, own});
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
        writes_.push_back({op->name, slot, true});
        return Store::make(scratch_name, value, element(places_.at(op->name), slot, Expr()), Parameter(), const_true(), ModulusRemainder());
    }

    const Places &places_;
    const std::map<std::string, const Allocate *> &held_;
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
    std::vector<Access> reads_, writes_;
    Bytes read_, written_;                                 // since the last barrier
    std::map<int, std::pair<std::string, int>> owners_;  // by the first byte: whose register it is
    int names_ = 0;
};

// A kernel with the registers moved: the lane's body anew, the scratch around the threads.
class Rebuild : public IRMutator {
public:
    Rebuild(const Places &places, const Survey &survey, int scratch_bytes)
        : places_(places), survey_(survey), bytes_(scratch_bytes) {}

private:
    using IRMutator::visit;

    bool whole(const std::string &name) const {
        const auto p = places_.find(name);
        return p != places_.end() && is_const(survey_.held.at(name)->extents[0], p->second.slots);
    }

    Stmt visit(const For *op) override {
        if (op->for_type == ForType::GPULane) {
            Stmt body = Straighten(places_, survey_.held, survey_.lanes, survey_.warps, bytes_).straight(op->body);
            for (const auto &h : survey_.held) {
                const Allocate *a = h.second;
                if (!whole(a->name)) {
                    body = Allocate::make(a->name, a->type, a->memory_type, a->extents, a->condition, body, a->new_expr, a->free_function, a->padding);
                }
            }
            return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
        }
        const Stmt body = mutate(op->body);
        if (op->for_type != ForType::GPUBlock || placed_) {
            return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
        }
        placed_ = true;  // the innermost loop over blocks comes by first
        const int64_t warps = survey_.warps ? *as_const_int(survey_.warps->extent) : 1;
        const Stmt with = Allocate::make(scratch_name, UInt(8), MemoryType::GPUShared, {Expr((int)(bytes_ * warps))}, const_true(), Block::make(body, Free::make(scratch_name)));
        return For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, with);
    }

    Stmt visit(const Free *op) override { return survey_.held.count(op->name) && whole(op->name) ? Evaluate::make(0) : Stmt(op); }

    const Places &places_;
    const Survey &survey_;
    const int bytes_;
    bool placed_ = false;
};

// The Func and the component behind the name of an allocation: the Func's, then the component if it is a tuple, and a number that Halide
// puts behind all that lanes hold.
bool is_of(const std::string &allocation, const std::string &func, int &component) {
    if (!starts_with(allocation, func + ".")) {
        return false;
    }
    const std::string rest = allocation.substr(func.size() + 1);
    if (rest.empty() || rest.find_first_not_of("0123456789.") != std::string::npos) {
        return false;
    }
    const size_t dot = rest.find('.');
    component = dot == std::string::npos ? 0 : atoi(rest.c_str());
    return true;
}

// Where the components of the Funcs have their places.
Places placed(const std::map<std::string, const Allocate *> &held, const std::vector<Demotion> &demotions, int &scratch_bytes) {
    Places places;
    for (const Demotion &d : demotions) {
        std::map<int, const Allocate *> components;
        for (const auto &h : held) {
            int c = 0;
            if (is_of(h.first, d.func, c) && !components.emplace(c, h.second).second) {
                throw Unsuitable{d.func + " is held twice"};
            }
        }
        int offset = d.offset;
        for (const auto &c : components) {
            const Allocate *a = c.second;
            const auto slots = a->extents.size() == 1 ? as_const_int(a->extents[0]) : std::nullopt;
            if (!slots || d.slots > *slots || a->type.lanes() != 1 || a->type.bits() < 8 || a->type.bits() > 32) {
                throw Unsuitable{"lanes do not hold " + std::to_string(d.slots) + " registers of " + d.func};
            }
            const Place p{d.slots, offset, a->type};
            places[a->name] = p;
            offset = p.end(d.slots - 1);
            scratch_bytes = std::max(scratch_bytes, offset);
        }
    }
    return places;
}

}  // namespace

Demote::Demote(std::vector<Demotion> demotions) : demotions_(std::move(demotions)) {}

Stmt Demote::visit(const For *op) {
    if (!is_gpu(op->for_type)) {
        return IRMutator::visit(op);
    }
    Survey survey;
    op->accept(&survey);
    try {
        int scratch_bytes = 0;
        const Places places = placed(survey.held, demotions_, scratch_bytes);
        if (places.empty()) {
            return op;
        }
        if (!survey.why.empty()) {
            throw Unsuitable{survey.why};
        }
        return Rebuild(places, survey, scratch_bytes).mutate(Stmt(op));
    } catch (const Unsuitable &u) {
        fprintf(stderr, "gowarp: the kernel of the loop %s stays in registers: %s\n", op->name.c_str(), u.why.c_str());
        return op;
    }
}

void install_demotions(const Pipeline &p, const std::vector<Demotion> &demotions) {
    if (!demotions.empty()) {
        Pipeline shared(p);  // its contents are the user's
        shared.add_custom_lowering_pass(new Demote(demotions));
    }
}

}  // namespace gowarp

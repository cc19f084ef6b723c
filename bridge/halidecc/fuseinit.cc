//go:build halide

#include "fuseinit.h"
#include "movable.h"

#include <algorithm>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// An update runs in fewer threads than a pure definition does, so that only what is little more than a load is worth computing there.
const int most_nodes = 400;  // of a definition, with the pure Funcs that it reads in their place, each time that it reads them; a boundary condition is up to 70
const int most_loads = 4;

// An argument on the left-hand side of an update: the Func's own variable (rvar is -1), or sign * rvar + offset.
struct Place {
    int rvar = -1, sign = 1;
    Expr offset;
};

// Where an update stores: each argument its own variable, or one of the domain's, each of which is one argument.
bool places(const Function &f, const Definition &def, std::vector<Place> &of) {
    const auto &rvars = def.schedule().rvars();
    std::set<int> used;
    for (size_t k = 0; k < def.args().size(); k++) {
        const Expr &arg = def.args()[k];
        Place p;
        for (size_t r = 0; r < rvars.size(); r++) {
            if (!expr_uses_var(arg, rvars[r].var)) {
                continue;
            }
            if (!used.insert((int)r).second) {
                return false;
            }
            const Expr v = Variable::make(Int(32), rvars[r].var);
            const Expr step = simplify(substitute(rvars[r].var, v + 1, arg) - arg);
            p.rvar = (int)r;
            p.sign = is_const_one(step) ? 1 : -1;
            if (!is_const_one(step) && !is_const(step, -1)) {
                return false;
            }
            p.offset = simplify(substitute(rvars[r].var, 0, arg));
            break;
        }
        if (p.rvar >= 0 ? !Movable::is(p.offset, true) || std::any_of(f.args().begin(), f.args().end(), [&](const std::string &v) { return expr_uses_var(p.offset, v); }) :
                          !arg.as<Variable>() || arg.as<Variable>()->name != f.args()[k] || arg.as<Variable>()->param.defined()) {
            return false;
        }
        of.push_back(p);
    }
    return !rvars.empty() && used.size() == rvars.size() && std::all_of(rvars.begin(), rvars.end(), [](const ReductionVariable &r) { return Movable::is(r.min, true) && Movable::is(r.extent, true); });
}

// What an update reads of its Func: how often the point that it changes, and whether all else has been changed before, or is outside of the domain.
class OwnReads : public IRGraphVisitor {
public:
    OwnReads(const Function &f, const Definition &def, const std::vector<Place> &at) : f_(f), def_(def), at_(at) {}

    bool ahead = false;
    std::set<const Call *> here;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type != Call::Halide || op->name != f_.name()) {
            return;
        }
        std::vector<int64_t> steps(def_.schedule().rvars().size());  // in iterations, by variable
        for (size_t k = 0; k < at_.size(); k++) {
            const Expr apart = simplify(op->args[k] - def_.args()[k]);
            const auto by = as_const_int(apart);
            if (!by || (at_[k].rvar < 0 && *by != 0)) {
                ahead = true;
                return;
            }
            if (at_[k].rvar >= 0) {
                steps[at_[k].rvar] = *by * at_[k].sign;
            }
        }
        // The first variable is the innermost loop's.
        const auto outermost = std::find_if(steps.rbegin(), steps.rend(), [](int64_t s) { return s != 0; });
        if (outermost == steps.rend()) {
            here.insert(op);
        } else if (*outermost > 0) {
            ahead = true;
        }
    }

    const Function &f_;
    const Definition &def_;
    const std::vector<Place> &at_;
};

// Whether a place moves with a variable, one for one, but for the ends that a boundary condition holds it at.
bool beside(const Expr &place, const std::string &lane) {
    const auto moves = [&](const Expr &e) { return expr_uses_var(e, lane); };
    const auto of_two = [&](const Expr &a, const Expr &b) { return (!moves(a) || beside(a, lane)) && (!moves(b) || beside(b, lane)); };
    if (const Variable *v = place.as<Variable>()) {
        return v->name == lane;
    } else if (const Call *c = Call::as_tag(place)) {
        return beside(c->args[0], lane);
    } else if (const Min *m = place.as<Min>()) {
        return of_two(m->a, m->b);
    } else if (const Max *m = place.as<Max>()) {
        return of_two(m->a, m->b);
    } else if (const Add *a = place.as<Add>()) {
        return moves(a->a) != moves(a->b) && of_two(a->a, a->b);
    } else if (const Sub *s = place.as<Sub>()) {
        return !moves(s->b) && beside(s->a, lane);
    }
    return false;
}

// Whether what is evaluated at the points of a Func is little, and neighbours along its first dimension read neighbours; through pure Funcs, which may be
// computed where they are read.
class Light : public IRGraphVisitor {
public:
    static bool is(const std::vector<Expr> &values, const std::string &lane) {
        Light l(lane);
        for (const Expr &v : values) {
            l.look(v);
        }
        return !l.heavy_;
    }

private:
    explicit Light(std::string lane) : lane_(std::move(lane)) {}

    void look(const Expr &e) {
        if (!heavy_) {
            e.accept(this);
        }
    }

    using IRGraphVisitor::include;
    void include(const Expr &e) override {
        heavy_ = heavy_ || ++nodes_ > most_nodes;
        if (!heavy_) {
            IRGraphVisitor::include(e);
        }
    }

    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type != Call::Halide && op->call_type != Call::Image) {
            return;
        }
        const Function callee = op->call_type == Call::Halide ? Function(op->func) : Function();
        const bool through = op->call_type == Call::Halide && !callee.has_extern_definition() && callee.has_pure_definition() && callee.updates().empty();
        if (!through && ++loads_ > most_loads) {
            heavy_ = true;
        }
        for (size_t k = 0; k < op->args.size() && !heavy_; k++) {
            if (!expr_uses_var(op->args[k], lane_)) {
                continue;
            }
            heavy_ = k > 0 || !beside(op->args[k], lane_);
        }
        if (through && !heavy_) {
            std::map<std::string, Expr> point;
            for (size_t k = 0; k < op->args.size(); k++) {
                point[callee.args()[k]] = op->args[k];
            }
            for (const Expr &v : callee.values()) {
                look(substitute(point, v));
            }
        }
    }

    const std::string lane_;
    int nodes_ = 0, loads_ = 0;
    bool heavy_ = false;
};

// Puts values, of which each stands for one of a Func's, in the place of what an update reads of the point that it changes.
class InPlace : public IRGraphMutator {
public:
    InPlace(const std::set<const Call *> &calls, const std::vector<Expr> &values) : calls_(calls), values_(values) {}

protected:
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override { return calls_.count(op) ? values_[op->value_index] : IRGraphMutator::visit(op); }

    const std::set<const Call *> &calls_;
    const std::vector<Expr> &values_;
};

bool fuse_init(Function f) {
    if (!f.has_pure_definition() || f.has_extern_definition() || f.updates().empty() || f.args().empty() || !f.definition().specializations().empty()) {
        return false;
    }
    Definition update = f.updates()[0];
    std::vector<Place> at;
    if (!update.specializations().empty() || has_predicate(update) || !places(f, update, at)) {
        return false;
    }
    // Halide names what occurs several times by lets, whose names a substitution might catch.
    const auto without_lets = [](const std::vector<Expr> &values) {
        std::vector<Expr> out;
        for (const Expr &v : values) {
            out.push_back(substitute_in_all_lets(v));
        }
        return out;
    };
    const std::vector<Expr> starts = without_lets(f.definition().values()), changes = without_lets(update.values());
    const auto movable = [](const Expr &e) { return Movable::is(e, false); };
    if (!std::all_of(starts.begin(), starts.end(), movable) || !std::all_of(changes.begin(), changes.end(), movable) || !Light::is(starts, f.args()[0])) {
        return false;
    }
    OwnReads reads(f, update, at);
    for (const Expr &v : changes) {
        v.accept(&reads);
    }
    if (reads.ahead) {
        return false;
    }

    std::map<std::string, Expr> here;
    Expr inside = const_true();
    const auto &rvars = update.schedule().rvars();
    for (size_t k = 0; k < at.size(); k++) {
        here[f.args()[k]] = update.args()[k];
        if (at[k].rvar < 0) {
            continue;
        }
        const ReductionVariable &r = rvars[at[k].rvar];
        const Expr first = r.min, last = r.min + r.extent - 1, arg = Variable::make(Int(32), f.args()[k]);
        const Expr lo = simplify(at[k].sign > 0 ? at[k].offset + first : at[k].offset - last);
        const Expr hi = simplify(at[k].sign > 0 ? at[k].offset + last : at[k].offset - first);
        inside = inside && arg >= lo && arg <= hi;
    }
    std::vector<Expr> computed;
    for (size_t v = 0; v < starts.size(); v++) {
        computed.push_back(substitute(here, starts[v]));
        Expr &start = f.definition().values()[v];
        start = Select::make(simplify(!inside), start, undef(start.type()));
    }
    InPlace in_place(reads.here, computed);
    for (size_t v = 0; v < changes.size(); v++) {
        update.values()[v] = common_subexpression_elimination(in_place.mutate(changes[v]));
    }
    return true;
}

}  // namespace

Graph fuse_inits(const Pipeline &pipeline, const Graph &before) {
    std::set<std::string> fused;
    for (const FuncEntry &f : before.funcs) {
        if (fuse_init(f.original)) {
            fused.insert(f.original.name());
        }
    }
    return rebuild_changed(pipeline, before, fused, &FuncEntry::fused_init);
}

Expr partly_computed(std::vector<Expr> &values) {
    const auto undefined = [](const Expr &e) {
        const Call *c = e.as<Call>();
        return c && c->is_intrinsic(Call::undef);
    };
    Expr where;
    std::vector<Expr> computed;
    for (const Expr &v : values) {
        const Select *s = v.as<Select>();
        if (!s || undefined(s->true_value) || !undefined(s->false_value) || (where.defined() && !equal(where, s->condition))) {
            return Expr();
        }
        where = s->condition;
        computed.push_back(s->true_value);
    }
    values = computed;
    return where;
}

}  // namespace gowarp

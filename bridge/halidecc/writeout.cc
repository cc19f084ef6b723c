//go:build halide

#include "writeout.h"
#include "ownpoint.h"

#include <algorithm>
#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// What stands in the code is compiled once for each point of a thread, so there is an end to it: Halide lowers minima of 7x7 for more than half a minute.
const int64_t most_iterations = 64;  // of a domain
const int64_t most_terms = 32;       // of these, so many that its condition leaves
const int64_t most_calls = 512;  // of all iterations

// A variable of the domain with its first value and the number of them.
struct Range {
    std::string name;
    int64_t min, extent;
};

// What an expression refers to, as often as it stands there written out: operands are shared.
struct Uses {
    int64_t itself = 0, others = 0;  // the Func's own value, and its others, at the point that is computed
    int64_t calls = 0;
    bool neighbours = false;         // points of another Func or an input beside the one that is computed
    bool other = false;  // what cannot be written out: the Func elsewhere, undefined values, names that a substitution might catch
};

const int64_t plenty = 1 << 20;

class UsesOf {
public:
    UsesOf(const Function &f, int value, const Definition &def) : f_(f), value_(value), def_(def) {}

    const Uses &in(const Expr &e) {
        const auto known = seen_.find(e.get());
        if (known != seen_.end()) {
            return known->second;
        }
        Uses u;
        u.other = e.node_type() == IRNodeType::Let;
        const Call *c = e.as<Call>();
        const bool own = c && c->call_type == Call::Halide && c->name == f_.name();
        if (c) {
            u.calls = 1;
            u.other = c->is_intrinsic(Call::undef) || (own && !is_own_point(f_, c->args));
            if (!own && (c->call_type == Call::Halide || c->call_type == Call::Image)) {
                window(c->args, u);
            }
        }
        if (own) {
            (c->value_index == value_ ? u.itself : u.others) = 1;
        } else {
            std::vector<Expr> all;
            operands(e.get(), f_.name(), all);
            for (const Expr &o : all) {
                const Uses &below = in(o);
                u.itself = std::min(plenty, u.itself + below.itself);
                u.others = std::min(plenty, u.others + below.others);
                u.calls = std::min(plenty, u.calls + below.calls);
                u.neighbours = u.neighbours || below.neighbours;
                u.other = u.other || below.other;
            }
        }
        return seen_[e.get()] = u;
    }

private:
    // What is read of a window moves with the point, so that neighbours share it, or depends on the place in the window alone. An
    // iteration that reads another plane, row of a matrix or the like shares nothing with the next: such a reduction gains nothing by being
    // written out (nl_means' sums over its weights and over colours: 1,791 to 2,294 warp instructions).
    void window(const std::vector<Expr> &args, Uses &u) const {
        bool moves = false, alone = false, beside = false;
        for (const Expr &a : args) {
            const bool point = std::any_of(f_.args().begin(), f_.args().end(), [&](const std::string &v) { return expr_uses_var(a, v); });
            const auto &rvars = def_.schedule().rvars();
            const bool place = std::any_of(rvars.begin(), rvars.end(), [&](const ReductionVariable &r) { return expr_uses_var(a, r.var); });
            moves = moves || point;
            alone = alone || (place && !point);
            beside = beside || (place && point);
        }
        u.neighbours = u.neighbours || beside;
        u.other = u.other || (moves && alone);
    }

    const Function &f_;
    const int value_;
    const Definition &def_;
    std::map<const BaseExprNode *, Uses> seen_;
};

// Puts values in the place of a Func's own.
class Plug : public IRMutator {
public:
    Plug(const std::string &name, const std::vector<Expr> &values) : name_(name), values_(values) {}

protected:
    using IRMutator::visit;

    Expr visit(const Call *op) override {
        if (op->call_type == Call::Halide && op->name == name_) {
            return values_[op->value_index];
        }
        return IRMutator::visit(op);
    }

    const std::string &name_;
    const std::vector<Expr> &values_;
};

// The domain of an update; false where its bounds are not literal or it is too long.
bool short_domain(const Definition &def, std::vector<Range> &domain, int64_t &iterations) {
    iterations = 1;
    for (const ReductionVariable &rv : def.schedule().rvars()) {
        const Expr min = simplify(rv.min), extent = simplify(rv.extent);
        const auto first = as_const_int(min), count = as_const_int(extent);
        if (!first || !count || *count < 1 || *count > most_iterations) {
            return false;
        }
        domain.push_back({rv.var, *first, *count});
        iterations *= *count;
        if (iterations > most_iterations) {
            return false;
        }
    }
    return true;
}

// A stencil, of which each value uses itself alone, and once: it grows by as much at every iteration.
bool is_stencil(const Function &f, const Definition &def, int64_t iterations) {
    int64_t calls = 0;
    bool neighbours = false;
    for (size_t i = 0; i < def.values().size(); i++) {
        const Uses u = UsesOf(f, (int)i, def).in(def.values()[i]);
        if (u.other || u.itself > 1 || u.others > 0) {
            return false;
        }
        calls += u.calls;
        neighbours = neighbours || u.neighbours;
    }
    const Uses u = UsesOf(f, 0, def).in(def.predicate());
    return (neighbours || def.schedule().rvars().empty()) && !u.other && u.itself == 0 && u.others == 0 && calls * iterations <= most_calls;
}

}  // namespace

bool write_into(const Function &f, const Definition &def, std::vector<Expr> &values) {
    std::vector<Range> domain;
    int64_t iterations;
    if (!def.specializations().empty() || !is_own_point(f, def.args()) || !short_domain(def, domain, iterations) || !is_stencil(f, def, iterations)) {
        return false;
    }
    std::vector<Expr> all = values;
    int64_t terms = 0;
    for (int64_t n = 0; n < iterations; n++) {
        std::map<std::string, Expr> point;
        int64_t rest = n;
        for (const Range &r : domain) {  // the first variable is the innermost loop's
            point[r.name] = make_const(Int(32), r.min + rest % r.extent);
            rest /= r.extent;
        }
        const Expr condition = simplify(substitute(point, def.predicate()));
        if (is_const_zero(condition)) {
            continue;
        }
        if (!is_const_one(condition) || terms == most_terms) {
            return false;
        }
        std::vector<Expr> next;
        for (const Expr &v : def.values()) {
            const Expr here = Plug(f.name(), all).mutate(simplify(substitute(point, v)));
            next.push_back(terms == 0 ? simplify(here) : here);  // 0 + x, max(0, x)
        }
        all = next;
        terms++;
    }
    values = all;
    return true;
}

namespace {

// Takes over the first updates of a Func; the result is what was taken.
WrittenOut write_out(Function f) {
    WrittenOut taken;
    if (!f.has_pure_definition() || f.has_extern_definition() || f.updates().empty() || !f.definition().specializations().empty()) {
        return taken;
    }
    std::vector<Expr> values = f.definition().values();
    for (const Expr &v : values) {
        if (UsesOf(f, 0, f.definition()).in(v).other) {
            return taken;
        }
    }
    for (const Definition &def : f.updates()) {
        if (!write_into(f, def, values)) {
            break;
        }
        taken.updates.push_back(def);
    }
    if (!taken.updates.empty()) {
        taken.values = f.definition().values();
        f.definition().values() = values;
        auto &updates = updates_of(f);
        updates.erase(updates.begin(), updates.begin() + (int)taken.updates.size());
    }
    return taken;
}

}  // namespace

Graph write_out_reductions(const Pipeline &pipeline, const Graph &before) {
    std::map<std::string, WrittenOut> all;
    for (const FuncEntry &f : before.funcs) {
        WrittenOut taken = write_out(f.original);
        if (!taken.updates.empty()) {
            all[f.original.name()] = std::move(taken);
        }
    }
    if (all.empty()) {
        return before;
    }
    Graph after = rebuild_graph(pipeline, before);
    for (FuncEntry &f : after.funcs) {
        const auto it = all.find(f.original.name());
        if (it != all.end()) {
            f.written_out = it->second;
        }
    }
    return after;
}

}  // namespace gowarp

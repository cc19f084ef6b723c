//go:build halide

#include "separate.h"
#include "separatereductions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

const size_t most_terms = 1024;  // of a combination

// A term of a combination: a weight (1 for minima and maxima) times a value, which is that of a pattern offset by so many points along each dimension.
struct Term {
    double weight;
    Expr value;
    int pattern;  // -1: of none
    std::vector<int> offset;
};

// How a window is made up: along each of some dimensions there are offsets, and each point of their grid has as weight the product of scale and a factor a dimension.
struct Grid {
    std::vector<Row> rows;       // by dimension
    std::vector<int> elsewhere;  // the offset along each of the other dimensions, 0 along these
    double scale = 1;

    bool weighted() const {
        return !std::all_of(rows.begin(), rows.end(), [](const Row &r) { return r.equal_factors(); });
    }
};

// Separates the windows of a definition.
class Windows : public IRGraphMutator {
public:
    Windows(const Function &f, const Separable &which, Parts &parts) : f_(f), which_(which), parts_(parts) {}

    int separated = 0;

protected:
    using IRGraphMutator::visit;
    Expr visit(const Add *op) override { return window(op, Op::sum); }
    Expr visit(const Sub *op) override { return window(op, Op::sum); }
    Expr visit(const Min *op) override { return window(op, Op::least); }
    Expr visit(const Max *op) override { return window(op, Op::greatest); }

private:
    template<typename Node>
    Expr window(const Node *op, Op kind) {
        const Type t = op->type;
        if (!within_.count(op) && t.is_scalar() && (t.is_int_or_uint() || (t.is_float() && which_.floats))) {
            std::vector<Term> terms;
            if (collect(op, 1, kind, terms)) {
                const Expr e = by_parts(t, kind, terms);
                if (e.defined()) {
                    return e;
                }
            }
        }
        return IRGraphMutator::visit(op);
    }

    // The terms of a combination. Its nodes are combinations of fewer of them, which are not looked at again.
    bool collect(const Expr &e, double weight, Op kind, std::vector<Term> &terms) {
        const auto both = [&](const Expr &a, const Expr &b, double times) {
            within_.insert(e.get());
            return collect(a, weight, kind, terms) && collect(b, weight * times, kind, terms);
        };
        if (kind == Op::sum) {
            if (const Add *a = e.as<Add>()) {
                return both(a->a, a->b, 1);
            }
            if (const Sub *s = e.as<Sub>()) {
                return both(s->a, s->b, -1);
            }
            if (const Mul *m = e.as<Mul>()) {
                const auto by = literal(m->b), of = literal(m->a);
                if (by || of) {
                    return collect(by ? m->a : m->b, weight * (by ? *by : *of), kind, terms);
                }
            }
        } else if (const Min *m = kind == Op::least ? e.as<Min>() : nullptr) {
            return both(m->a, m->b, 1);
        } else if (const Max *m = kind == Op::greatest ? e.as<Max>() : nullptr) {
            return both(m->a, m->b, 1);
        }
        if (terms.size() == most_terms || weight == 0 || !can_be(e.type(), weight)) {
            return false;
        }
        terms.push_back({weight, e, -1, {}});
        find_pattern(terms.back());
        return true;
    }

    static std::optional<double> literal(const Expr &e) {
        if (const auto i = as_const_int(e)) {
            return (double)*i;
        }
        if (const auto u = as_const_uint(e)) {
            return (double)*u;
        }
        const auto f = as_const_float(e);
        return f ? std::optional<double>(*f) : std::nullopt;
    }

    // Whether a type has a weight or, where that is subtracted, its negative.
    static bool can_be(Type t, double weight) {
        const double w = std::fabs(weight);
        if (t.is_float()) {
            return std::isfinite(w);
        }
        const int bits = std::min(52, t.is_int() ? t.bits() - 1 : t.bits());
        return w == std::floor(w) && w < std::ldexp(1.0, bits);
    }

    void find_pattern(Term &term) {
        auto known = seen_.find(term.value.get());
        if (known == seen_.end()) {
            known = seen_.emplace(term.value.get(), pattern_of(term.value)).first;
        }
        term.pattern = known->second.first;
        term.offset = known->second.second;
    }

    std::pair<int, std::vector<int>> pattern_of(const Expr &value) {
        if (!is_term(value)) {
            return {-1, {}};
        }
        std::map<std::string, Expr> origin;
        std::vector<int> offset(f_.args().size(), 0);
        for (size_t k = 0; k < offset.size(); k++) {
            each_place(value, f_.args()[k], [&](const Expr &apart) {
                const auto by = as_const_int(apart);
                const bool known = by && std::abs(*by) <= most_apart;
                offset[k] = known ? (int)*by : 0;
                return known;
            });
            if (offset[k] != 0) {
                origin[f_.args()[k]] = variable(f_.args()[k]) - offset[k];
            }
        }
        const Expr pattern = simplify(substitute(origin, value));
        for (size_t p = 0; p < patterns_.size(); p++) {
            if (equal(patterns_[p], pattern)) {
                return {(int)p, offset};
            }
        }
        patterns_.push_back(pattern);
        return {(int)patterns_.size() - 1, offset};
    }

    // The combination by way of parts; undefined if nothing of it is a window that takes fewer operations so.
    Expr by_parts(Type t, Op kind, const std::vector<Term> &terms) {
        std::map<int, std::map<std::vector<int>, double>> windows;
        for (const Term &term : terms) {
            if (term.pattern >= 0) {
                double &w = windows[term.pattern][term.offset];
                w = kind == Op::sum ? w + term.weight : 1;
            }
        }
        std::map<int, Weighted> made;
        for (const auto &w : windows) {
            const auto grid = grid_of(t, w.second);  // of weights that come together at one place, which may be more than each
            if (!std::all_of(w.second.begin(), w.second.end(), [&](const auto &p) { return can_be(t, p.second); })) {
                continue;
            }
            if (grid && saves(*grid) && (which_.weighted || !grid->weighted())) {
                made[w.first] = from_parts(kind, w.first, *grid);
            } else if (const double weight = w.second.begin()->second; !grid && weight != 0 && std::all_of(w.second.begin(), w.second.end(), [&](const auto &p) { return p.second == weight; })) {
                std::set<std::vector<int>> places;
                for (const auto &p : w.second) {
                    places.insert(p.first);
                }
                if (const Expr e = parts_.lines(kind, f_, places, mutate(patterns_[w.first])); e.defined()) {
                    made[w.first] = {weight, e};
                }
            }
        }
        if (made.empty()) {
            return Expr();
        }
        separated += (int)made.size();
        std::vector<Weighted> all;
        std::set<int> done;
        for (const Term &term : terms) {
            const auto p = made.find(term.pattern);
            if (p == made.end()) {
                all.push_back({term.weight, mutate(term.value)});
            } else if (done.insert(term.pattern).second) {
                all.push_back(p->second);
            }
        }
        return total(t, kind, all);
    }

    // The weights of a window as products of factors, if its points are a grid and they are that.
    static std::optional<Grid> grid_of(Type t, const std::map<std::vector<int>, double> &window) {
        const std::vector<int> &origin = std::min_element(window.begin(), window.end(), [](const auto &a, const auto &b) { return std::fabs(a.second) < std::fabs(b.second); })->first;
        Grid grid;
        grid.scale = window.at(origin);
        grid.elsewhere.assign(origin.size(), 0);
        if (grid.scale == 0) {
            return std::nullopt;
        }
        size_t points = 1;
        for (size_t k = 0; k < origin.size(); k++) {
            std::set<int> along;
            for (const auto &p : window) {
                along.insert(p.first[k]);
            }
            points *= along.size();
            if (points > window.size()) {
                return std::nullopt;
            }
            if (along.size() == 1) {
                grid.elsewhere[k] = origin[k];
                continue;
            }
            Row row{(int)k, {along.begin(), along.end()}, {}};
            for (int o : row.offsets) {
                std::vector<int> at = origin;
                at[k] = o;
                const auto p = window.find(at);
                if (p == window.end() || p->second == 0) {
                    return std::nullopt;
                }
                row.factors.push_back(p->second);
            }
            // Of floats the least factor is 1, of integers all are what is left of them without a common divisor.
            double unit = window.at(origin);
            if (!t.is_float()) {
                int64_t divisor = 0;
                for (double f : row.factors) {
                    divisor = std::gcd(divisor, (int64_t)f);
                }
                unit = window.at(origin) > 0 ? (double)divisor : -(double)divisor;
            }
            for (double &f : row.factors) {
                f /= unit;
            }
            grid.scale /= row.factor(origin[k]);
            grid.rows.push_back(row);
        }
        const auto far = [&](double factor) { return t.is_float() && std::abs(std::ilogb(factor)) > (t.bits() == 16 ? 8 : 40); };  // sums of the others leave the type's range
        if (far(grid.scale) || std::any_of(grid.rows.begin(), grid.rows.end(), [&](const Row &r) { return std::any_of(r.factors.begin(), r.factors.end(), far); })) {
            return std::nullopt;
        }
        if (points != window.size() || (!t.is_float() && grid.scale != std::floor(grid.scale))) {
            return std::nullopt;
        }
        // Two roundings of a weight.
        const double within = !t.is_float() ? 0 : t.bits() == 32 ? std::ldexp(1.0, -22) : t.bits() == 64 ? std::ldexp(1.0, -51) : 0;
        for (const auto &p : window) {
            double product = grid.scale;
            for (const Row &row : grid.rows) {
                product *= row.factor(p.first[row.dim]);
            }
            if (std::fabs(product - p.second) > within * std::fabs(p.second)) {
                return std::nullopt;
            }
        }
        return grid;
    }

    static bool saves(const Grid &grid) {
        size_t points = 1, one_by_one = 0;
        bool halves = false;
        for (const Row &row : grid.rows) {
            points *= row.offsets.size();
            one_by_one += row.offsets.size() - 1;
            halves = halves || row.halved();
        }
        return halves || points - 1 > one_by_one;
    }

    // A window, one dimension after the other.
    Weighted from_parts(Op kind, int pattern, const Grid &grid) {
        Expr part = mutate(patterns_[pattern]);
        double scale = grid.scale;
        for (size_t i = grid.rows.size(); i-- > 0;) {
            Row row = grid.rows[i];
            if (i == 0 && !row.halved()) {
                for (double &f : row.factors) {
                    f *= scale;
                }
                scale = 1;
            }
            const std::string name = Parts::name(f_, kind, f_.args()[row.dim]);
            part = parts_.row(kind, name, f_.args(), row, part, grid.weighted());
            if (i > 0) {
                part = parts_.call(name, f_.args(), part, grid.weighted());
            }
        }
        for (size_t k = 0; k < grid.elsewhere.size(); k++) {
            part = beside(part, f_.args()[k], grid.elsewhere[k]);
        }
        return {scale, part};
    }

    const Function &f_;
    const Separable &which_;
    Parts &parts_;
    // Nodes of the definition and of patterns, all of which outlive this.
    std::set<const BaseExprNode *> within_;
    std::map<const BaseExprNode *, std::pair<int, std::vector<int>>> seen_;
    std::vector<Expr> patterns_;
};

void separate(const FuncEntry &entry, const Separable &which, Parts &parts, Separation &separation) {
    const Function &f = entry.original;
    std::vector<Expr> values;
    std::vector<Definition> updates = f.updates();
    int windows = 0;
    for (const Expr &v : f.definition().values()) {
        // Halide names what occurs several times by lets, which hide that it is the same.
        Windows w(f, which, parts);
        values.push_back(w.mutate(substitute_in_all_lets(v)));
        windows += w.separated;
    }
    if (windows == 0 && !entry.written_out.updates.empty()) {
        // Written out, weights that are not literal are no factors any more.
        std::vector<Expr> before = entry.written_out.values;
        const std::vector<Definition> &first = entry.written_out.updates;
        if (separate_reductions(f, first, which, parts, before, windows) == (int)first.size()) {
            values = before;
        } else {
            windows = 0;
        }
    }
    const int taken = separate_reductions(f, updates, which, parts, values, windows);
    if (windows == 0) {
        return;
    }
    updates.erase(updates.begin(), updates.begin() + taken);
    separation.windows += windows;
    for (Expr &v : values) {
        v = common_subexpression_elimination(v);
    }
    separation.define(f, values, updates);
}

}  // namespace

void Separation::define(const Function &f, std::vector<Expr> values, std::vector<Definition> updates) {
    other_.push_back({f, std::move(values), std::move(updates)});
    other_.back().exchange();
}

void Separation::Defined::exchange() {
    std::swap(f.definition().values(), values);
    std::swap(updates_of(f), updates);
}

void Separation::exchange() {
    for (Defined &o : other_) {
        o.exchange();
    }
}

Graph separate_windows(const Pipeline &pipeline, const Graph &before, const Separable &which, Separation &separation) {
    Parts parts;
    const std::set<std::string> wrapped = wrapped_in(before);
    for (const FuncEntry &f : before.funcs) {
        const Function &o = f.original;
        if (!wrapped.count(o.name()) && o.has_pure_definition() && !o.has_extern_definition() && !o.args().empty() && o.definition().specializations().empty() && !f.fused_init) {
            separate(f, which, parts, separation);
        }
    }
    if (separation.windows == 0) {
        return before;
    }
    Graph after = rebuild_graph(pipeline, before);
    for (const Parts::Part &p : parts.made()) {
        const int id = after.func_id(p.f.name());
        if (id >= 0) {
            after.funcs[id].separated = p.weighted ? "weighted" : "equal";
        }
    }
    return after;
}

}  // namespace gowarp

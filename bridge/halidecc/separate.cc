//go:build halide

#include "separate.h"
#include "movable.h"
#include "small.h"

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
const int most_nodes = 300;      // of a term, written out
const size_t least_row = 4;      // equal terms in a row that are worth halving: three take two operations either way

// What combines the terms of a window.
enum class Op { sum, least, greatest };

const char *word(Op op) { return op == Op::sum ? "sum" : op == Op::least ? "min" : "max"; }

Expr combined(Op op, const Expr &a, const Expr &b) { return op == Op::sum ? a + b : op == Op::least ? min(a, b) : max(a, b); }

// A term of a combination: a weight (1 for minima and maxima) times a value, which is that of a pattern offset by so many points along each dimension.
struct Term {
    double weight;
    Expr value;
    int pattern;  // -1: of none
    std::vector<int> offset;
};

struct Weighted {
    double weight;
    Expr value;
};

// How a window is made up: along each of some dimensions there are offsets, and each point of their grid has as weight the product of scale and a factor a dimension.
struct Row {
    int dim;
    std::vector<int> offsets;
    std::vector<double> factors;

    bool equal_factors() const {
        return std::all_of(factors.begin(), factors.end(), [](double f) { return f == 1; });
    }
    double factor(int offset) const { return factors[std::lower_bound(offsets.begin(), offsets.end(), offset) - offsets.begin()]; }
    // The distance from each offset to the next; 0 if there are several.
    int step() const {
        const int s = offsets[1] - offsets[0];
        for (size_t i = 2; i < offsets.size(); i++) {
            if (offsets[i] - offsets[i - 1] != s) {
                return 0;
            }
        }
        return s;
    }
    // Whether terms are combined two, four, eight at a time.
    bool halved() const { return offsets.size() >= least_row && equal_factors() && step() > 0; }
};

struct Grid {
    std::vector<Row> rows;       // by dimension
    std::vector<int> elsewhere;  // the offset along each of the other dimensions, 0 along these
    double scale = 1;

    bool weighted() const {
        return !std::all_of(rows.begin(), rows.end(), [](const Row &r) { return r.equal_factors(); });
    }
};

// By how much each variable is offset where a value first reads something by it.
class Offsets : public IRVisitor {
public:
    explicit Offsets(const std::vector<std::string> &vars) : at(vars.size()), vars_(vars) {}

    std::vector<std::optional<int>> at;
    bool other = false;  // it reads at multiples, sums of variables and the like

private:
    using IRVisitor::visit;
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            for (const Expr &arg : op->args) {
                for (size_t k = 0; k < vars_.size(); k++) {
                    if (at[k] || !expr_uses_var(arg, vars_[k])) {
                        continue;
                    }
                    const Expr more = simplify(arg - Variable::make(Int(32), vars_[k]));
                    const auto by = as_const_int(more);
                    other = other || !by || std::abs(*by) > (1 << 20);
                    at[k] = by ? (int)*by : 0;
                }
            }
        }
        IRVisitor::visit(op);
    }

    const std::vector<std::string> &vars_;
};

Expr variable(const std::string &name) { return Variable::make(Int(32), name); }

Expr beside(const Expr &value, const std::string &var, int by) {
    if (by == 0) {
        return value;
    }
    const Expr v = variable(var);
    return simplify(substitute(var, by > 0 ? v + by : v - (-by), value));
}

// The values combined: their weighted sum, the first of those that are added before all others; minima and maxima have no weights.
Expr total(Type t, Op op, std::vector<Weighted> parts) {
    if (op != Op::sum) {
        Expr e = parts[0].value;
        for (size_t i = 1; i < parts.size(); i++) {
            e = combined(op, e, parts[i].value);
        }
        return e;
    }
    const auto added = std::find_if(parts.begin(), parts.end(), [](const Weighted &w) { return w.weight > 0; });
    if (added != parts.end()) {
        std::rotate(parts.begin(), added, added + 1);
    }
    Expr sum;
    for (const Weighted &p : parts) {
        const double w = std::fabs(p.weight);
        const Expr value = w == 1 ? p.value : p.value * make_const(t, w);
        sum = !sum.defined() ? (p.weight > 0 ? value : make_zero(t) - value) : p.weight > 0 ? sum + value : sum - value;
    }
    return sum;
}

// The name that its user gave something.
std::string given(const std::string &name) { return name.substr(0, name.find('$')); }

// Funcs that combine parts of windows. The same part is one Func.
class Parts {
public:
    struct Part {
        Function f;
        bool weighted;  // of a window that is
    };

    // The value of a part at the point that is computed.
    Expr call(const std::string &name, const std::vector<std::string> &vars, const Expr &value, bool weighted) {
        std::vector<std::string> used;
        std::vector<Expr> point;
        for (const std::string &v : vars) {
            if (expr_uses_var(value, v)) {
                used.push_back(v);
                point.push_back(variable(v));
            }
        }
        for (Part &part : made_) {
            const Function &f = part.f;
            if (f.args().size() != used.size() || f.values()[0].type() != value.type()) {
                continue;
            }
            std::map<std::string, Expr> here;
            for (size_t k = 0; k < used.size(); k++) {
                here[f.args()[k]] = point[k];
            }
            if (equal(substitute(here, f.values()[0]), value)) {
                part.weighted = part.weighted || weighted;
                return Call::make(f, point, 0);
            }
        }
        Function f(unique_name(name));
        f.define(used, {value});
        made_.push_back({f, weighted});
        return Call::make(f, point, 0);
    }

    const std::vector<Part> &made() const { return made_; }

private:
    std::vector<Part> made_;
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
        if (!Small::is(value, most_nodes) || !Movable::is(value, false)) {
            return {-1, {}};
        }
        Offsets offsets(f_.args());
        value.accept(&offsets);
        if (offsets.other) {
            return {-1, {}};
        }
        std::map<std::string, Expr> origin;
        std::vector<int> offset(f_.args().size(), 0);
        for (size_t k = 0; k < offset.size(); k++) {
            if (offsets.at[k] && *offsets.at[k] != 0) {
                offset[k] = *offsets.at[k];
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
            if (grid && std::all_of(w.second.begin(), w.second.end(), [&](const auto &p) { return can_be(t, p.second); }) && saves(*grid) && (which_.weighted || !grid->weighted())) {
                made[w.first] = from_parts(t, kind, w.first, *grid);
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
    Weighted from_parts(Type t, Op kind, int pattern, const Grid &grid) {
        Expr part = mutate(patterns_[pattern]);
        double scale = grid.scale;
        for (size_t i = grid.rows.size(); i-- > 0;) {
            Row row = grid.rows[i];
            const std::string &var = f_.args()[row.dim];
            const std::string name = given(f_.name()) + "_" + word(kind) + "_" + given(var);
            if (row.halved()) {
                part = halved(kind, name, row, part, grid.weighted());
            } else {
                if (i == 0) {
                    for (double &f : row.factors) {
                        f *= scale;
                    }
                    scale = 1;
                }
                part = all_of_row(t, kind, row, part);
            }
            if (i > 0) {
                part = parts_.call(name, f_.args(), part, grid.weighted());
            }
        }
        for (size_t k = 0; k < grid.elsewhere.size(); k++) {
            part = beside(part, f_.args()[k], grid.elsewhere[k]);
        }
        return {scale, part};
    }

    Expr all_of_row(Type t, Op kind, const Row &row, const Expr &part) const {
        std::vector<Weighted> terms;
        for (size_t j = 0; j < row.offsets.size(); j++) {
            terms.push_back({row.factors[j], beside(part, f_.args()[row.dim], row.offsets[j])});
        }
        return total(t, kind, terms);
    }

    // Equal terms in a row, from Funcs that combine two, four, eight of them.
    Expr halved(Op kind, const std::string &name, const Row &row, const Expr &part, bool weighted) {
        const std::string &var = f_.args()[row.dim];
        const int first = row.offsets[0], step = row.step();
        const size_t n = row.offsets.size();
        const auto from = [&](const Expr &value, size_t term) { return beside(value, var, first + (int)term * step); };
        std::vector<Expr> powers{part};
        size_t most = 1;
        for (; 2 * most < n; most *= 2) {
            const Expr &last = powers.back();
            powers.push_back(parts_.call(name + "_" + std::to_string(2 * most), f_.args(), combined(kind, last, beside(last, var, (int)most * step)), weighted));
        }
        if (kind != Op::sum) {  // which may take a term twice
            return combined(kind, from(powers.back(), 0), from(powers.back(), n - most));
        }
        if (n == 2 * most) {
            return from(powers.back(), 0) + from(powers.back(), most);
        }
        Expr e;
        size_t at = 0;
        for (size_t p = powers.size(), terms = most; p-- > 0; terms /= 2) {
            if (n & terms) {
                e = e.defined() ? e + from(powers[p], at) : from(powers[p], at);
                at += terms;
            }
        }
        return e;
    }

    const Function &f_;
    const Separable &which_;
    Parts &parts_;
    // Nodes of the definition and of patterns, all of which outlive this.
    std::set<const BaseExprNode *> within_;
    std::map<const BaseExprNode *, std::pair<int, std::vector<int>>> seen_;
    std::vector<Expr> patterns_;
};

void separate(Function f, const Separable &which, Parts &parts, Separation &separation) {
    std::vector<Expr> values;
    int windows = 0;
    for (const Expr &v : f.definition().values()) {
        // Halide names what occurs several times by lets, which hide that it is the same.
        Windows w(f, which, parts);
        values.push_back(w.mutate(substitute_in_all_lets(v)));
        windows += w.separated;
    }
    if (windows == 0) {
        return;
    }
    separation.windows += windows;
    separation.keep(f, f.definition().values());
    for (size_t v = 0; v < values.size(); v++) {
        f.definition().values()[v] = common_subexpression_elimination(values[v]);
    }
}

}  // namespace

void Separation::exchange() {
    for (auto &o : other_) {
        std::swap(o.first.definition().values(), o.second);
    }
}

Graph separate_windows(const Pipeline &pipeline, const Graph &before, const Separable &which, Separation &separation) {
    Parts parts;
    for (const FuncEntry &f : before.funcs) {
        const Function &o = f.original;
        if (o.has_pure_definition() && !o.has_extern_definition() && !o.args().empty() && o.definition().specializations().empty() && !f.fused_init) {
            separate(o, which, parts, separation);
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

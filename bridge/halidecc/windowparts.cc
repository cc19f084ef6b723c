//go:build halide

#include "windowparts.h"
#include "givenname.h"
#include "movable.h"
#include "small.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

const int most_nodes = 300;  // of a value, written out
const size_t least_row = 4;  // equal values in a row that are worth halving: three take two operations either way

const char *word(Op op) { return op == Op::sum ? "sum" : op == Op::least ? "min" : "max"; }

// The variables of a point that a value uses.
std::vector<std::string> used(const std::vector<std::string> &vars, const Expr &value) {
    std::vector<std::string> all;
    std::copy_if(vars.begin(), vars.end(), std::back_inserter(all), [&](const std::string &v) { return expr_uses_var(value, v); });
    return all;
}

std::vector<Expr> point(const std::vector<std::string> &vars) {
    std::vector<Expr> at;
    std::transform(vars.begin(), vars.end(), std::back_inserter(at), variable);
    return at;
}

// Places that follow each other along a dimension.
struct Line {
    std::vector<int> first;
    int length;
};

std::vector<Line> lines_along(const std::set<std::vector<int>> &places, size_t dim) {
    std::vector<Line> all;
    for (const std::vector<int> &p : places) {
        std::vector<int> at = p;
        at[dim]--;
        if (places.count(at)) {
            continue;
        }
        Line line{p, 0};
        for (at = p; places.count(at); at[dim]++) {
            line.length++;
        }
        all.push_back(line);
    }
    return all;
}

// The operations that such lines take: each combined with the others, those of one length by one Func, from what is combined two, four, eight at a time.
int operations(Op op, const std::vector<Line> &lines) {
    std::set<int> lengths;
    for (const Line &l : lines) {
        lengths.insert(l.length);
    }
    int n = (int)lines.size() - 1;
    for (int l : lengths) {
        n += l == 1 ? 0 : op == Op::sum ? __builtin_popcount(l) - 1 : 1;
    }
    for (int l = 2; l <= *lengths.rbegin(); l *= 2) {
        n++;
    }
    return n;
}

class Places : public IRGraphVisitor {
public:
    Places(const std::string &var, const std::function<bool(const Expr &)> &ask) : var_(var), ask_(ask) {}

private:
    using IRGraphVisitor::include;
    void include(const Expr &e) override {
        if (!found_) {
            IRGraphVisitor::include(e);
        }
    }

    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            for (const Expr &arg : op->args) {
                within(arg);
            }
        }
        IRGraphVisitor::visit(op);
    }

    // An index or a part of it.
    void within(const Expr &e) {
        if (found_ || !expr_uses_var(e, var_)) {
            return;
        }
        const auto of = [&](const Expr &a, const Expr &b) {
            within(a);
            within(b);
        };
        found_ = ask_(simplify(e - variable(var_)));
        if (const Min *m = e.as<Min>()) {
            of(m->a, m->b);
        } else if (const Max *m = e.as<Max>()) {
            of(m->a, m->b);
        } else if (const Add *a = e.as<Add>()) {
            of(a->a, a->b);
        } else if (const Sub *s = e.as<Sub>()) {
            of(s->a, s->b);
        } else if (const Mul *m = e.as<Mul>()) {
            of(m->a, m->b);
        } else if (const Div *d = e.as<Div>()) {
            of(d->a, d->b);
        } else if (const Mod *m = e.as<Mod>()) {
            of(m->a, m->b);
        } else if (const Select *s = e.as<Select>()) {
            of(s->true_value, s->false_value);
        } else if (const Call *c = Call::as_tag(e)) {
            within(c->args[0]);
        }
    }

    const std::string &var_;
    const std::function<bool(const Expr &)> &ask_;
    bool found_ = false;
};

}  // namespace

bool is_term(const Expr &value) { return Small::is(value, most_nodes) && Movable::is(value, false); }

Expr combined(Op op, const Expr &a, const Expr &b) { return op == Op::sum ? a + b : op == Op::least ? min(a, b) : max(a, b); }

Expr neutral(Op op, Type t) { return op == Op::sum ? make_zero(t) : op == Op::least ? t.max() : t.min(); }

Expr total(Type t, Op op, std::vector<Weighted> values) {
    if (op != Op::sum) {
        Expr e = values[0].value;
        for (size_t i = 1; i < values.size(); i++) {
            e = combined(op, e, values[i].value);
        }
        return e;
    }
    const auto added = std::find_if(values.begin(), values.end(), [](const Weighted &w) { return w.weight > 0; });
    if (added != values.end()) {
        std::rotate(values.begin(), added, added + 1);
    }
    Expr sum;
    for (const Weighted &p : values) {
        const double w = std::fabs(p.weight);
        const Expr value = w == 1 ? p.value : p.value * make_const(t, w);
        sum = !sum.defined() ? (p.weight > 0 ? value : make_zero(t) - value) : p.weight > 0 ? sum + value : sum - value;
    }
    return sum;
}

Expr variable(const std::string &name) { return Variable::make(Int(32), name); }

Expr beside(const Expr &value, const std::string &var, int by) {
    if (by == 0) {
        return value;
    }
    const Expr v = variable(var);
    return simplify(substitute(var, by > 0 ? v + by : v - (-by), value));
}

void each_place(const Expr &value, const std::string &var, const std::function<bool(const Expr &)> &ask) {
    Places places(var, ask);
    value.accept(&places);
}

bool Row::equal_factors() const {
    return std::all_of(factors.begin(), factors.end(), [](double f) { return f == 1; });
}

double Row::factor(int offset) const { return factors[std::lower_bound(offsets.begin(), offsets.end(), offset) - offsets.begin()]; }

int Row::step() const {
    const int s = offsets[1] - offsets[0];
    for (size_t i = 2; i < offsets.size(); i++) {
        if (offsets[i] - offsets[i - 1] != s) {
            return 0;
        }
    }
    return s;
}

bool Row::halved() const { return offsets.size() >= least_row && equal_factors() && step() > 0; }

std::string Parts::name(const Function &f, Op op, const std::string &along) { return given_name(f.name()) + "_" + word(op) + "_" + given_name(along); }

Expr Parts::call(const std::string &name, const std::vector<std::string> &vars, const Expr &value, bool weighted) {
    const std::vector<std::string> args = used(vars, value);
    const std::vector<Expr> here = point(args);
    for (Part &part : made_) {
        const Function &f = part.f;
        if (f.args().size() != args.size() || f.has_update_definition() || f.values()[0].type() != value.type()) {
            continue;
        }
        std::map<std::string, Expr> at;
        for (size_t k = 0; k < args.size(); k++) {
            at[f.args()[k]] = here[k];
        }
        if (equal(substitute(at, f.values()[0]), value)) {
            part.weighted = part.weighted || weighted;
            return Call::make(f, here, 0);
        }
    }
    Function f(unique_name(name));
    f.define(args, {value});
    made_.push_back({f, weighted});
    return Call::make(f, here, 0);
}

Expr Parts::reduction(const std::string &name, const std::vector<std::string> &vars, Op op, const Expr &value, const ReductionDomain &domain, bool weighted) {
    const std::vector<std::string> args = used(vars, value);
    const std::vector<Expr> here = point(args);
    Function f(unique_name(name));
    f.define(args, {neutral(op, value.type())});
    f.define_update(here, {combined(op, Call::make(f, here, 0), value)}, domain);
    made_.push_back({f, weighted});
    return Call::make(f, here, 0);
}

Expr Parts::row(Op op, const std::string &name, const std::vector<std::string> &vars, const Row &row, const Expr &value, bool weighted) {
    if (row.halved()) {
        return halved(op, name, vars, row, value, weighted);
    }
    std::vector<Weighted> all;
    for (size_t j = 0; j < row.offsets.size(); j++) {
        all.push_back({row.factors[j], beside(value, vars[row.dim], row.offsets[j])});
    }
    return total(value.type(), op, all);
}

Expr Parts::lines(Op op, const Function &f, const std::set<std::vector<int>> &places, const Expr &value) {
    const int one_by_one = (int)places.size() - 1;
    const std::vector<std::string> &vars = f.args();
    size_t best = 0;
    int least = one_by_one;
    for (size_t dim = 0; dim < vars.size(); dim++) {
        const int n = operations(op, lines_along(places, dim));
        if (n <= least) {  // of equals the last, as with boxes
            best = dim;
            least = n;
        }
    }
    if (one_by_one == 0 || 4 * least > 3 * one_by_one) {
        return Expr();
    }
    std::vector<Weighted> all;
    for (const Line &l : lines_along(places, best)) {
        Row row{(int)best, {}, std::vector<double>(l.length, 1)};
        for (int i = 0; i < l.length; i++) {
            row.offsets.push_back(i);
        }
        const std::string name = Parts::name(f, op, vars[best]);
        Expr part = value;
        if (l.length > 1) {
            const std::string of_length = name + "_" + std::to_string(l.length);
            part = call(of_length, vars, this->row(op, name, vars, row, value, false), false);
        }
        for (size_t k = 0; k < vars.size(); k++) {
            part = beside(part, vars[k], l.first[k]);
        }
        all.push_back({1, part});
    }
    return total(value.type(), op, all);
}

Expr Parts::halved(Op op, const std::string &name, const std::vector<std::string> &vars, const Row &row, const Expr &value, bool weighted) {
    const std::string &var = vars[row.dim];
    const int first = row.offsets[0], step = row.step();
    const size_t n = row.offsets.size();
    const auto from = [&](const Expr &value, size_t term) { return beside(value, var, first + (int)term * step); };
    std::vector<Expr> powers{value};
    size_t most = 1;
    for (; 2 * most < n; most *= 2) {
        const Expr &last = powers.back();
        powers.push_back(call(name + "_" + std::to_string(2 * most), vars, combined(op, last, beside(last, var, (int)most * step)), weighted));
    }
    if (op != Op::sum) {  // which may take a value twice
        return combined(op, from(powers.back(), 0), from(powers.back(), n - most));
    }
    if (n == 2 * most) {
        return from(powers.back(), 0) + from(powers.back(), most);
    }
    Expr e;
    size_t at = 0;
    for (size_t p = powers.size(), values = most; p-- > 0; values /= 2) {
        if (n & values) {
            e = e.defined() ? e + from(powers[p], at) : from(powers[p], at);
            at += values;
        }
    }
    return e;
}

}  // namespace gowarp

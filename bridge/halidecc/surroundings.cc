//go:build halide

#include "surroundings.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr int64_t small = 64;      // elements of a stride: of 7x7 weights, not of a row of pixels, which any size should have
constexpr size_t most_terms = 24;  // of a definition written out; what has more stands for itself

std::optional<int64_t> number(const Expr &e) {
    return e.defined() ? as_const_int(simplify(e)) : std::nullopt;
}

// Whether an expression may have another value where it stands once more.
class MayChange : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Load *) override { any = true; }
    void visit(const Call *op) override {
        any = any || !(op->is_pure() || starts_with(op->name, "_halide_buffer_get_"));
        IRVisitor::visit(op);
    }

public:
    bool any = false;
};

}  // namespace

Surroundings::Surroundings(const std::vector<Parameter> &buffers, const std::vector<Parameter> &all, const Definitions &around, bool fix)
    : around_(around) {
    for (const Parameter &p : all) {
        add(p, false);
    }
    for (const Parameter &p : buffers) {
        add(p, fix);
    }
}

// Rows and planes lie densely where nothing else is said.
void Surroundings::add(const Parameter &p, bool fix) {
    int64_t stride = 1;
    bool dense = true;
    for (int d = 0; d < p.dimensions(); d++) {
        const std::string of = "." + std::to_string(d);
        dense = dense && (!p.stride_constraint(d).defined() || number(p.stride_constraint(d)) == stride);
        if (const auto min = number(p.min_constraint_estimate(d))) {
            sizes_[p.name() + ".min" + of] = *min;
        }
        if (d > 0) {
            sizes_[p.name() + ".stride" + of] = stride;
            if (fix && dense && stride <= small) {
                fixed_[p.name() + ".stride" + of] = stride;
            }
        }
        const auto extent = number(p.extent_constraint_estimate(d));
        if (!extent) {
            return;
        }
        sizes_[p.name() + ".extent" + of] = *extent;
        stride *= *extent;
    }
}

std::vector<Expr> Surroundings::conditions() const {
    std::vector<Expr> all;
    for (const auto &[name, size] : fixed_) {
        all.push_back(Variable::make(Int(32), name) == make_const(Int(32), size));
    }
    return all;
}

const Polynomial *Surroundings::value(const std::string &name) {
    const auto [v, fresh] = values_.emplace(name, std::nullopt);
    if (fresh) {
        if (const Polynomial *all = written_out(name)) {
            const int64_t constant = all->constant();
            const Polynomial rest = all->plus(Polynomial(-constant));
            const auto first = first_.emplace(rest, std::make_pair(name, constant)).first->second;
            if (rest.terms().empty()) {
                v->second = Polynomial(constant);
            } else if (first.first != name) {
                v->second = Polynomial(Variable::make(Int(32), first.first)).plus(Polynomial(constant - first.second));
            }
        }
    }
    return v->second ? &*v->second : nullptr;
}

// Null for what stands for itself.
const Polynomial *Surroundings::written_out(const std::string &name) {
    if (const auto w = written_out_.find(name); w != written_out_.end()) {
        return &w->second;
    }
    if (const auto f = fixed_.find(name); f != fixed_.end()) {
        return &written_out_.emplace(name, Polynomial(f->second)).first->second;
    }
    const auto d = around_.find(name);
    if (d == around_.end() || d->second.type() != Int(32)) {
        return nullptr;
    }
    MayChange change;
    d->second.accept(&change);
    if (change.any) {
        return nullptr;
    }
    const Polynomial p = written_out(d->second);
    return &written_out_.emplace(name, p).first->second;
}

Polynomial Surroundings::written_out(const Expr &e) {
    return polynomial(e, [this](const std::string &n) { return written_out(n); }, most_terms);
}

Polynomial Surroundings::written_out(const Polynomial &sum) {
    return written_out(sum.expr());
}

std::optional<Polynomial> Surroundings::named(const Polynomial &written_out) const {
    const int64_t constant = written_out.constant();
    const Polynomial rest = written_out.plus(Polynomial(-constant));
    if (rest.terms().empty()) {
        return written_out;
    }
    for (const int sign : {1, -1}) {
        if (const auto f = first_.find(Polynomial().plus(rest, sign)); f != first_.end()) {
            const auto &[name, of_name] = f->second;
            return Polynomial(constant - sign * of_name).plus(Polynomial(Variable::make(Int(32), name)), sign);
        }
    }
    return {};
}

std::optional<int64_t> Surroundings::estimate(const std::string &name) {
    if (const auto s = sizes_.find(name); s != sizes_.end()) {
        return s->second;
    }
    const auto [e, fresh] = estimates_.emplace(name, std::nullopt);
    if (fresh) {
        const auto d = around_.find(name);
        e->second = d == around_.end() ? std::nullopt : estimate(d->second);
    }
    return e->second;
}

std::optional<int64_t> Surroundings::estimate(const Expr &e) {
    class AtSizes : public IRMutator {
    public:
        explicit AtSizes(Surroundings &s)
            : s_(s) {}
        using IRMutator::visit;
        Expr visit(const Variable *op) override {
            const auto known = op->type == Int(32) ? s_.estimate(op->name) : std::nullopt;
            return known ? make_const(Int(32), *known) : Expr(op);
        }

    private:
        Surroundings &s_;
    };
    return as_const_int(simplify(AtSizes(*this).mutate(e)));
}

}  // namespace gowarp

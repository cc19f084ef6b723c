//go:build halide

#include "ownreads.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The minima and maxima of an index, which might say nothing; -1 where it reads something.
class Clamps : public IRVisitor {
public:
    static int of(const Expr &index) {
        Clamps c;
        index.accept(&c);
        return c.reads_ ? -1 : c.clamps_;
    }

private:
    using IRVisitor::visit;
    void visit(const Min *op) override {
        clamps_++;
        IRVisitor::visit(op);
    }
    void visit(const Max *op) override {
        clamps_++;
        IRVisitor::visit(op);
    }
    void visit(const Call *) override { reads_ = true; }
    void visit(const Let *) override { reads_ = true; }

    int clamps_ = 0;
    bool reads_ = false;
};

class OwnPlaces : public IRGraphMutator {
public:
    OwnPlaces(const std::string &name, const Scope<Interval> &bounds) : name_(name), bounds_(bounds) {}

    bool any = false;

protected:
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *c = e.as<Call>();
        if (!c || c->call_type != Call::Halide || c->name != name_) {
            return e;
        }
        std::vector<Expr> args;
        bool changed = false;
        for (const Expr &arg : c->args) {
            args.push_back(arg);
            if (const int clamps = Clamps::of(arg); clamps > 0) {
                const Expr simple = simplify(arg, true, bounds_);
                if (Clamps::of(simple) < clamps) {  // it may come out in another form as well, which is none better
                    args.back() = simple;
                    changed = true;
                }
            }
        }
        any = any || changed;
        return changed ? Call::make(c->type, c->name, args, c->call_type, c->func, c->value_index, c->image, c->param) : e;
    }

private:
    const std::string &name_;
    const Scope<Interval> &bounds_;
};

bool simplify_own_reads(const Function &f) {
    bool any = false;
    for (const Definition &update : f.updates()) {
        Definition d = update;
        Scope<Interval> bounds;
        for (const ReductionVariable &r : d.schedule().rvars()) {
            const Expr first = simplify(r.min), last = simplify(r.min + r.extent - 1);
            bounds.push(r.var, Interval(is_const(first) ? first : Interval::neg_inf(), is_const(last) ? last : Interval::pos_inf()));
        }
        for (Expr &v : d.values()) {
            OwnPlaces places(f.name(), bounds);
            const Expr changed = places.mutate(v);
            if (places.any) {
                v = changed;
                any = true;
            }
        }
    }
    return any;
}

}  // namespace

Graph simplify_own_reads(const Pipeline &pipeline, const Graph &before) {
    bool any = false;
    for (const FuncEntry &f : before.funcs) {
        any = (f.original.has_pure_definition() && !f.original.has_extern_definition() && simplify_own_reads(f.original)) || any;
    }
    return any ? rebuild_graph(pipeline, before) : before;
}

}  // namespace gowarp

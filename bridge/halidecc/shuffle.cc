//go:build halide

#include "shuffle.h"
#include "place.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

const std::string prefix = "llvm.nvvm.shfl.", sync = "sync.";

}  // namespace

Shuffle as_shuffle(const Expr &e) {
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

Expr shuffle(const std::string &way, const Expr &value, int by, int clamp) {
    const Type t = value.type();
    return Call::make(t, prefix + sync + way + (t.is_float() ? ".f32" : ".i32"), {Expr(-1), value, Expr(by), Expr(clamp)}, Call::PureExtern);
}

namespace {

// The first shuffle of a kernel.
class First : public IRVisitor {
public:
    Shuffle shuffle;

private:
    using IRVisitor::visit;
    void visit(const Call *op) override {
        if (!shuffle) {
            shuffle = as_shuffle(op);
        }
        IRVisitor::visit(op);
    }
};

}  // namespace

Expr all_of_warp(const Stmt &kernel, const Expr &condition) {
    First first;
    kernel.accept(&first);
    // Before capability 7.0 lanes went together, and for the PTX that Halide asks for there LLVM has no votes.
    return first.shuffle && first.shuffle.value > 0 ? Call::make(Bool(), "llvm.nvvm.vote.all.sync", {Expr(-1), condition}, Call::PureExtern) : condition;
}

void Reads::visit(const Load *op) {
    any = true;
    loads.push_back(op);
    IRGraphVisitor::visit(op);
}

void Reads::visit(const Call *op) {
    any = any || !op->is_pure() || starts_with(op->name, prefix);
    IRGraphVisitor::visit(op);
}

}  // namespace gowarp

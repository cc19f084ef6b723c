//go:build halide

#include "shuffle.h"
#include "place.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

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

void Reads::visit(const Load *op) {
    any = true;
    loads.push_back(op);
    IRGraphVisitor::visit(op);
}

void Reads::visit(const Call *op) {
    any = any || !op->is_pure() || starts_with(op->name, "llvm.nvvm.shfl.");
    IRGraphVisitor::visit(op);
}

}  // namespace gowarp

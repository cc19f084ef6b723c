//go:build halide

#include "iterations.h"
#include "shuffle.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

std::vector<const Load *> loads_of(const Expr &e) {
    Reads reads;
    e.accept(&reads);
    return reads.loads;
}

Expr Iterations::put_in(Expr e) const {
    for (auto l = lets_.rbegin(); l != lets_.rend(); l++) {
        e = graph_substitute((*l)->name, (*l)->value, e);
    }
    return substitute_in_all_lets(e);
}

void Iterations::take(const Stmt &s) {
    if (const LetStmt *op = s.as<LetStmt>()) {
        const size_t before = stores.size();
        lets_.push_back(op);
        take(op->body);
        lets_.pop_back();
        whole = whole && (stores.size() <= before + 1 || loads_of(op->value).empty());
    } else if (const Block *op = s.as<Block>()) {
        take(op->first);
        take(op->rest);
    } else if (const IfThenElse *op = s.as<IfThenElse>(); op && !op->else_case.defined()) {
        tests.push_back(put_in(op->condition));
        take(op->then_case);
    } else if (const Store *op = s.as<Store>(); op && op->index.type().is_scalar() && op->value.type().is_scalar() && is_const_one(op->predicate)) {
        stores.push_back(op);
        index.push_back(put_in(op->index));
        value.push_back(put_in(op->value));
    } else {
        whole = false;
    }
}

}  // namespace gowarp

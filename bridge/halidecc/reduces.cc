//go:build halide

#include "reduces.h"
#include "ownpoint.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

ReadFuncs::ReadFuncs(const Function &in) : in_(in) {
    for (const Definition *def : definitions(in)) {
        for (const Expr &e : stage_exprs(*def)) {
            e.accept(this);
        }
    }
}

void ReadFuncs::visit(const Call *op) {
    IRGraphVisitor::visit(op);
    undefined = undefined || op->is_intrinsic(Call::undef);
    if (op->call_type == Call::Halide) {
        bool &e = elsewhere[op->name];
        e = e || op->args.size() != in_.args().size() || !is_own_point(in_, op->args);
    }
}

namespace {

// Whether an update's values have a variable of its domain, by which alone Halide finds it when the update is defined anew.
bool shows_domain(const Definition &update) {
    const auto &rvars = update.schedule().rvars();
    return rvars.empty() || std::any_of(rvars.begin(), rvars.end(), [&](const ReductionVariable &r) {
        return std::any_of(update.values().begin(), update.values().end(), [&](const Expr &v) { return expr_uses_var(v, r.var); });
    });
}

}  // namespace

bool reduces(const Function &f) {
    if (!f.schedule().wrappers().empty() || !f.has_pure_definition() || f.has_extern_definition() || f.updates().empty() || f.args().empty() || !f.definition().specializations().empty()) {
        return false;
    }
    bool domain = false;
    for (const Definition &update : f.updates()) {
        if (!update.specializations().empty() || !is_own_point(f, update.args()) || !shows_domain(update)) {
            return false;
        }
        domain = domain || !update.schedule().rvars().empty();
    }
    ReadFuncs own(f);
    return domain && !own.elsewhere[f.name()] && !own.undefined;
}

bool few_points(const Function &output) {
    constexpr int64_t few = 1 << 15;
    int64_t n = 1;
    for (const std::string &arg : output.args()) {
        int64_t along = 0;
        for (const Bound &b : output.schedule().estimates()) {
            const auto extent = as_const_int(b.extent);
            along = b.var == arg && extent ? *extent : along;
        }
        n = std::min(n * std::min(along, few), few);
    }
    return n < few;
}

}  // namespace gowarp

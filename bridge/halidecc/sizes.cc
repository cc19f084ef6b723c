//go:build halide

#include "sizes.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

void define(Values &v, const std::string &name, const Expr &e) {
    if (e.defined() && is_const(e)) {
        v[name] = e;
    }
}

namespace {

// What is known of one buffer's dimension; what comes first counts.
void define_dim(Values &v, const std::string &buffer, int d, const std::vector<Expr> &mins, const std::vector<Expr> &extents) {
    const auto first = [](const std::vector<Expr> &es) {
        for (const Expr &e : es) {
            if (e.defined() && is_const(e)) {
                return e;
            }
        }
        return Expr();
    };
    define(v, buffer + ".min." + std::to_string(d), first(mins));
    define(v, buffer + ".extent." + std::to_string(d), first(extents));
}

void define_output(Values &v, const Function &f) {
    for (const Parameter &p : f.output_buffers()) {
        for (int d = 0; d < p.dimensions(); d++) {
            std::vector<Expr> mins{p.min_constraint(d)}, extents{p.extent_constraint(d)};
            // The last estimate of a variable holds.
            for (auto b = f.schedule().estimates().rbegin(); b != f.schedule().estimates().rend(); b++) {
                if (b->var == f.args()[d]) {
                    mins.push_back(b->min);
                    extents.push_back(b->extent);
                }
            }
            mins.push_back(p.min_constraint_estimate(d));
            extents.push_back(p.extent_constraint_estimate(d));
            define_dim(v, p.name(), d, mins, extents);
        }
    }
}

void define_input(Values &v, const InputEntry &in) {
    if (in.scalar()) {
        Expr value = in.param.estimate();
        if (!value.defined()) {
            value = in.param.default_value();
        }
        if (!value.defined() && in.param.has_scalar_value() && !in.type().is_handle()) {
            value = in.param.scalar_expr();
        }
        define(v, in.name(), value);
        return;
    }
    const Buffer<> held = in.param.defined() ? in.param.buffer() : in.buffer;
    const int dims = in.param.defined() ? in.param.dimensions() : held.dimensions();
    for (int d = 0; d < dims; d++) {
        std::vector<Expr> mins, extents;
        if (in.param.defined()) {
            mins = {in.param.min_constraint(d), in.param.min_constraint_estimate(d)};
            extents = {in.param.extent_constraint(d), in.param.extent_constraint_estimate(d)};
        }
        if (held.defined()) {
            mins.push_back(held.dim(d).min());
            extents.push_back(held.dim(d).extent());
        }
        define_dim(v, in.name(), d, mins, extents);
    }
}

}  // namespace

Values known_sizes(const Graph &g) {
    Values v;
    for (int id : g.outputs) {
        define_output(v, g.funcs[id].original);
    }
    for (const InputEntry &in : g.inputs) {
        define_input(v, in);
    }
    return v;
}

}  // namespace gowarp

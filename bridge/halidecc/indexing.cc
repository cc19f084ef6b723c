//go:build halide

#include "indexing.h"

#include <map>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

class IndexingFuncs : public IRGraphVisitor {
public:
    std::set<std::string> funcs;

    void within(const Expr &e) {
        const bool outer = inside_;
        inside_ = true;
        include(e);
        inside_ = outer;
    }

    void include(const Expr &e) override {
        if (e.defined() && seen_[inside_].insert(e.get()).second) {
            e.accept(this);
        }
    }

private:
    using IRGraphVisitor::visit;

    void visit(const Call *c) override {
        if (inside_ && c->call_type == Call::Halide) {
            funcs.insert(c->name);
        }
        const bool load = c->call_type == Call::Halide || c->call_type == Call::Image;
        const bool branch = c->is_intrinsic(Call::if_then_else);
        for (size_t i = 0; i < c->args.size(); i++) {
            if (load || (branch && i == 0)) {
                within(c->args[i]);
            } else {
                include(c->args[i]);
            }
        }
    }

    void visit(const Select *s) override {
        within(s->condition);
        include(s->true_value);
        include(s->false_value);
    }

    // What a let binds is asked for where its variable is; names may be used again, so
    // all values of a name count.
    void visit(const Let *l) override {
        std::vector<Expr> &bound = lets_[l->name];
        bound.push_back(l->value);
        if (wanted_.count(l->name)) {
            within(l->value);
        }
        include(l->value);
        include(l->body);
    }

    void visit(const Variable *v) override {
        if (inside_ && wanted_.insert(v->name).second) {
            const auto bound = lets_.find(v->name);
            if (bound != lets_.end()) {
                const std::vector<Expr> values = bound->second;
                for (const Expr &e : values) {
                    within(e);
                }
            }
        }
    }

    bool inside_ = false;
    std::set<const IRNode *> seen_[2];  // outside and inside of what decides
    std::map<std::string, std::vector<Expr>> lets_;
    std::set<std::string> wanted_;
};

}  // namespace

std::set<std::string> indexing_funcs(const std::vector<Expr> &evaluated, const std::vector<Expr> &whole) {
    IndexingFuncs v;
    for (const Expr &e : evaluated) {
        v.include(e);
    }
    for (const Expr &e : whole) {
        v.within(e);
    }
    return v.funcs;
}

}  // namespace gowarp

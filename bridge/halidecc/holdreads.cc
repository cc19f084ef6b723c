//go:build halide

#include "holdreads.h"
#include "absorbs.h"
#include "ownpoint.h"
#include "reduces.h"
#include "small.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr int most_nodes = 40;  // of a place, and of an end of a region: every thread computes them

// The regions of Funcs that are needed, by the sizes of outputs and inputs, as Halide finds them.
class Regions {
public:
    explicit Regions(const Graph &g) {
        for (const FuncEntry &entry : g.funcs) {
            const Function &f = entry.original;
            const ReadFuncs reads(f);
            for (const auto &[name, elsewhere] : reads.elsewhere) {
                readers_[name].push_back({&entry, elsewhere});
            }
            for (const ExternFuncArgument &arg : f.extern_arguments()) {
                if (arg.is_func()) {
                    by_extern_.insert(Function(arg.func).name());
                }
            }
        }
    }

    // That of a Func, none where it is not known.
    const std::optional<Box> &of(const FuncEntry &entry) {
        const auto [at, fresh] = known_.try_emplace(entry.original.name());
        if (fresh) {
            at->second = find(entry);
        }
        return at->second;
    }

    // Whether a Func is read point by point alone, and what reads it too, up to an output that computes it: its points are that one's.
    bool of_outputs_own_points(const FuncEntry &entry) {
        const auto [at, fresh] = own_points_.try_emplace(entry.original.name(), !few_points(entry.original));
        if (fresh && !entry.output) {
            const std::vector<Reader> &readers = readers_[entry.original.name()];
            const bool all = std::all_of(readers.begin(), readers.end(), [&](const Reader &r) { return r.entry == &entry || (!r.elsewhere && of_outputs_own_points(*r.entry)); });
            return own_points_[entry.original.name()] = all;
        }
        return at->second;
    }

    // Whether a Func has, along a dimension, whole groups of points in every run: threads compute those as they are.
    bool whole_groups(const FuncEntry &entry) {
        constexpr int group = 4;
        const std::optional<Box> &region = of(entry);
        return region && std::any_of(region->bounds.begin(), region->bounds.end(), [](const Interval &i) {
                   const auto extent = as_const_int(simplify(i.max - i.min + 1));
                   return extent && *extent >= group && *extent % group == 0;
               });
    }

    // Whether a Func's points are those of an output that has few.
    bool split(const FuncEntry &entry) {
        if (entry.output) {
            return few_points(entry.original);
        }
        const std::vector<Reader> &readers = readers_[entry.original.name()];
        return std::any_of(readers.begin(), readers.end(), [&](const Reader &r) { return r.entry != &entry && !r.elsewhere && r.entry->output && few_points(r.entry->original); });
    }

    // The ranges of a definition's variables; none where they are not known.
    std::optional<Scope<Interval>> ranges(const FuncEntry &entry, const Definition &def) {
        const std::optional<Box> &region = of(entry);
        if (!region) {
            return {};
        }
        Scope<Interval> out;
        for (size_t k = 0; k < region->size(); k++) {
            out.push(entry.original.args()[k], (*region)[k]);
        }
        for (const ReductionVariable &r : def.schedule().rvars()) {
            out.push(r.var, Interval(r.min, simplify(r.min + r.extent - 1)));
        }
        return out;
    }

private:
    struct Reader {
        const FuncEntry *entry;
        bool elsewhere;  // than at its own points
    };

    std::optional<Box> find(const FuncEntry &entry) {
        const Function &f = entry.original;
        if (by_extern_.count(f.name()) || f.has_extern_definition()) {
            return {};
        }
        // An update that stores or reads elsewhere may need more of its Func than readers do.
        for (const Reader &r : readers_[f.name()]) {
            if (r.entry == &entry && r.elsewhere) {
                return {};
            }
        }
        for (const Definition &update : f.updates()) {
            if (!is_own_point(f, update.args())) {
                return {};
            }
        }
        Box all;
        if (entry.output && f.output_buffers().empty()) {
            return {};
        }
        if (entry.output) {
            const Parameter &buffer = f.output_buffers()[0];
            const auto size = [&](const char *which, size_t k) { return Variable::make(Int(32), buffer.name() + which + std::to_string(k), buffer); };
            for (size_t k = 0; k < f.args().size(); k++) {
                const Expr min = size(".min.", k);
                all.push_back(Interval(min, min + size(".extent.", k) - 1));
            }
        }
        for (const Reader &r : readers_[f.name()]) {
            if (r.entry == &entry) {
                continue;
            }
            for (const Definition *def : definitions(r.entry->original)) {
                const auto in = ranges(*r.entry, *def);
                if (!in) {
                    return {};
                }
                for (const Expr &e : stage_exprs(*def)) {
                    const std::map<std::string, Box> read = boxes_required(e, *in);
                    if (const auto b = read.find(f.name()); b != read.end()) {
                        merge_boxes(all, b->second);
                    }
                }
            }
        }
        if (all.size() != f.args().size()) {
            return {};
        }
        for (Interval &along : all.bounds) {
            if (!along.is_bounded()) {
                return {};
            }
            along = Interval(simplify(along.min), simplify(along.max));
            if (!Small::is(along.min, most_nodes) || !Small::is(along.max, most_nodes)) {
                return {};
            }
        }
        all.used = Expr();
        return all;
    }

    std::map<std::string, std::vector<Reader>> readers_;
    std::set<std::string> by_extern_;  // that an extern stage reads
    std::map<std::string, std::optional<Box>> known_;
    std::map<std::string, bool> own_points_;
};

// Holds the places that a definition reads within what its ranges need.
class Hold : public IRGraphMutator {
public:
    Hold(const Function &f, const Definition &def, const Scope<Interval> &ranges, Absorbs &absorbs) : f_(f), ranges_(ranges), absorbs_(absorbs) {
        for (const ReductionVariable &r : def.schedule().rvars()) {
            domain_.push(r.var, Interval::everything());
        }
        for (const std::string &v : f.args()) {
            anywhere_.push(v, Interval::everything());
        }
    }

    bool all = true;     // places could be
    bool turns = false;  // one moves with the domain, too: it is held in every iteration

private:
    using IRGraphMutator::visit;
    Expr visit(const Call *op) override {
        const Expr e = IRGraphMutator::visit(op);
        const Call *c = as_load(e);
        if (!c || (c->call_type == Call::Halide && (c->name == f_.name() || absorbs_.of(c)))) {
            return e;
        }
        std::vector<Expr> places = c->args;
        for (Expr &place : places) {
            // Where no variable has a range but those of the Func, what is left is bounded or the same everywhere.
            if (!expr_uses_vars(place, anywhere_) || Absorbs::bounded(place, anywhere_)) {
                continue;
            }
            const Interval need = Small::is(place, most_nodes) ? bounds_of_expr_in_scope(place, ranges_) : Interval::everything();
            if (!need.is_bounded()) {
                all = false;
                continue;
            }
            turns = turns || expr_uses_vars(place, domain_);
            const Expr least = simplify(need.min), most = simplify(need.max);
            all = all && Small::is(least, most_nodes) && Small::is(most, most_nodes);
            place = clamp(place, least, most);
        }
        return Call::make(c->type, c->name, places, c->call_type, c->func, c->value_index, c->image, c->param);
    }

    const Function &f_;
    const Scope<Interval> &ranges_;
    Absorbs &absorbs_;
    Scope<Interval> anywhere_, domain_;  // the Func's variables, the domain's
};

// Whether an update combines several things that it reads: of one alone it may be a window, which is made of parts that neighbours share.
bool combines(const Function &f) {
    const auto equal_places = [](const std::vector<Expr> &a, const std::vector<Expr> &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Expr &x, const Expr &y) { return graph_equal(x, y); });
    };
    return std::any_of(f.updates().begin(), f.updates().end(), [&](const Definition &def) {
        std::vector<const Call *> read;
        for (const Expr &value : def.values()) {
            any_part(value, [&](const Expr &x) {
                const Call *c = as_load(x);
                if (c && c->name != f.name() && std::none_of(read.begin(), read.end(), [&](const Call *r) { return r->name == c->name && equal_places(r->args, c->args); })) {
                    read.push_back(c);
                }
                return false;
            });
        }
        return read.size() > 1;
    });
}

// Whether a Func may have reads to be held.
bool may_hold(const FuncEntry &entry, Absorbs &absorbs) {
    return (!entry.output || few_points(entry.original)) && reduces(entry.original) && combines(entry.original) && !absorbs.is(entry.original);
}

// Whether the reads of a Func could be held.
bool hold(const FuncEntry &entry, Regions &regions) {
    if (regions.of_outputs_own_points(entry) || regions.whole_groups(entry)) {
        return false;
    }
    Function f = entry.original;
    Absorbs absorbs;  // as definitions are now
    std::vector<std::vector<Expr>> all;
    std::vector<Definition *> defs = {&f.definition()};
    for (size_t k = 0; k < f.updates().size(); k++) {
        defs.push_back(&f.update((int)k));
    }
    for (const Definition *def : defs) {
        const auto ranges = regions.ranges(entry, *def);
        if (!ranges) {
            return false;
        }
        Hold holding(f, *def, *ranges, absorbs);
        std::vector<Expr> &values = all.emplace_back();
        for (const Expr &v : def->values()) {
            values.push_back(common_subexpression_elimination(holding.mutate(substitute_in_all_lets(v))));
        }
        values.push_back(holding.mutate(substitute_in_all_lets(def->predicate())));
        if (!holding.all || (holding.turns && regions.split(entry))) {
            return false;
        }
    }
    for (size_t k = 0; k < defs.size(); k++) {
        defs[k]->predicate() = all[k].back();
        all[k].pop_back();
        defs[k]->values() = all[k];
    }
    return true;
}

}  // namespace

Graph hold_reads(const Pipeline &pipeline, const Graph &before) {
    std::vector<const FuncEntry *> candidates;
    Absorbs absorbs;
    for (const FuncEntry &f : before.funcs) {
        if (may_hold(f, absorbs)) {
            candidates.push_back(&f);
        }
    }
    std::set<std::string> held;
    if (!candidates.empty()) {
        Regions regions(before);
        for (const FuncEntry *f : candidates) {
            if (hold(*f, regions)) {
                held.insert(f->original.name());
            }
        }
    }
    return rebuild_changed(pipeline, before, held, &FuncEntry::held_reads);
}

}  // namespace gowarp

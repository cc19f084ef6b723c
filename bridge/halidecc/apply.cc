//go:build halide

#include "apply.h"
#include "factor.h"
#include "loops.h"
#include "promises.h"
#include "restate.h"
#include "text.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

struct Word {
    const char *word;
    int value;
};

const Word memory_words[] = {
    {"auto", (int)MemoryType::Auto},         {"heap", (int)MemoryType::Heap},
    {"stack", (int)MemoryType::Stack},       {"register", (int)MemoryType::Register},
    {"gpu_shared", (int)MemoryType::GPUShared}, {"gpu_texture", (int)MemoryType::GPUTexture},
};

const Word tail_words[] = {
    {"", (int)TailStrategy::Auto},
    {"auto", (int)TailStrategy::Auto},
    {"round_up", (int)TailStrategy::RoundUp},
    {"guard_with_if", (int)TailStrategy::GuardWithIf},
    {"predicate", (int)TailStrategy::Predicate},
    {"predicate_loads", (int)TailStrategy::PredicateLoads},
    {"predicate_stores", (int)TailStrategy::PredicateStores},
    {"shift_inwards", (int)TailStrategy::ShiftInwards},
    {"shift_inwards_and_blend", (int)TailStrategy::ShiftInwardsAndBlend},
    {"round_up_and_blend", (int)TailStrategy::RoundUpAndBlend},
};

template<size_t N>
bool find_word(const Word (&words)[N], const std::string &s, int &value) {
    for (const Word &w : words) {
        if (s == w.word) {
            value = w.value;
            return true;
        }
    }
    return false;
}

// A checked directive, ready for either set of Funcs.
struct Step {
    std::string text;  // "split(x, x_o, x_i, 32) on gray"
    int func;
    std::function<void(const std::vector<Function> &)> run;
};

class Checker {
public:
    explicit Checker(const Graph &g) : g_(g), loops_(g.funcs.size()), special_(g.funcs.size()) {
        for (size_t i = 0; i < g.funcs.size(); i++) {
            for (const Definition *def : definitions(g.funcs[i].original)) {
                loops_[i].emplace_back(g.funcs[i].original, *def);
            }
        }
    }

    std::vector<Step> check(const gowarp_directive *directives, int count) {
        std::vector<Step> steps;
        for (int i = 0; i < count; i++) {
            steps.push_back(one(directives[i]));
            if (!steps.back().run) {
                levels_.emplace_back(i, &directives[i]);
            }
        }
        // Levels are looked up last: a consumer may be split after a producer
        // is put into it.
        for (const auto &l : levels_) {
            steps[l.first].run = level(*l.second, steps[l.first].text);
        }
        return steps;
    }

private:
    [[noreturn]] static void fail(const std::string &text, const std::string &why) {
        throw CompileError("gowarp: " + text + ": " + why);
    }

    std::string loop_text(const gowarp_directive &d, const std::string &label) const {
        if (!loops_[d.func].empty()) {
            const size_t stage = (size_t)d.stage < loops_[d.func].size() ? d.stage : 0;
            if (const Loop *l = loops_[d.func][stage].original(label)) {
                return l->name;
            }
        }
        return label;
    }

    std::string describe(const gowarp_directive &d) const {
        std::string s = str(d.op) + "(";
        std::string sep;
        const auto item = [&](const std::string &t) {
            s += sep + t;
            sep = ", ";
        };
        for (int i = 0; i < d.num_vars; i++) {
            item(loop_text(d, str(d.vars[i])));
        }
        if (d.at_var) {
            const bool known = d.at_func >= 0 && d.at_func < (int)g_.funcs.size();
            item(known ? g_.funcs[d.at_func].original.name() : "Func " + std::to_string(d.at_func));
            gowarp_directive at{};
            at.func = d.at_func;
            at.stage = d.at_stage;
            item(known ? loop_text(at, str(d.at_var)) : str(d.at_var));
        }
        if (!str(d.memory).empty()) {
            item(d.memory);
        }
        if (d.n) {
            item(std::to_string(d.n));
        }
        if (!str(d.tail).empty()) {
            item(d.tail);
        }
        s += ") on " + g_.funcs[d.func].original.name();
        if (d.stage > 0) {
            s += ".update(" + std::to_string(d.stage - 1) + ")";
        }
        return s;
    }

    // The arguments of a directive that names loops of its own stage.
    std::vector<Loop> named(const gowarp_directive &d, const std::string &text, Loops &loops) {
        std::vector<Loop> out;
        std::set<std::string> seen;
        for (int i = 0; i < d.num_vars; i++) {
            out.push_back(live(text, loops, str(d.vars[i])));
            if (!seen.insert(out.back().label).second) {
                fail(text, "the loop " + out.back().name + " is named twice");
            }
        }
        return out;
    }

    static Loop live(const std::string &text, const Loops &loops, const std::string &label) {
        if (const Loop *l = loops.find(label)) {
            return *l;
        }
        const Loop *o = loops.original(label);
        fail(text, "the stage has no loop " + (o ? o->name + " any more" : label) + "; it has " + loops.list());
    }

    static void want(const gowarp_directive &d, const std::string &text, int least, int most) {
        if (d.num_vars < least || d.num_vars > most) {
            fail(text, "wrong number of loops");
        }
    }

    // The Func's argument that a storage directive names, by its original loop.
    Var argument(const gowarp_directive &d, const std::string &text, const char *label) const {
        const Loop *l = loops_[d.func].empty() ? nullptr : loops_[d.func][0].original(str(label));
        if (!l) {
            fail(text, str(label) + " is no argument of the Func");
        }
        return Var(l->name);
    }

    static Func func_of(const std::vector<Function> &fs, int id) {
        return Func(fs[id]);
    }

    Step one(const gowarp_directive &d) {
        if (d.func < 0 || d.func >= (int)g_.funcs.size()) {
            throw CompileError("gowarp: directive " + str(d.op) + " is for Func " + std::to_string(d.func) +
                               "; there are " + std::to_string(g_.funcs.size()));
        }
        const std::string text = describe(d), op = str(d.op);
        const int func = d.func, stage = d.stage;
        std::vector<Loops> &all = loops_[func];
        Step step{text, func, nullptr};

        // Directives on the Func.
        if (op == "compute_root" || op == "compute_inline") {
            want(d, text, 0, 0);
            const bool root = op == "compute_root";
            step.run = [=](const std::vector<Function> &fs) {
                Func f = func_of(fs, func);
                root ? f.compute_root() : f.compute_inline();
            };
            return step;
        }
        if (op == "compute_at" || op == "store_at" || op == "compute_with") {
            return step;  // check() fills it in
        }
        if (op == "store_in") {
            int m;
            if (!find_word(memory_words, str(d.memory), m)) {
                fail(text, "there is no such kind of memory");
            }
            step.run = [=](const std::vector<Function> &fs) { func_of(fs, func).store_in((MemoryType)m); };
            return step;
        }
        if (op == "whole_cells") {
            want(d, text, 1, 1);
            argument(d, text, d.vars[0]);
            if (d.n < 2 || d.n > INT16_MAX) {
                fail(text, "a cell must have several points");
            }
            step.run = [](const std::vector<Function> &) {};  // see passes.cc
            return step;
        }
        if (op == "bound_storage" || op == "bound_extent" || op == "given_extent" || op == "align_storage" || op == "align_bounds") {
            want(d, text, 1, 1);
            const Var v = argument(d, text, d.vars[0]);
            if (d.n < 1 || d.n > INT32_MAX) {
                fail(text, "the number must be positive and fit 32 bits");
            }
            const int n = (int)d.n;
            step.run = [=](const std::vector<Function> &fs) {
                Func f = func_of(fs, func);
                if (op == "bound_storage") {
                    f.bound_storage(v, n);
                } else if (op == "align_storage") {
                    f.align_storage(v, n);
                } else if (op == "align_bounds") {
                    f.align_bounds(v, n);
                } else {
                    f.bound_extent(v, n);
                }
            };
            return step;
        }
        if (op == "any_size") {
            want(d, text, 0, 0);
            if (!special_[func].loops) {
                fail(text, "it has no special case");
            }
            step.run = [](const std::vector<Function> &) {};  // see passes.cc
            return step;
        }
        if (op == "demand_order" || op == "chain_addresses" || op == "vector_access" || op == "uniform_rows") {
            want(d, text, 0, 0);
            if (op != "vector_access" && op != "uniform_rows" && (d.n < 1 || d.n > INT16_MAX)) {
                fail(text, "the number of " + std::string(op == "demand_order" ? "stores of a row" : "additions") + " must be positive");
            }
            step.run = [](const std::vector<Function> &) {};  // see passes.cc
            return step;
        }
        if (op == "shared_or_global") {
            want(d, text, 0, 0);
            if (d.n < 1 || d.n > INT32_MAX) {
                fail(text, "the number of bytes must be positive and fit 32 bits");
            }
            step.run = [](const std::vector<Function> &) {};  // see passes.cc
            return step;
        }
        if (op == "demote") {
            want(d, text, 0, 0);
            if (d.n < 1 || d.n > INT16_MAX || d.offset < 0 || d.offset > INT32_MAX / 2) {
                fail(text, "the number of registers must be positive, and its place in the scratch not negative");
            }
            step.run = [](const std::vector<Function> &) {};  // see passes.cc
            return step;
        }
        if (op == "reorder_storage") {
            std::vector<Var> vars;
            for (int i = 0; i < d.num_vars; i++) {
                vars.push_back(argument(d, text, d.vars[i]));
            }
            step.run = [=](const std::vector<Function> &fs) { func_of(fs, func).reorder_storage(vars); };
            return step;
        }

        // Directives on a stage.
        if (stage < 0 || stage >= (int)all.size()) {
            fail(text, "the Func has " + std::to_string(all.size()) + " stages that can be scheduled");
        }
        if (op == "specialize") {
            return specialize(d, text);
        }
        const SpecialCase special = special_[func];
        if (d.special && (!special.loops || stage != 0)) {
            fail(text, "the stage has no special case; specialize comes first");
        }
        Loops &loops = d.special ? *special.loops : all[stage];
        std::function<void(Stage &)> run;
        bool splits_domain = false;
        if (op == "split") {
            want(d, text, 3, 3);
            const Loop old = live(text, loops, str(d.vars[0]));
            int tail;
            if (!find_word(tail_words, str(d.tail), tail)) {
                fail(text, "there is no such tail strategy");
            }
            if (d.n < 1 || d.n > INT32_MAX) {
                fail(text, "the factor must be positive and fit 32 bits");
            }
            loops.remove(old.label);
            const Loop outer = added(text, loops, d.vars[1], old.rvar), inner = added(text, loops, d.vars[2], old.rvar);
            const int n = (int)d.n;
            splits_domain = old.rvar;
            run = [=](Stage &s) { s.split(old.var(), outer.var(), inner.var(), n, (TailStrategy)tail); };
        } else if (op == "fuse") {
            want(d, text, 3, 3);
            const Loop inner = live(text, loops, str(d.vars[0])), outer = live(text, loops, str(d.vars[1]));
            if (inner.label == outer.label) {
                fail(text, "a loop cannot be fused with itself");
            }
            loops.remove(inner.label);
            loops.remove(outer.label);
            const Loop fused = added(text, loops, d.vars[2], inner.rvar || outer.rvar);
            run = [=](Stage &s) { s.fuse(inner.var(), outer.var(), fused.var()); };
        } else if (op == "reorder") {
            want(d, text, 1, INT32_MAX);
            std::vector<VarOrRVar> vars;
            for (const Loop &l : named(d, text, loops)) {
                vars.push_back(l.var());
            }
            run = [=](Stage &s) { s.reorder(vars); };
        } else if (op == "gpu_blocks" || op == "gpu_threads") {
            want(d, text, 1, 3);
            const std::vector<Loop> v = named(d, text, loops);
            const bool blocks = op == "gpu_blocks";
            run = [=](Stage &s) {
                for (const Loop &l : v) {
                    blocks ? s.gpu_blocks(l.var()) : s.gpu_threads(l.var());
                }
            };
        } else if (op == "gpu_lanes" || op == "unroll" || op == "vectorize" || op == "serial") {
            want(d, text, 1, 1);
            const Loop l = live(text, loops, str(d.vars[0]));
            run = [=](Stage &s) {
                op == "gpu_lanes" ? s.gpu_lanes(l.var()) :
                op == "unroll"    ? s.unroll(l.var()) :
                op == "vectorize" ? s.vectorize(l.var()) :
                                    s.serial(l.var());
            };
        } else if (op == "gpu_single_thread") {
            want(d, text, 0, 0);
            run = [](Stage &s) { s.gpu_single_thread(); };
        } else if (op == "atomic") {
            want(d, text, 0, 0);
            run = [](Stage &s) { s.atomic(); };
        } else if (op == "atomic_addition") {
            want(d, text, 0, 0);
            run = [](Stage &s) { s.atomic(true); };  // whatever Halide proves; see passes.cc
        } else if (op == "allow_race_conditions") {
            want(d, text, 0, 0);
            run = [](Stage &s) { s.allow_race_conditions(); };
        } else if (op == "never_partition_all") {
            want(d, text, 0, 0);
            run = [](Stage &s) { s.never_partition_all(); };
        } else if (op == "scan_lanes" || op == "scan_chunks" || op == "loads_first" || op == "some_launch") {
            want(d, text, 0, 0);
            run = [](Stage &) {};  // see passes.cc
        } else {
            fail(text, "there is no such directive");
        }
        const bool d_special = d.special;
        // What factoring makes and leaves has the promises already that the user's conditions are good for (factor.cc), and conditions of Halide's own.
        const bool promise = splits_domain && !g_.funcs[func].made && !g_.funcs[func].factored.count(stage) && promised_.emplace(func, stage).second;
        step.run = [=](const std::vector<Function> &fs) {
            Function f = fs[func];
            Definition &def = stage == 0 ? f.definition() : f.update(stage - 1);
            if (const Expr condition = promise ? conditions(def).others : Expr(); condition.defined()) {
                promise_ranges(def, condition);
            }
            Stage s(f, def, stage);
            if (d_special) {
                // Halide gives back the case that it has for the same condition.
                s = s.specialize(whole(f, special.dims, special.multiples));
            }
            run(s);
        };
        return step;
    }

    // The loops of the special case of a Func's pure definition, and its condition.
    struct SpecialCase {
        std::shared_ptr<Loops> loops;
        std::vector<int> dims;
        std::vector<int> multiples;
    };

    // The condition that extents of an output are multiples. The maximum hides that from Halide 21, whose
    // simplifier would use it and then no longer find how far the loops of a tile can go.
    static Expr whole(const Function &f, const std::vector<int> &dims, const std::vector<int> &multiples) {
        const OutputImageParam out = Func(f).output_buffers().at(0);
        Expr rest;
        for (size_t i = 0; i < dims.size(); i++) {
            const Expr r = out.dim(dims[i]).extent() % multiples[i];
            rest = rest.defined() ? max(rest, r) : r;
        }
        if (dims.size() == 1) {
            rest = max(rest, multiples[0] - out.dim(dims[0]).extent());
        }
        return rest <= 0;
    }

    Step specialize(const gowarp_directive &d, const std::string &text) {
        const int func = d.func;
        if (d.stage != 0 || d.num_vars < 1 || !d.multiples || special_[func].loops) {
            fail(text, "only a pure definition has one special case, for multiples of extents");
        }
        if (std::find(g_.outputs.begin(), g_.outputs.end(), func) == g_.outputs.end()) {
            fail(text, "only the extents of an output can be told apart");
        }
        SpecialCase &special = special_[func];
        const std::vector<std::string> args = g_.funcs[func].original.args();
        for (int i = 0; i < d.num_vars; i++) {
            const std::string name = argument(d, text, d.vars[i]).name();
            const size_t k = std::find(args.begin(), args.end(), name) - args.begin();
            if (k == args.size() || d.multiples[i] < 1 || d.multiples[i] > INT32_MAX) {
                fail(text, name + " is no argument, or its multiple does not fit 32 bits");
            }
            special.dims.push_back((int)k);
            special.multiples.push_back((int)d.multiples[i]);
        }
        special.loops = std::make_shared<Loops>(loops_[func][0]);
        const std::vector<int> dims = special.dims, multiples = special.multiples;
        Step step{text, func, nullptr};
        step.run = [=](const std::vector<Function> &fs) {
            Function f = fs[func];
            Stage(f, f.definition(), 0).specialize(whole(f, dims, multiples));
        };
        return step;
    }

    static Loop added(const std::string &text, Loops &loops, const char *label, bool rvar) {
        if (loops.find(str(label))) {
            fail(text, "the stage already has a loop " + str(label));
        }
        return loops.add(str(label), rvar);
    }

    std::function<void(const std::vector<Function> &)> level(const gowarp_directive &d, const std::string &text) {
        if (!d.at_var) {
            fail(text, "it names no loop");
        }
        if (d.at_func < 0 || d.at_func >= (int)g_.funcs.size()) {
            fail(text, "there are " + std::to_string(g_.funcs.size()) + " Funcs");
        }
        if (d.at_stage < 0 || d.at_stage >= (int)loops_[d.at_func].size()) {
            fail(text, g_.funcs[d.at_func].original.name() + " has " + std::to_string(loops_[d.at_func].size()) +
                           " stages");
        }
        const Loop l = live(text, loops_[d.at_func][d.at_stage], str(d.at_var));
        const std::string op = str(d.op);
        const int func = d.func, at_func = d.at_func;
        if (op == "compute_with") {
            if (d.at_stage != 0 || loops_[func].empty()) {
                fail(text, "only pure definitions run together");
            }
            if (live(text, loops_[func][0], str(d.at_var)).name != l.name) {
                fail(text, "its loop has another name there");
            }
            return [=](const std::vector<Function> &fs) { func_of(fs, func).compute_with(LoopLevel(fs[at_func], l.var(), 0)); };
        }
        const bool compute = op == "compute_at";
        return [=](const std::vector<Function> &fs) {
            Func f = func_of(fs, func);
            // No stage index: Halide 21 checks a level against its own list, which has
            // none, and refuses one that names a stage.
            const LoopLevel at(fs[at_func], l.var());
            compute ? f.compute_at(at) : f.store_at(at);
        };
    }

    const Graph &g_;
    std::vector<std::vector<Loops>> loops_;  // per Func, per stage
    std::vector<SpecialCase> special_;       // per Func
    std::set<std::pair<int, int>> promised_; // stages of Funcs whose domains are split
    std::vector<std::pair<int, const gowarp_directive *>> levels_;
};

void run_all(const std::vector<Step> &steps, const std::vector<Function> &funcs) {
    for (const Step &s : steps) {
        std::string why;
        try {
            s.run(funcs);
            continue;
        } catch (const Halide::Error &e) {
            why = e.what();
        } catch (const std::exception &e) {
            why = e.what();
        }
        while (!why.empty() && isspace((unsigned char)why.back())) {
            why.pop_back();
        }
        throw CompileError("gowarp: " + s.text + ": " + why);
    }
}

}  // namespace

Graph apply_directives(const Graph &g, const gowarp_directive *directives, int count) {
    const int factors = count_factors(directives, count);
    const auto steps_for = [&](const Graph &factored) {
        return Checker(factored).check(directives + factors, count - factors);
    };
    const auto run = [](const std::vector<Step> &steps, const Graph &factored, Function FuncEntry::*twin) {
        std::vector<Function> funcs;
        for (const FuncEntry &f : factored.funcs) {
            funcs.push_back(f.*twin);
        }
        run_all(steps, funcs);
    };
    if (factors == 0) {
        const std::vector<Step> steps = steps_for(g);
        run(steps, g, &FuncEntry::copy);
        run(steps, g, &FuncEntry::original);
        return g;
    }
    // Loops of what factoring makes are known once it is done: the whole is rehearsed on the copies first.
    const Graph rehearsed = factor_reductions(g, directives, factors, Twin::copies);
    run(steps_for(rehearsed), rehearsed, &FuncEntry::original);
    const Graph factored = factor_reductions(g, directives, factors, Twin::originals);
    run(steps_for(factored), factored, &FuncEntry::original);
    return factored;
}

}  // namespace gowarp

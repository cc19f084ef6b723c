//go:build halide

#include "passes.h"
#include "addresschains.h"
#include "anysize.h"
#include "apartbytes.h"
#include "atomicadds.h"
#include "demandorder.h"
#include "demote.h"
#include "extents.h"
#include "loadsfirst.h"
#include "scanchunks.h"
#include "scanlanes.h"
#include "sharedorglobal.h"
#include "somelaunch.h"
#include "text.h"
#include "uniformrows.h"
#include "wholecells.h"

#include <cstdlib>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

std::vector<Demotion> demotions(const Graph &g, const gowarp_directive *directives, int count) {
    std::vector<Demotion> out;
    for (int i = 0; i < count; i++) {
        const gowarp_directive &d = directives[i];
        if (str(d.op) == "demote") {
            out.push_back({g.funcs[d.func].original.name(), (int)d.n, (int)d.offset});
        }
    }
    return out;
}

// The Funcs that a directive names, each with its number.
std::map<std::string, int> numbered(const std::string &directive, const Graph &g, const gowarp_directive *directives, int count) {
    std::map<std::string, int> out;
    for (int i = 0; i < count; i++) {
        if (str(directives[i].op) == directive) {
            out[g.funcs[directives[i].func].original.name()] = (int)directives[i].n;
        }
    }
    return out;
}

// The Funcs of which a schedule says how large a part, or the storage of it, is.
std::set<std::string> given_extents(const Graph &g, const gowarp_directive *directives, int count) {
    std::set<std::string> out;
    for (const char *directive : {"given_extent", "bound_extent", "bound_storage"}) {
        for (const auto &func : numbered(directive, g, directives, count)) {
            out.insert(func.first);
        }
    }
    return out;
}

// The stages that a directive names, as their loops begin, each with its number.
std::map<std::string, int> numbered_stages(const std::string &directive, const Graph &g, const gowarp_directive *directives, int count) {
    std::map<std::string, int> out;
    for (int i = 0; i < count; i++) {
        if (const gowarp_directive &d = directives[i]; str(d.op) == directive) {
            out[g.funcs[d.func].original.name() + ".s" + std::to_string(d.stage)] = (int)d.n;
        }
    }
    return out;
}

std::map<std::string, AddressChains::Kernels> addresses(const Graph &g, const gowarp_directive *directives, int count) {
    std::map<std::string, AddressChains::Kernels> out;
    for (const auto &[func, longest] : numbered("chain_addresses", g, directives, count)) {
        out[func].longest = longest;
    }
    for (const auto &func : numbered("vector_access", g, directives, count)) {
        out[func.first].vectors = true;
    }
    return out;
}

// The position of a loop among those of the untouched stage; -1 if it has a name.
int original(const char *loop) {
    return loop && loop[0] == '@' ? atoi(loop + 1) : -1;
}

// Where a loop is among those of a directive; -1 if it is not.
int position(const gowarp_directive &d, const std::string &loop) {
    for (int i = 0; i < d.num_vars; i++) {
        if (d.vars[i] == loop) {
            return i;
        }
    }
    return -1;
}

// Of how many points the cells are that outputs begin at.
Moduli cells(const Graph &g, const gowarp_directive *directives, int count) {
    Moduli out;
    for (int i = 0; i < count; i++) {
        if (const gowarp_directive &d = directives[i]; str(d.op) == "whole_cells") {
            const Function &f = g.funcs[d.func].original;
            auto &moduli = out[f.name()];
            moduli.resize(f.args().size(), 1);
            if (const int arg = original(d.vars[0]); arg >= 0 && arg < (int)moduli.size()) {
                moduli[arg] = (int)d.n;
            }
        }
    }
    return out;
}

// The special cases whose points are groups over threads over blocks, each loop by itself.
std::vector<WholeGroups> whole_groups(const Graph &g, const gowarp_directive *directives, int count) {
    struct Case {
        WholeGroups of;
        std::vector<std::string> groups, threads;  // loops over them, parallel to of.along
        bool whole = true, any_size = false;
        // The loop over blocks along a dimension: that over groups where no threads lie along it.
        const std::string &blocks(size_t k) const { return of.along[k].block.empty() ? groups[k] : of.along[k].block; }
    };
    std::map<int, Case> by_func;
    for (int i = 0; i < count; i++) {
        const gowarp_directive &d = directives[i];
        const std::string op = str(d.op);
        if (!d.special && op != "any_size") {
            continue;
        }
        Case &c = by_func[d.func];
        c.any_size = c.any_size || op == "any_size";
        std::vector<WholeGroups::Along> &along = c.of.along;
        if (op == "split" && str(d.tail) == "shift_inwards") {
            c.of.func = g.funcs[d.func].original.name();
            along.push_back({original(d.vars[0]), (int)d.n, "", 1, -1, ""});
            c.groups.push_back(str(d.vars[1]));
            c.threads.push_back("");
            c.whole = c.whole && along.back().dim >= 0;
            continue;
        }
        for (size_t k = 0; k < along.size(); k++) {
            if (op == "split" && str(d.vars[0]) == c.groups[k]) {
                along[k].block = str(d.vars[1]);
                along[k].threads = (int)d.n;
                c.threads[k] = str(d.vars[2]);
            } else if (op == "gpu_threads") {
                along[k].thread = position(d, c.threads[k]);
            } else if (op == "fuse") {
                if (const std::string inner = str(d.vars[0]); inner == c.blocks(k)) {
                    along[k].block = inner;
                    along[k].fused = str(d.vars[2]);
                }
                c.whole = c.whole && str(d.vars[1]) != c.blocks(k) && (along[k].fused.empty() || str(d.vars[0]) != along[k].fused);
            } else if (op == "gpu_blocks") {
                along[k].block = c.blocks(k);
                c.whole = c.whole && position(d, along[k].of_grid()) >= 0;
            }
        }
    }
    std::vector<WholeGroups> out;
    for (auto &[func, c] : by_func) {
        for (const auto &a : c.of.along) {
            c.whole = c.whole && (a.thread >= 0 || a.threads == 1);
        }
        if (c.any_size && c.whole && !c.of.along.empty()) {
            out.push_back(std::move(c.of));
        }
    }
    return out;
}

}  // namespace

std::vector<std::unique_ptr<IRMutator>> lowering_passes(const Graph &g, const gowarp_directive *directives, int count) {
    std::vector<std::unique_ptr<IRMutator>> out;
    if (auto cases = whole_groups(g, directives, count); !cases.empty()) {
        out.push_back(std::make_unique<AnySize>(std::move(cases)));
    }
    if (auto funcs = given_extents(g, directives, count); !funcs.empty()) {
        out.push_back(std::make_unique<Extents>(std::move(funcs)));
    }
    if (auto outputs = cells(g, directives, count); !outputs.empty()) {
        out.push_back(std::make_unique<WholeCells>(std::move(outputs)));
    }
    if (auto funcs = numbered("shared_or_global", g, directives, count); !funcs.empty()) {
        out.push_back(std::make_unique<SharedOrGlobal>(std::move(funcs)));
    }
    if (auto moved = demotions(g, directives, count); !moved.empty()) {
        out.push_back(std::make_unique<Demote>(std::move(moved)));
    }
    if (auto funcs = numbered("demand_order", g, directives, count); !funcs.empty()) {
        out.push_back(std::make_unique<DemandOrder>(std::move(funcs)));
    }
    if (auto stages = numbered_stages("scan_lanes", g, directives, count); !stages.empty()) {
        out.push_back(std::make_unique<ScanLanes>(std::move(stages)));
    }
    if (auto stages = numbered_stages("scan_chunks", g, directives, count); !stages.empty()) {
        out.push_back(std::make_unique<ScanChunks>(std::move(stages)));
    }
    if (auto stages = numbered_stages("loads_first", g, directives, count); !stages.empty()) {
        out.push_back(std::make_unique<LoadsFirst>(std::move(stages)));
    }
    if (auto funcs = addresses(g, directives, count); !funcs.empty()) {
        out.push_back(std::make_unique<AddressChains>(std::move(funcs)));
    }
    if (auto stages = numbered_stages("atomic_addition", g, directives, count); !stages.empty()) {
        out.push_back(std::make_unique<AtomicAdditions>(std::move(stages)));
    }
    if (auto stages = numbered_stages("some_launch", g, directives, count); !stages.empty()) {
        out.push_back(std::make_unique<SomeLaunch>(std::move(stages)));
    }
    if (auto funcs = numbered("uniform_rows", g, directives, count); !funcs.empty()) {
        out.push_back(std::make_unique<UniformRows>(std::move(funcs)));
    }
    return out;
}

void install_passes(const Pipeline &p, const Graph &g, const gowarp_directive *directives, int count, bool apart) {
    Pipeline shared(p);  // its contents are the user's
    auto passes = lowering_passes(g, directives, count);
    if (apart) {
        passes.push_back(std::make_unique<ApartBytes>());
    }
    for (auto &pass : passes) {
        IRMutator *m = pass.release();
        shared.add_custom_lowering_pass(m, [m] { delete m; });
    }
}

}  // namespace gowarp

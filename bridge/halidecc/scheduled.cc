//go:build halide

// What the user has already scheduled. The words are those that the user would
// have written, so that an error can quote them.

#include "export.h"

#include <sstream>

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

std::string text(const Expr &e) {
    std::ostringstream s;
    s << e;
    return s.str();
}

// A loop's name as the user wrote it: Halide prefixes what a split made.
std::string last_part(const std::string &name) {
    const size_t dot = name.rfind('.');
    return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::string level(const LoopLevel &l) {
    return l.func_name() + ", " + l.var_name();
}

// Levels are compared by name: an unlocked LoopLevel refuses every question.
bool same_level(const LoopLevel &a, const LoopLevel &b) {
    return a.func_name() == b.func_name() && a.var_name() == b.var_name();
}

void func_directives(const Function &f, std::vector<std::string> &out) {
    const FuncSchedule &s = f.schedule();
    const LoopLevel inlined = LoopLevel::inlined(), root = LoopLevel::root();
    const std::pair<const LoopLevel *, std::string> levels[] = {
        {&s.compute_level(), "compute"}, {&s.store_level(), "store"}, {&s.hoist_storage_level(), "hoist_storage"}};
    for (const auto &l : levels) {
        if (same_level(*l.first, root)) {
            out.push_back(l.second + "_root()");
        } else if (!same_level(*l.first, inlined)) {
            out.push_back(l.second + (l.second == "hoist_storage" ? "(" : "_at(") + level(*l.first) + ")");
        }
    }
    if (s.memory_type() != MemoryType::Auto) {
        out.push_back(std::string("store_in(") + memory_word(s.memory_type()) + ")");
    }
    if (s.memoized()) {
        out.push_back("memoize()");
    }
    if (s.async()) {
        out.push_back("async()");
    }
    // No kernel can trace, and Halide says so only when it generates code.
    if (f.is_tracing_loads()) {
        out.push_back("trace_loads()");
    }
    if (f.is_tracing_stores()) {
        out.push_back("trace_stores()");
    }
    if (f.is_tracing_realizations()) {
        out.push_back("trace_realizations()");
    }
    if (s.ring_buffer().defined()) {
        out.push_back("ring_buffer(" + text(s.ring_buffer()) + ")");
    }
    bool reordered = s.storage_dims().size() != f.args().size();
    std::string order;
    for (size_t i = 0; i < s.storage_dims().size(); i++) {
        const StorageDim &d = s.storage_dims()[i];
        reordered = reordered || d.var != f.args()[i];
        order += (i ? ", " : "") + d.var;
        if (d.alignment.defined()) {
            out.push_back("align_storage(" + d.var + ", " + text(d.alignment) + ")");
        }
        if (d.bound.defined()) {
            out.push_back("bound_storage(" + d.var + ", " + text(d.bound) + ")");
        }
        if (d.fold_factor.defined()) {
            out.push_back("fold_storage(" + d.var + ", " + text(d.fold_factor) + ")");
        }
    }
    if (reordered) {
        out.push_back("reorder_storage(" + order + ")");
    }
}

std::string loop_word(ForType t) {
    switch (t) {
    case ForType::Serial: return "serial";
    case ForType::Parallel: return "parallel";
    case ForType::Vectorized: return "vectorize";
    case ForType::Unrolled: return "unroll";
    case ForType::Extern: return "extern";
    case ForType::GPUBlock: return "gpu_blocks";
    case ForType::GPUThread: return "gpu_threads";
    case ForType::GPULane: return "gpu_lanes";
    }
    return "loop";
}

void stage_directives(const Function &f, const Definition &def, const std::string &prefix,
                      std::vector<std::string> &out) {
    const StageSchedule &s = def.schedule();
    for (const Split &p : s.splits()) {
        const std::string old = last_part(p.old_var), outer = last_part(p.outer), inner = last_part(p.inner);
        switch (p.split_type) {
        case Split::SplitVar:
            out.push_back(prefix + "split(" + old + ", " + outer + ", " + inner + ", " + text(p.factor) + ")");
            break;
        case Split::RenameVar:
            out.push_back(prefix + "rename(" + old + ", " + outer + ")");
            break;
        case Split::FuseVars:
            out.push_back(prefix + "fuse(" + inner + ", " + outer + ", " + old + ")");
            break;
        }
    }
    std::vector<std::string> order;
    for (const Dim &d : s.dims()) {
        if (d.var == Var::outermost().name()) {
            continue;
        }
        order.push_back(last_part(d.var));
        if (d.for_type != ForType::Serial && !(f.has_extern_definition() && d.for_type == ForType::Extern)) {
            out.push_back(prefix + loop_word(d.for_type) + "(" + order.back() + ")");
        }
    }
    if (s.splits().empty() && !f.has_extern_definition()) {
        const std::vector<StageLoop> plain = untouched_loops(f, def);
        bool same = plain.size() == order.size();
        std::string all;
        for (size_t i = 0; i < order.size(); i++) {
            same = same && order[i] == last_part(plain[i].name);
            all += (i ? ", " : "") + order[i];
        }
        if (!same) {
            out.push_back(prefix + "reorder(" + all + ")");
        }
    }
    if (!same_level(s.fuse_level().level, LoopLevel::inlined())) {
        out.push_back(prefix + "compute_with(" + level(s.fuse_level().level) + ")");
    }
    if (!s.prefetches().empty()) {
        out.push_back(prefix + "prefetch(…)");
    }
    if (s.atomic()) {
        out.push_back(prefix + "atomic()");
    }
    if (s.allow_race_conditions()) {
        out.push_back(prefix + "allow_race_conditions()");
    }
    for (const Specialization &sp : def.specializations()) {
        out.push_back(prefix + "specialize(" + text(sp.condition) + ")");
    }
}

}  // namespace

std::vector<std::string> scheduled_directives(const Function &f) {
    std::vector<std::string> out;
    func_directives(f, out);
    const auto defs = definitions(f);
    for (size_t i = 0; i < defs.size(); i++) {
        stage_directives(f, *defs[i], i ? "update(" + std::to_string(i - 1) + ")." : "", out);
    }
    return out;
}

bool any_scheduled(const Graph &g) {
    return std::any_of(g.funcs.begin(), g.funcs.end(), [](const FuncEntry &f) { return !scheduled_directives(f.original).empty(); });
}

}  // namespace gowarp

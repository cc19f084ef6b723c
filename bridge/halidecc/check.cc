//go:build halide

#include "check.h"
#include "anypart.h"
#include "apply.h"
#include "factor.h"
#include "forked.h"
#include "launches.h"
#include "passes.h"
#include "stack.h"

#include <algorithm>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The first letter of a child's answer.
constexpr char launches_mark = 'L', error_mark = 'E';

// A lowering pass that ends the child: what it wants to know is in s, and the code
// generation that would follow takes several times as long as all before.
class Report : public IRMutator {
public:
    explicit Report(const Graph &g) : g_(g) {}
    using IRMutator::mutate;
    Stmt mutate(const Stmt &s) override { answer(launches_mark + print_lowered(read_lowered(s, g_))); }

private:
    const Graph &g_;
};

void lower_here(const Graph &given, const Target &target, const gowarp_reply &reply) {
    // A host's reporter may print through an interpreter that has threads of its own.
    set_custom_compile_time_error_reporter(nullptr);
    std::string why = "lowering ended before the last pass";
    try {
        with_deep_stack([&] {
            const Graph g = apply_directives(given, reply.directives, reply.num_directives);
            std::vector<Function> outputs;
            for (int id : g.outputs) {
                outputs.push_back(g.funcs[id].original);
            }
            const auto own = lowering_passes(g, reply.directives, reply.num_directives);
            Report report(g);
            std::vector<IRMutator *> passes;
            for (const auto &p : own) {
                passes.push_back(p.get());
            }
            passes.push_back(&report);
            // The arguments are looked at behind the pass that ends it.
            lower(outputs, "gowarp_check", target, {}, LinkageType::ExternalPlusMetadata, {}, false, passes);
        });
    } catch (const Error &e) {
        why = e.what();
    } catch (const std::exception &e) {
        why = e.what();
    }
    answer(error_mark + why);
}

std::string one_line(std::string s) {
    while (!s.empty() && isspace((unsigned char)s.back())) {
        s.pop_back();
    }
    std::replace(s.begin(), s.end(), '\n', ' ');
    return s;
}

std::string dims(const int64_t (&v)[3]) {
    std::string s;
    for (int i = 0; i < 3; i++) {
        s += (i ? "x" : "") + (v[i] == unknown ? std::string("?") : std::to_string(v[i]));
    }
    return s;
}

bool differ(const int64_t (&want)[3], const int64_t (&got)[3]) {
    for (int i = 0; i < 3; i++) {
        if (got[i] != unknown && got[i] != want[i]) {
            return true;
        }
    }
    return false;
}

class Comparison {
public:
    Comparison(const Graph &g, const gowarp_reply &reply, const Lowered &lowered) : g_(g) {
        const std::vector<Launch> &found = lowered.launches;
        for (const Need &got : lowered.needs) {
            for (int32_t i = 0; i < reply.num_needs; i++) {
                const gowarp_need &want = reply.needs[i];
                if (want.input == got.input && want.dim == got.dim && (got.min < want.min || got.max > want.max)) {
                    verdict.kind = Verdict::refused;
                    verdict.notes.push_back("it asks for points " + std::to_string(got.min) + " to " + std::to_string(got.max) + " of dimension " + std::to_string(got.dim) +
                                            " of the input " + g.inputs[got.input].name() + ", of which " + std::to_string(want.min) + " to " + std::to_string(want.max) + " are needed");
                }
            }
        }
        std::vector<bool> expected(found.size());
        for (int32_t i = 0; i < reply.num_kernels; i++) {
            const gowarp_kernel &want = reply.kernels[i];
            int n = 0;
            for (size_t k = 0; k < found.size(); k++) {
                if (found[k].func == want.func && found[k].stage == want.stage) {
                    expected[k] = true;
                    if (n++ == 0) {
                        compare(want, found[k]);
                    }
                }
            }
            if (n == 1) {
                continue;
            }
            if (n > 0) {
                fault(want.func, want.stage, "one kernel is expected, " + std::to_string(n) + " are launched");
            } else if (launched(lowered, want.func)) {
                remark(want.func, want.stage, "none is launched: Halide sees that it changes nothing");
            } else if (!lowered.named.count(want.func)) {
                remark(want.func, want.stage, "none is launched: Halide sees that nothing needs it");
            } else {
                unneeded(want.func, want.stage, "one kernel is expected, 0 are launched");
            }
        }
        for (size_t k = 0; k < found.size(); k++) {
            if (!expected[k]) {
                fault(found[k].func, found[k].stage, "a kernel of " + dims(found[k].blocks) + " blocks of " + dims(found[k].threads) + " threads is launched, none is expected");
            }
        }
    }

    Verdict verdict;

private:
    static bool launched(const Lowered &lowered, int func) {
        return std::any_of(lowered.launches.begin(), lowered.launches.end(), [&](const Launch &k) { return k.func == func; });
    }

    void compare(const gowarp_kernel &want, const Launch &got) {
        const auto at = [&](const std::string &why) { fault(want.func, want.stage, why); };
        if (got.times != want.launches) {
            at("the host launches it " + (got.times == unknown ? std::string("?") : std::to_string(got.times)) + " times, not " + std::to_string(want.launches));
        }
        if (std::find(got.blocks, got.blocks + 3, 0) != got.blocks + 3 && got.times != 0 && !g_.funcs[want.func].output) {
            unneeded(want.func, want.stage, dims(want.blocks) + " blocks are expected, none is launched");
        } else if (differ(want.blocks, got.blocks)) {
            // The region of the Func is another one than was worked out from the estimates,
            // however it is computed: no reason for another schedule.
            remark(want.func, want.stage, dims(want.blocks) + " blocks are expected, " + dims(got.blocks) + " are launched");
        }
        if (differ(want.threads, got.threads)) {
            at(dims(want.threads) + " threads are expected, " + dims(got.threads) + " are launched");
        }
        const std::string bytes = std::to_string(want.shared_bytes) + " B of shared memory are expected, ";
        if (got.shared_bytes == unknown) {
            if (want.shared_exact) {
                at(bytes + "the size is known only at run time");
            }
        } else {
            const std::string taken = bytes + std::to_string(got.shared_bytes) + " are taken";
            const bool more = got.shared_bytes > want.shared_bytes;
            if (more && got.shared_bytes <= want.shared_most) {
                remark(want.func, want.stage, taken + ", of which as many blocks run");
            } else if (more || (want.shared_exact && got.shared_bytes != want.shared_bytes)) {
                at(taken);
            }
        }
        if (got.trap) {
            at("it checks its storage at run time, with a trap");
        }
        for (int f : got.unproven) {
            if (std::find(verdict.unproven.begin(), verdict.unproven.end(), f) != verdict.unproven.end()) {
                continue;  // another of its dimensions
            }
            at("it checks at run time, with a trap, whether " + g_.funcs[f].original.name() + " has the extents that it is given");
            verdict.unproven.push_back(f);
        }
        if (got.general) {
            at("its special case for whole groups of points does not run at this size");
        }
        if (got.unheld) {
            at("it stores a Func that nothing reads once its code is simplified, which Halide's code generator does not take");
        }
        if (got.torn) {
            at("its atomic operation loads the old value without protection");
            add(verdict.torn, want.func);
        }
        if (got.global_scratch && !want.global_scratch) {
            at("it keeps what belongs to a block in global memory");
        }
    }

    static void add(std::vector<int> &funcs, int func) {
        if (std::find(funcs.begin(), funcs.end(), func) == funcs.end()) {
            funcs.push_back(func);
        }
    }

    void fault(int func, int stage, const std::string &why) {
        if (verdict.kind != Verdict::refused) {
            verdict.kind = Verdict::disagrees;
        }
        add(verdict.funcs, func);
        remark(func, stage, why);
    }

    // A launch over no blocks fails, and so does an empty buffer on a device. Where Halide
    // computes a Func nowhere its readers may refer to it nonetheless.
    void unneeded(int func, int stage, const std::string &why) {
        fault(func, stage, why + ": Halide needs no point of it at the estimated sizes");
        add(verdict.unneeded, func);
    }

    void remark(int func, int stage, const std::string &why) {
        std::string name = "an unknown Func";
        if (func >= 0 && func < (int)g_.funcs.size()) {
            name = g_.funcs[func].original.name() + (stage > 0 ? ".update(" + std::to_string(stage - 1) + ")" : "");
        }
        verdict.notes.push_back("the kernel of " + name + ": " + why);
    }

    const Graph &g_;
};

// The Funcs that read an input, or another Func, of which an error says that its bounds are not found. Halide simplifies what an index is clamped to before it looks for them: of bits put together it sees that the clamp
// changes nothing, and then has no bounds of the bits.
std::vector<int> read_without_bounds(const Graph &g, const std::string &why) {
    const auto says = [&](const std::string &text) { return why.find(text) != std::string::npos; };
    std::set<std::string> read;
    for (const InputEntry &input : g.inputs) {
        if (!input.scalar() && says("Buffer " + input.name() + " may be accessed in an unbounded way")) {
            read.insert(input.name());
        }
    }
    for (const FuncEntry &f : g.funcs) {
        if (says(f.original.name() + " is accessed over an unbounded domain")) {
            read.insert(f.original.name());
        }
    }
    std::vector<int> out;
    for (size_t i = 0; i < g.funcs.size() && !read.empty(); i++) {
        const Function &f = g.funcs[i].original;
        const auto reads = [&](const Expr &x) {
            const Call *c = as_load(x);
            return c && c->name != f.name() && read.count(c->name) > 0;
        };
        const std::vector<Expr> all = func_exprs(f);
        if (std::any_of(all.begin(), all.end(), [&](const Expr &e) { return any_part(e, reads); })) {
            out.push_back((int)i);
        }
    }
    return out;
}

}  // namespace

Verdict check(const Graph &g, const Target &target, const gowarp_reply &reply) {
    const Forked f = in_child([&] { lower_here(g, target, reply); });
    switch (f.kind) {
    case Forked::impossible:
        return {Verdict::unchecked, {}, {"no process could be forked (" + f.text + ")"}};
    case Forked::unfinished:
        return {Verdict::unchecked, {}, {"the process that lowers it was given up: " + f.text}};
    case Forked::crashed: {
        Verdict v{Verdict::refused, {}, {"the process that lowers it: " + f.text}};
        if (!f.said.empty()) {
            v.notes.push_back("it said: " + one_line(f.said));
        }
        return v;
    }
    case Forked::answered:
        break;
    }
    if (f.text.empty() || f.text[0] != launches_mark) {
        const std::string why = f.text.substr(std::min<size_t>(1, f.text.size()));
        Verdict v{Verdict::refused, {}, {"Halide does not lower it: " + one_line(why)}};
        v.unbounded = read_without_bounds(g, why);
        return v;
    }
    const Graph named = names_of_factored(g, reply.directives, reply.num_directives);
    return Comparison(named, reply, parse_lowered(f.text.substr(1))).verdict;
}

}  // namespace gowarp

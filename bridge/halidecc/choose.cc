//go:build halide

#include "choose.h"
#include "check.h"

using namespace Halide;

namespace gowarp {

namespace {

// Lowerings after the first. Then the pipeline without fusion is taken as it is: something
// legal always exists.
constexpr int most_runners_up = 2;

// The fault of a schedule as a whole: the answer to it fuses nothing.
constexpr int whole = -1;

}  // namespace

std::unique_ptr<Reply> choose(const Graph &g, const Target &target, const Ask &ask,
                              const std::function<void(const std::string &)> &say) {
    std::vector<gowarp_fault> faults;
    std::unique_ptr<Reply> winner = ask(faults), now;
    const auto runner_up = [&](int attempt, const std::vector<int> &funcs) {
        for (int f : funcs) {
            faults.push_back({attempt, f});
        }
        std::unique_ptr<Reply> next = ask(faults);
        if (next->none) {
            next.reset();
        }
        return next;
    };
    bool refused = false;  // by Halide, so that it fuses nothing any more
    for (int attempt = 0; (now ? now : winner)->check; attempt++) {
        const Reply &candidate = now ? *now : *winner;
        const Verdict v = check(g, target, candidate);
        for (const std::string &note : v.notes) {
            say(note);
        }
        if (v.kind == Verdict::agrees) {
            say(!v.notes.empty() ? "otherwise as expected" : "as expected: " + std::to_string(candidate.num_kernels) + (candidate.num_kernels == 1 ? " kernel" : " kernels"));
            break;
        }
        if (v.kind == Verdict::unchecked) {
            // The outcome must not depend on the machine's load or its limits.
            say("the schedule could not be checked and is taken as it is");
            break;
        }
        if (v.kind == Verdict::not_lowered && refused) {
            say("Halide does not lower it without fusion either; the first schedule is taken");
            now.reset();
            break;
        }
        const bool last = attempt == most_runners_up;
        refused = v.kind == Verdict::not_lowered;
        std::unique_ptr<Reply> next = runner_up(attempt, refused || last ? std::vector<int>{whole} : v.funcs);
        if (!next) {
            say("there is no other way to run it; it is taken as it is");
            break;
        }
        now = std::move(next);
        say(refused || last ? "runner-up: every Func that is not inlined in a kernel of its own" : "runner-up: every Func of such a kernel in a kernel of its own");
        if (last) {
            break;
        }
    }
    return now ? std::move(now) : std::move(winner);
}

}  // namespace gowarp

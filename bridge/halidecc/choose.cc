//go:build halide

#include "choose.h"
#include "check.h"

#include <algorithm>
#include <iterator>

using namespace Halide;

namespace gowarp {

namespace {

// So many schedules are answered by one without the kernels at fault, which have three other ways to be run. The next
// answer fuses nothing: something legal always exists.
constexpr int most_by_kernel = 4;

// The fault of a schedule as a whole: the answer to it fuses nothing, and the answer to one
// that fuses nothing inlines nothing.
constexpr int whole = -1;

// So many answers may each have kernels for which there is a remedy of their own.
constexpr int most_remedies = 8;

}  // namespace

std::unique_ptr<Reply> choose(const Graph &g, const Target &target, const Ask &ask,
                              const std::function<void(const std::string &)> &say, const std::function<void(const std::string &)> &warn) {
    std::unique_ptr<Reply> winner = ask({}), now;
    const auto runner_up = [&](const std::vector<int> &funcs, int32_t kind) {
        std::vector<gowarp_fault> faults;
        for (int f : funcs) {
            faults.push_back({f, kind});
        }
        std::unique_ptr<Reply> next = ask(faults);
        if (next->none) {
            next.reset();
        }
        return next;
    };
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
            warn("whether Halide makes of the schedule what is expected could not be checked, and it is taken as it is: " + v.notes.at(0) +
                 ". If it takes long to compile, too, autoscheduler.write_out=0 makes smaller kernels");
            break;
        }
        const struct {
            const std::vector<int> &funcs;
            int kind;
            const char *said;
        } remedies[] = {
            {v.unneeded, gowarp_unneeded, "runner-up: such a Func is inlined, or with its readers on the host"},
            {v.torn, gowarp_torn, "runner-up: a pass has Halide see an addition there, or the updates of such a Func run in order"},
            {v.unbounded, gowarp_unbounded, "runner-up: such a Func is not inlined"},
            {v.unproven, gowarp_unproven, "runner-up: the Funcs of such a kernel are given no extents, or it is run in another way"},
        };
        const auto remedy = attempt < most_remedies ? std::find_if(std::begin(remedies), std::end(remedies), [](const auto &r) { return !r.funcs.empty(); }) : std::end(remedies);
        const bool refused = v.kind == Verdict::refused, remedied = remedy != std::end(remedies);
        const bool all = !remedied && (refused || attempt >= most_by_kernel);
        std::unique_ptr<Reply> next = remedied ? runner_up(remedy->funcs, remedy->kind) : runner_up(all ? std::vector<int>{whole} : v.funcs, gowarp_kernel_differs);
        if (!next && refused) {
            say("without fusion and inlining it is no better; the first schedule is taken");
            now.reset();
            break;
        }
        if (!next) {
            say("there is no other way to run it; it is taken as it is");
            break;
        }
        now = std::move(next);
        say(remedied ? remedy->said :
            all      ? "runner-up: less is fused or inlined in the whole of it" :
                       "runner-up: such a kernel is run in another way");
    }
    return now ? std::move(now) : std::move(winner);
}

}  // namespace gowarp

// From a pipeline to the schedule that will be applied.
#ifndef GOWARP_CHOOSE_H
#define GOWARP_CHOOSE_H

#include "gowarp_abi.h"
#include "graph.h"

#include <functional>
#include <memory>

namespace gowarp {

struct Reply : gowarp_reply {
    Reply() : gowarp_reply{} {}
    ~Reply() { gowarp_reply_free(this); }
    Reply(const Reply &) = delete;
    Reply &operator=(const Reply &) = delete;
};

// Asks for a schedule, and then for one that lacks the faults of the last. Throws Halide::CompileError.
using Ask = std::function<std::unique_ptr<Reply>(const std::vector<gowarp_fault> &)>;

// The schedule to apply: the first one, if Halide makes of it what its author expects;
// else a runner-up. say gets what happened, a line at a time, and warn what its user has to know even without having asked.
std::unique_ptr<Reply> choose(const Graph &g, const Halide::Target &target, const Ask &ask,
                              const std::function<void(const std::string &)> &say, const std::function<void(const std::string &)> &warn);

}  // namespace gowarp

#endif

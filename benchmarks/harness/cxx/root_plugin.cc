// An autoscheduler that computes every Func at root in plain loops. Its results are
// what an algorithm means, without the exponential recomputation that Halide's
// default schedule has for chains of reductions.
#include "Halide.h"

namespace {

using namespace Halide;

void schedule(const Pipeline &pipeline, const Target &, const AutoschedulerParams &, AutoSchedulerResults *) {
    std::vector<Internal::Function> outputs;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    for (const auto &[name, function] : Internal::build_environment(outputs)) {
        Func(function).compute_root();
    }
}

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("Root", schedule);
    }
} registration;

}  // namespace

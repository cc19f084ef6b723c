// An autoscheduler that computes every Func at root, the outermost pure dimension of each
// stage in parallel: what an algorithm means, as Root, on all of a CPU's cores. Each value
// is computed by the same operations in the same order as Root's.
#include "Halide.h"

namespace {

using namespace Halide;

void schedule(const Pipeline &pipeline, const Target &, const AutoschedulerParams &, AutoSchedulerResults *) {
    std::vector<Internal::Function> outputs;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    for (const auto &[name, function] : Internal::build_environment(outputs)) {
        Func f(function);
        f.compute_root();
        if (function.has_extern_definition()) {
            continue;
        }
        if (!f.args().empty()) {
            f.parallel(f.args().back());
        }
        for (int u = 0; u < f.num_update_definitions(); u++) {
            // Only dimensions that the update leaves alone are parallel.
            const std::vector<Internal::Dim> &dims = function.update(u).schedule().dims();
            for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
                if (!d->is_rvar() && d->var != Var::outermost().name()) {
                    f.update(u).parallel(Var(d->var));
                    break;
                }
            }
        }
    }
}

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("RootParallel", schedule);
    }
} registration;

}  // namespace

// An autoscheduler that decides nothing: every Func is computed at root, each of its
// stages in a kernel of its own, a thread for each point of the stage's pure dimensions,
// 16x16 threads a block, reductions in the thread. It is what a schedule has to beat.
#include "Halide.h"

#include <iostream>

namespace {

using namespace Halide;

constexpr int block = 16;

// Splits the first two of the dimensions into blocks and threads. A stage without any runs
// in one thread.
template<typename S>
void launch(S stage, const std::vector<Var> &dims, const std::vector<VarOrRVar> &serial, TailStrategy tail) {
    if (dims.empty()) {
        stage.gpu_single_thread();
        return;
    }
    std::vector<VarOrRVar> threads, blocks, order(serial);
    for (size_t d = 0; d < dims.size(); d++) {
        if (d >= 2) {
            blocks.emplace_back(dims[d]);
            continue;
        }
        Var outer, inner;
        stage.split(dims[d], outer, inner, block, tail);
        threads.emplace_back(inner);
        blocks.emplace_back(outer);
    }
    order.insert(order.end(), threads.begin(), threads.end());
    order.insert(order.end(), blocks.begin(), blocks.end());
    stage.reorder(order);
    for (const VarOrRVar &v : threads) {
        stage.gpu_threads(v);
    }
    // A grid has three dimensions; what is more stays a loop on the host around the kernel.
    for (size_t d = 0; d < blocks.size() && d < 3; d++) {
        stage.gpu_blocks(blocks[d]);
    }
}

void schedule(const Pipeline &pipeline, const Target &target, const AutoschedulerParams &, AutoSchedulerResults *) {
    if (!target.has_gpu_feature()) {
        throw CompileError("RootGPU: the target " + target.to_string() + " has no GPU");
    }
    std::vector<Internal::Function> outputs;
    for (const Func &f : pipeline.outputs()) {
        outputs.push_back(f.function());
    }
    const auto environment = Internal::build_environment(outputs);
    // Who wants to know how large a pipeline is reads this.
    std::cout << "RootGPU: " << environment.size() << " Funcs\n";
    for (const auto &[name, function] : environment) {
        Func f(function);
        f.compute_root();
        if (function.has_extern_definition()) {
            continue;
        }
        launch<Func &>(f, f.args(), {}, TailStrategy::GuardWithIf);
        for (int u = 0; u < f.num_update_definitions(); u++) {
            // Only dimensions that the update leaves alone are parallel.
            const Internal::Definition &update = function.update(u);
            std::vector<Var> pure;
            std::vector<VarOrRVar> serial;
            for (const Internal::Dim &d : update.schedule().dims()) {
                if (d.var == Var::outermost().name()) {
                    continue;
                }
                if (d.is_rvar()) {
                    serial.emplace_back(RVar(d.var));
                } else {
                    pure.emplace_back(d.var);
                }
            }
            launch<Stage>(f.update(u), pure, serial, TailStrategy::GuardWithIf);
        }
    }
}

struct Registration {
    Registration() {
        Pipeline::add_autoscheduler("RootGPU", schedule);
    }
} registration;

}  // namespace

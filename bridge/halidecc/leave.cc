//go:build halide

#include "leave.h"
#include "export.h"

#include <iostream>

// In the preload library, if that is in the process.
extern "C" __attribute__((weak)) int gowarp_leave_alone(void (*unmute)());

using namespace Halide;

namespace gowarp {

namespace {

// Halide prints what ends a generator, by cerr, and this end is none.
void mute() {
    std::cerr.setstate(std::ios::failbit);
}

void unmute() {
    std::cerr.clear();
}

}  // namespace

void leave_scheduled_alone(const Graph &g) {
    if (!gowarp_leave_alone) {
        return;
    }
    for (const FuncEntry &f : g.funcs) {
        const std::vector<std::string> own = scheduled_directives(f.original);
        if (!own.empty() && gowarp_leave_alone(unmute)) {
            mute();
            throw CompileError("gowarp: " + f.original.name() + " is scheduled already: " + own[0]);
        }
    }
}

}  // namespace gowarp

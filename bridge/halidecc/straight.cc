//go:build halide

#include "straight.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

bool same(const StraightLine::Guards &a, const StraightLine::Guards &b) {
    bool yes = a.size() == b.size();
    for (size_t i = 0; yes && i < a.size(); i++) {
        yes = a[i].same_as(b[i]) || equal(a[i], b[i]);
    }
    return yes;
}

// The argument of Halide's barrier that asks for shared memory to be seen: bit 1 of its fences.
constexpr int shared_fence = 2;

}  // namespace

void StraightLine::end_run() {
    if (!runs_.back().body.empty()) {
        runs_.emplace_back();
    }
}

void StraightLine::let(const std::string &name, const Expr &value) {
    runs_.back().lets.emplace_back(name, value);
}

void StraightLine::add(const Guards &guards, const Stmt &s) {
    if (!runs_.back().body.empty() && !same(runs_.back().guards, guards)) {
        runs_.emplace_back();
    }
    runs_.back().guards = guards;
    runs_.back().body.push_back(s);
}

void StraightLine::barrier() {
    // Definitions before a barrier stay before it: nothing that they read may change first.
    if (!runs_.back().lets.empty() || !runs_.back().body.empty()) {
        runs_.emplace_back();
    }
    runs_.back().body.push_back(Evaluate::make(Call::make(Int(32), Call::gpu_thread_barrier, {IntImm::make(Int(32), shared_fence)}, Call::Intrinsic)));
    runs_.emplace_back();
    barriers_++;
}

Stmt StraightLine::build() {
    Stmt all;
    for (auto r = runs_.rbegin(); r != runs_.rend(); r++) {
        if (!r->body.empty()) {
            Stmt s = Block::make(r->body);
            for (auto g = r->guards.rbegin(); g != r->guards.rend(); g++) {
                s = IfThenElse::make(*g, s, Stmt());
            }
            all = all.defined() ? Block::make(s, all) : s;
        }
        for (auto l = r->lets.rbegin(); all.defined() && l != r->lets.rend(); l++) {
            all = LetStmt::make(l->first, l->second, all);
        }
    }
    return all.defined() ? all : Evaluate::make(0);
}

}  // namespace gowarp

//go:build halide

#include "order.h"

#include <algorithm>

namespace gowarp {

bool Order::wait_to_read() {
    bool wait = false;
    for (const Access &a : reads_) {
        const Place &p = places_.at(a.name);
        const auto owner = owners_.find(p.begin(a.slot));
        if (owner == owners_.end() || owner->second != std::make_pair(a.name, a.slot)) {
            throw Unsuitable{a.name + " is read where another has its place"};
        }
        wait = wait || (!a.own && overlaps(written_, p, a.slot));
    }
    if (wait) {
        barrier();
    }
    for (const Access &a : reads_) {
        mark(read_, a);
    }
    reads_.clear();
    return wait;
}

bool Order::wait_to_write() {
    bool wait = false;
    for (const Access &a : writes_) {
        const Place &p = places_.at(a.name);
        wait = wait || overlaps(read_, p, a.slot) || (overlaps(written_, p, a.slot) && (!owners_.count(p.begin(a.slot)) || owners_[p.begin(a.slot)] != std::make_pair(a.name, a.slot)));
    }
    if (wait) {
        barrier();
    }
    for (const Access &a : writes_) {
        const Place &p = places_.at(a.name);
        const auto mine = std::make_pair(a.name, a.slot);
        for (auto o = owners_.begin(); o != owners_.end();) {
            const Place &q = places_.at(o->second.first);
            const bool gone = o->second != mine && q.begin(o->second.second) < p.end(a.slot) && p.begin(a.slot) < q.end(o->second.second);
            o = gone ? owners_.erase(o) : std::next(o);
        }
        owners_[p.begin(a.slot)] = mine;
        mark(written_, a);
    }
    writes_.clear();
    return wait;
}

void Order::barrier() {
    written_.clear();
    read_.clear();
}

bool Order::overlaps(const Bytes &all, const Place &p, int slot) {
    return std::any_of(all.begin(), all.end(), [&](const std::pair<int, int> &b) { return b.first < p.end(slot) && p.begin(slot) < b.second; });
}

void Order::mark(Bytes &all, const Access &a) {
    const Place &p = places_.at(a.name);
    const std::pair<int, int> b{p.begin(a.slot), p.end(a.slot)};
    if (std::find(all.begin(), all.end(), b) == all.end()) {
        all.push_back(b);
    }
}

}  // namespace gowarp

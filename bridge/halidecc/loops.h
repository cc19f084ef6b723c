// The loops of one stage while directives change them.
#ifndef GOWARP_LOOPS_H
#define GOWARP_LOOPS_H

#include "export.h"

#include <cctype>
#include <set>

namespace gowarp {

// A loop as directives name it, and as Halide does.
struct Loop {
    std::string label, name;
    bool rvar;
    Halide::VarOrRVar var() const { return Halide::VarOrRVar(name, rvar); }
};

// The loops of one stage while directives are checked one after another.
class Loops {
public:
    Loops() = default;
    Loops(const Halide::Internal::Function &f, const Halide::Internal::Definition &def) {
        const auto plain = untouched_loops(f, def);
        for (size_t k = 0; k < plain.size(); k++) {
            const Loop l{"@" + std::to_string(k), plain[k].name, plain[k].rvar};
            original_.push_back(l);
            live_.push_back(l);
            taken_.insert(l.name);
        }
    }

    const Loop *find(const std::string &label) const { return find_in(live_, label); }
    const Loop *original(const std::string &label) const { return find_in(original_, label); }

    void remove(const std::string &label) {
        for (size_t i = 0; i < live_.size(); i++) {
            if (live_[i].label == label) {
                live_.erase(live_.begin() + i);
                return;
            }
        }
    }

    // A new loop. Halide matches the last part of a name, so the name must hold
    // no dot and be unlike every other of the stage; the label stays as it is.
    Loop add(const std::string &label, bool rvar) {
        std::string name;
        if (const Loop *o = original(label)) {
            name = o->name;  // a split that keeps the old name for one of its parts
        } else {
            for (char c : label) {
                name += isalnum((unsigned char)c) ? c : '_';
            }
            if (name.empty() || isdigit((unsigned char)name[0]) || name[0] == '_') {
                name = "v" + name;
            }
            while (!taken_.insert(name).second) {
                name += "_";
            }
        }
        live_.push_back({label, name, rvar});
        return live_.back();
    }

    std::string list() const {
        std::string s;
        for (const Loop &l : live_) {
            s += (s.empty() ? "" : ", ") + (l.label[0] == '@' ? l.name : l.label);
        }
        return s.empty() ? "none" : s;
    }

private:
    static const Loop *find_in(const std::vector<Loop> &v, const std::string &label) {
        for (const Loop &l : v) {
            if (l.label == label) {
                return &l;
            }
        }
        return nullptr;
    }
    std::vector<Loop> original_, live_;
    std::set<std::string> taken_;
};

}  // namespace gowarp

#endif

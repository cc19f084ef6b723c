//go:build halide

#include "straight.h"
#include "place.h"

#include <map>
#include <set>
#include <sstream>

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

// From here on no block has an index: each is of 32 points and more, of buffers of less than 2^31 elements. LLVM and ptxas know no such bound.
constexpr int no_block = 1 << 30;

}  // namespace

void StraightLine::end_run() {
    if (!runs_.back().body.empty()) {
        runs_.emplace_back();
    }
}

void StraightLine::end_part() {
    end_run();
    runs_.back().part = true;
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
    runs_.back().body.push_back(shared_barrier());
    runs_.emplace_back();
    barriers_++;
}

namespace {

class Variables : public IRGraphVisitor {
public:
    std::set<std::string> seen;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override { seen.insert(op->name); }
};

}  // namespace

Expr conjunction(const std::vector<Expr> &conditions) {
    Expr all;
    for (const Expr &c : conditions) {
        all = all.defined() ? all && c : c;
    }
    return all;
}

// Halide looks through all that follows a definition for uses of it, so that thousands around each other take it minutes. Those that one
// run alone uses stand around it; the others are registers that are set once.
Stmt StraightLine::build(const std::string &block) const {
    std::map<std::string, size_t> last;  // the last run that uses a definition
    for (size_t n = 0; n < runs_.size(); n++) {
        Variables v;
        for (const auto &l : runs_[n].lets) {
            l.second.accept(&v);
        }
        for (const Expr &g : runs_[n].guards) {
            g.accept(&v);
        }
        for (const Stmt &s : runs_[n].body) {
            s.accept(&v);
        }
        for (const std::string &name : v.seen) {
            last[name] = n;
        }
    }
    struct Registers {
        std::string name;
        Type type;
        int count = 0;
    };
    std::map<std::string, Registers> kept;
    const std::string base = unique_name("gowarp.kept");
    std::map<std::string, Expr> kept_as;  // what stands for definitions that are registers
    std::vector<Stmt> all;
    std::vector<std::vector<Stmt>> parts;
    for (size_t n = 0; n < runs_.size(); n++) {
        const Run &r = runs_[n];
        if (r.part && !block.empty() && !all.empty()) {
            parts.push_back(std::move(all));
            all.clear();
        }
        // What a register is computed from is in one too.
        Variables of_registers;
        for (auto l = r.lets.rbegin(); l != r.lets.rend(); l++) {
            const auto used = last.find(l->first);
            if (used != last.end() && (used->second > n || of_registers.seen.count(l->first))) {
                of_registers.seen.insert(l->first);
                l->second.accept(&of_registers);
            }
        }
        std::vector<std::pair<std::string, Expr>> around;
        for (const auto &l : r.lets) {
            const auto used = last.find(l.first);
            if (used == last.end()) {
                continue;
            }
            const Expr value = substitute(kept_as, l.second);
            if (!of_registers.seen.count(l.first)) {
                around.emplace_back(l.first, value);
                continue;
            }
            // Conditions are kept as bytes.
            const Type type = value.type().is_bool() ? UInt(8) : value.type();
            std::ostringstream key;
            key << type;
            Registers &k = kept[key.str()];
            if (k.count == 0) {
                k.name = base + "." + std::to_string(kept.size());
                k.type = type;
            }
            const Expr index = k.count++;
            all.push_back(Store::make(k.name, cast(type, value), index, Parameter(), const_true(), ModulusRemainder()));
            kept_as[l.first] = cast(value.type(), Load::make(type, k.name, index, Buffer<>(), Parameter(), const_true(), ModulusRemainder()));
        }
        if (r.body.empty()) {
            continue;
        }
        Stmt s = substitute(kept_as, Block::make(r.body));
        if (!r.guards.empty()) {
            s = IfThenElse::make(substitute(kept_as, conjunction(r.guards)), s, Stmt());
        }
        for (auto l = around.rbegin(); l != around.rend(); l++) {
            s = LetStmt::make(l->first, l->second, s);
        }
        all.push_back(s);
    }
    if (all.empty() && !parts.empty()) {
        all = std::move(parts.back());
        parts.pop_back();
    }
    Stmt out = all.empty() ? Evaluate::make(0) : Block::make(all);
    for (; !parts.empty(); parts.pop_back()) {
        const Expr apart = Variable::make(Int(32), block) != IntImm::make(Int(32), no_block + (int)parts.size());
        parts.back().push_back(IfThenElse::make(apart, out, Stmt()));
        out = Block::make(parts.back());
    }
    for (const auto &k : kept) {
        out = Allocate::make(k.second.name, k.second.type, MemoryType::Register, {Expr(k.second.count)}, const_true(), out);
    }
    return out;
}

}  // namespace gowarp

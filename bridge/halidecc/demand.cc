//go:build halide

#include "demand.h"
#include "shuffle.h"

#include <algorithm>
#include <map>
#include <set>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// An element of a buffer, or any.
using Element = std::pair<std::string, int>;
constexpr int any_element = -1;

bool overlap(int a, int b) { return a == b || a == any_element || b == any_element; }

// What a statement or definition takes and gives.
class Uses : public IRGraphVisitor {
public:
    std::set<std::string> variables;
    std::set<Element> reads, writes;
    std::vector<Expr> loads;
    int exchanges = 0;  // with other lanes
    bool barrier = false;

    bool only_reads(const Held &held) const { return all_held(reads, held); }
    bool only_writes(const Held &held) const { return all_held(writes, held); }

private:
    using IRGraphVisitor::visit;

    static bool all_held(const std::set<Element> &elements, const Held &held) {
        return std::all_of(elements.begin(), elements.end(), [&](const Element &e) { return held.count(e.first) > 0; });
    }
    static int element(const Expr &index) {
        const auto n = as_const_int(index);
        return n ? (int)*n : any_element;
    }
    void visit(const Variable *op) override { variables.insert(op->name); }
    void visit(const Load *op) override {
        reads.emplace(op->name, element(op->index));
        loads.emplace_back(op);
        IRGraphVisitor::visit(op);
    }
    void visit(const Store *op) override {
        writes.emplace(op->name, element(op->index));
        IRGraphVisitor::visit(op);
    }
    void visit(const Call *op) override {
        barrier = barrier || op->is_intrinsic(Call::gpu_thread_barrier);
        exchanges += bool(as_shuffle(op));
        IRGraphVisitor::visit(op);
    }
};

// A definition or a statement, and those before it that have to stay before it.
struct Item {
    std::string name;  // of a definition
    Expr value;
    StraightLine::Guards guards;
    Stmt body;
    Uses uses;
    std::vector<size_t> needs;
    bool done = false;
};

// What a part of the line does that ptxas may take out of its order, and what keeps to it.
struct Part {
    int loads = 0;      // of memory, of places that no part before has loaded
    int exchanges = 0;  // with other lanes

    // Whether ptxas would load for the parts behind it before it has used what this one loads, and spill what it has computed: exchanges stay in their order, and hold up what they are computed from.
    bool runs_ahead() const {
        constexpr int many_loads = 16;
        return loads >= many_loads && 2 * exchanges < loads;
    }
};

// Whether a statement does nothing but set a register to what is computed from registers.
bool harmless(const Stmt &s, const Uses &u, const Held &held) {
    Stmt inner = s;
    while (const LetStmt *l = inner.as<LetStmt>()) {
        inner = l->body;
    }
    const Store *store = inner.as<Store>();
    return store && is_const_one(store->predicate) && held.count(store->name) && u.only_reads(held);
}

std::vector<Item> items_of(const StraightLine &line, const Held &held, bool drop_guards) {
    std::vector<Item> items;
    for (const StraightLine::Run &r : line.runs()) {
        for (const auto &l : r.lets) {
            Item i;
            i.name = l.first;
            i.value = l.second;
            l.second.accept(&i.uses);
            items.push_back(std::move(i));
        }
        for (const Stmt &s : r.body) {
            Item i;
            i.body = s;
            s.accept(&i.uses);
            if (i.uses.barrier) {
                throw Unsuitable{"lanes wait for each other in it"};
            }
            if (!drop_guards || !harmless(s, i.uses, held)) {
                i.guards = r.guards;
                for (const Expr &g : r.guards) {
                    g.accept(&i.uses);
                }
            }
            items.push_back(std::move(i));
        }
    }
    return items;
}

// Notes for each item those that it needs: who defines its variables, who wrote what it reads, and who reads or wrote before it what it writes. Stores
// to memory have each an element of their own: two of them need each other only where one is read, which is noted as any.
void note_needs(std::vector<Item> &items, const Held &held) {
    struct Accesses {
        std::map<int, std::vector<size_t>> readers;
        std::map<int, size_t> writer;
    };
    std::map<std::string, size_t> definitions;
    std::map<std::string, Accesses> accesses;
    for (size_t n = 0; n < items.size(); n++) {
        Item &i = items[n];
        for (const std::string &v : i.uses.variables) {
            const auto d = definitions.find(v);
            if (d != definitions.end()) {
                i.needs.push_back(d->second);
            }
        }
        if (!i.name.empty()) {
            definitions[i.name] = n;
        }
        const auto after_writers = [&](const Element &e) {
            for (const auto &[element, writer] : accesses[e.first].writer) {
                if (overlap(element, e.second)) {
                    i.needs.push_back(writer);
                }
            }
        };
        for (const Element &e : i.uses.reads) {
            after_writers(e);
        }
        for (const Element &e : i.uses.writes) {
            if (held.count(e.first) || i.uses.reads.count(e)) {
                after_writers(e);
            }
            for (const auto &[element, readers] : accesses[e.first].readers) {
                if (overlap(element, e.second)) {
                    i.needs.insert(i.needs.end(), readers.begin(), readers.end());
                }
            }
        }
        for (const Element &e : i.uses.reads) {
            accesses[e.first].readers[e.second].push_back(n);
        }
        for (const Element &e : i.uses.writes) {
            accesses[e.first].writer[e.second] = n;
        }
    }
}

// What some items need that is not done yet, and themselves, in the order of the line.
std::set<size_t> demanded(const std::vector<Item> &items, const std::vector<size_t> &some) {
    std::set<size_t> all(some.begin(), some.end());
    std::vector<size_t> open = some;
    while (!open.empty()) {
        const size_t m = open.back();
        open.pop_back();
        for (size_t k : items[m].needs) {
            if (!items[k].done && all.insert(k).second) {
                open.push_back(k);
            }
        }
    }
    return all;
}

}  // namespace

StraightLine in_demand_order(const StraightLine &line, const Held &held, int row, bool drop_guards) {
    std::vector<Item> items = items_of(line, held, drop_guards);
    note_needs(items, held);
    StraightLine sorted;
    std::set<Expr, IRDeepCompare> loaded;
    Part part;
    const auto emit = [&](Item &i) {
        i.done = true;
        part.exchanges += i.uses.exchanges;
        for (const Expr &l : i.uses.loads) {
            part.loads += !held.count(l.as<Load>()->name) && loaded.insert(l).second;
        }
        if (i.name.empty()) {
            sorted.add(i.guards, i.body);
            return;
        }
        if (!sorted.runs().back().body.empty()) {
            sorted.end_run();
        }
        sorted.let(i.name, i.value);
    };
    // A row's stores come behind all that they need, so that those under one condition stand together, unless one needs another.
    const auto demand = [&](const std::vector<size_t> &some) {
        const std::set<size_t> wanted(some.begin(), some.end());
        const std::set<size_t> all = demanded(items, some);
        const bool apart = std::any_of(all.begin(), all.end(), [&](size_t m) {
            return std::any_of(items[m].needs.begin(), items[m].needs.end(), [&](size_t k) { return m != k && wanted.count(k); });
        });
        for (size_t m : all) {
            if (apart || !wanted.count(m)) {
                emit(items[m]);
            }
        }
        for (size_t m : some) {
            if (!items[m].done) {
                emit(items[m]);
            }
        }
    };
    std::vector<size_t> stores;
    for (size_t n = 0; n < items.size(); n++) {
        if (!items[n].done && !items[n].uses.only_writes(held)) {
            stores.push_back(n);
        }
        if ((int)stores.size() == std::max(row, 1)) {
            demand(stores);
            stores.clear();
            if (part.runs_ahead()) {
                sorted.end_part();
                part = {};
            }
        }
    }
    demand(stores);
    for (size_t n = 0; n < items.size(); n++) {  // what nobody needs, or what does something else
        if (!items[n].done) {
            demand({n});
        }
    }
    return sorted;
}

}  // namespace gowarp

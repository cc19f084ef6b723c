//go:build halide

#include "launches.h"
#include "gpuloop.h"
#include "extents.h"
#include "export.h"
#include "sharedorglobal.h"
#include "sizes.h"
#include "wholecells.h"

#include <algorithm>
#include <set>
#include <sstream>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The position that a loop has in the grid or the block: Halide ends the names of those
// loops so, with a counter behind where the user took the name first.
int dimension(const std::string &loop, const std::string &kind) {
    const char c = gpu_axis(loop, kind);
    return c >= 'x' && c <= 'z' ? c - 'x' : -1;
}

// Whether a condition asks where buffers lie in memory: it chooses between two forms of one kernel.
bool asks_where(const Expr &condition) {
    class Pointers : public IRVisitor {
        using IRVisitor::visit;
        void visit(const Call *op) override {
            found = found || op->name == Call::buffer_get_device;
            IRVisitor::visit(op);
        }

    public:
        bool found = false;
    } pointers;
    condition.accept(&pointers);
    return pointers.found;
}

// Whether a condition asks that extents are multiples.
bool tells_multiples(const Expr &condition) {
    class Remainders : public IRVisitor {
        using IRVisitor::visit;
        void visit(const Mod *op) override {
            const Variable *v = op->a.as<Variable>();
            found = found || (v && v->name.find(".extent.") != std::string::npos);
        }

    public:
        bool found = false;
    } remainders;
    condition.accept(&remainders);
    return remainders.found;
}

class Reader : public IRVisitor {
public:
    explicit Reader(const Graph &g) : g_(g), values_(known_sizes(g)) {}

    std::vector<Launch> found;
    std::vector<Need> needs;
    std::set<std::string> names;  // of buffers that kernels load, and of variables

private:
    using IRVisitor::visit;

    Expr evaluate(const Expr &e) const {
        return simplify(substitute(values_, e));
    }

    // A size; less than nothing is nothing.
    int64_t number(const Expr &e) const {
        const auto n = as_const_int(evaluate(e));
        return n ? std::max<int64_t>(*n, 0) : unknown;
    }

    // Lowered code uses every name once, so that nothing is forgotten at the end of a let;
    // what is known of the arguments wins over their definitions.
    void visit(const LetStmt *op) override {
        if (!values_.count(op->name)) {
            define(values_, op->name, evaluate(op->value));
        }
        op->body.accept(this);
    }

    void visit(const IfThenElse *op) override {
        const Expr c = evaluate(op->condition);
        if (!is_const_zero(c)) {
            op->then_case.accept(this);
        }
        if (op->else_case.defined() && (is_const_zero(c) || !(is_const_one(c) || asks_where(c) || chooses_memory(op) || chooses_cells(op)))) {
            const bool before = general_;
            general_ = general_ || (!in_kernel_ && is_const_zero(c) && tells_multiples(op->condition) && !asks_where(op->condition));
            op->else_case.accept(this);
            general_ = before;
        }
    }

    void visit(const For *op) override {
        const bool outermost = !in_kernel_ && is_gpu(op->for_type);
        if (outermost) {
            in_kernel_ = true;
            found.emplace_back();
            found.back().times = times_;
            found.back().global_scratch = scratch_;
            found.back().general = general_;
            name(op->name);
        }
        const int64_t n = number(op->extent);
        if (is_gpu(op->for_type)) {
            const int block = dimension(op->name, "block_id_"), thread = dimension(op->name, "thread_id_");
            if (block >= 0) {
                found.back().blocks[block] = n;
            } else if (thread >= 0) {
                found.back().threads[thread] = n;
            }
        }
        const int64_t times = times_;
        if (!in_kernel_) {
            times_ = n == unknown || times_ == unknown ? unknown : n * times_;
        }
        op->body.accept(this);
        times_ = times;
        in_kernel_ = in_kernel_ && !outermost;
    }

    // Of registers of lanes that nothing reads any more Halide 21 removes the allocation and leaves the end of it, on which
    // its code generator stops.
    void visit(const Free *op) override {
        if (in_kernel_ && !held_.count(op->name)) {
            found.back().unheld = true;
        }
    }

    void visit(const Allocate *op) override {
        held_.insert(op->name);
        const bool scratch = scratch_;
        if (in_kernel_ && op->memory_type == MemoryType::GPUShared) {
            int64_t bytes = op->type.bytes();
            for (const Expr &e : op->extents) {
                const int64_t n = number(e);
                bytes = n == unknown || bytes == unknown ? unknown : bytes * n;
            }
            int64_t &sum = found.back().shared_bytes;
            sum = sum == unknown || bytes == unknown ? unknown : sum + bytes;
        } else if (!in_kernel_ && op->new_expr.defined() && ends_with(op->name, ".buffer")) {
            scratch_ = true;  // what the blocks of the kernel inside share out among them
        }
        op->body.accept(this);
        scratch_ = scratch;
    }

    void visit(const AssertStmt *op) override {
        const std::string func = in_kernel_ ? given_extent(op) : "";
        const int of = func.empty() ? -1 : g_.func_id(func);
        if (of >= 0) {
            found.back().unproven.push_back(of);
        } else if (in_kernel_) {
            found.back().trap = true;
        } else {
            need(op->message);
        }
    }

    void visit(const Atomic *op) override {
        const bool atomic = atomic_;
        atomic_ = in_kernel_;
        op->body.accept(this);
        atomic_ = atomic;
    }

    // Halide's code generators make an atomic addition where the place cancels out of value
    // minus place, and else a loop of compare-and-swap that loads the value without protection.
    // The place may be simplified another way where it is loaded than where it is stored.
    void visit(const Store *op) override {
        if (atomic_ && expr_uses_var(op->value, op->name)) {
            const Expr old = Load::make(op->value.type(), op->name, op->index, Buffer<>(), op->param, op->predicate, op->alignment);
            if (expr_uses_var(simplify(common_subexpression_elimination(op->value - old)), op->name)) {
                found.back().torn = true;
            }
        }
        IRVisitor::visit(op);
    }

    void visit(const Load *op) override {
        if (in_kernel_) {
            names.insert(op->name);
        }
        IRVisitor::visit(op);
    }

    // Of a Func that it leaves away Halide 21 may leave sizes that others ask for.
    void visit(const Variable *op) override { names.insert(op->name); }

    // What is asked of an input is said by the error that it would be not to have it:
    // whose buffer, the dimension, the least and the largest index that is touched.
    void need(const Expr &message) {
        if (const Let *let = message.as<Let>()) {
            define(values_, let->name, evaluate(let->value));
            need(let->body);
            return;
        }
        const Call *error = message.as<Call>();
        if (!error || error->name != "halide_error_access_out_of_bounds" || error->args.size() < 4) {
            return;
        }
        const StringImm *buffer = error->args[0].as<StringImm>();
        const auto dim = as_const_int(error->args[1]), min = as_const_int(evaluate(error->args[2])), max = as_const_int(evaluate(error->args[3]));
        if (!buffer || !dim || !min || !max) {
            return;
        }
        for (size_t i = 0; i < g_.inputs.size(); i++) {
            if (buffer->value == "Input buffer " + g_.inputs[i].name()) {
                needs.push_back({(int)i, (int)*dim, *min, *max});
            }
        }
    }

    // The Func and the stage in "f$2.s1.y.y_o.block_id_y".
    void name(const std::string &loop) {
        Launch &k = found.back();
        for (size_t at = loop.find(".s"); at != std::string::npos; at = loop.find(".s", at + 1)) {
            const size_t end = loop.find_first_not_of("0123456789", at + 2);
            const int id = g_.func_id(loop.substr(0, at));
            if (id >= 0 && end > at + 2 && end != std::string::npos && loop[end] == '.') {
                k.func = id;
                k.stage = atoi(loop.c_str() + at + 2);
                return;
            }
        }
    }

    const Graph &g_;
    Values values_;
    std::set<std::string> held_;
    bool in_kernel_ = false, atomic_ = false, scratch_ = false, general_ = false;
    int64_t times_ = 1;
};

}  // namespace

Lowered read_lowered(const Stmt &s, const Graph &g) {
    Reader r(g);
    s.accept(&r);
    Lowered all{r.found, r.needs, {}};
    for (size_t f = 0; f < g.funcs.size(); f++) {
        // Shared memory has the names of all Funcs in it, a Tuple that of each value.
        const std::string &name = g.funcs[f].original.name();
        if (std::any_of(r.names.begin(), r.names.end(), [&](const std::string &n) { return n.find(name) != std::string::npos; })) {
            all.named.insert((int)f);
        }
    }
    return all;
}

std::string print_lowered(const Lowered &all) {
    std::ostringstream s;
    s << all.named.size();
    for (int f : all.named) {
        s << " " << f;
    }
    s << "\n" << all.needs.size() << "\n";
    for (const Need &n : all.needs) {
        s << n.input << " " << n.dim << " " << n.min << " " << n.max << "\n";
    }
    for (const Launch &k : all.launches) {
        s << k.func << " " << k.stage;
        for (const auto &v : {k.blocks, k.threads}) {
            s << " " << v[0] << " " << v[1] << " " << v[2];
        }
        s << " " << k.shared_bytes << " " << k.times << " " << k.trap << " " << k.torn << " " << k.global_scratch << " " << k.unheld << " " << k.general << " " << k.unproven.size();
        for (int f : k.unproven) {
            s << " " << f;
        }
        s << "\n";
    }
    return s.str();
}

Lowered parse_lowered(const std::string &text) {
    std::istringstream s(text);
    Lowered all;
    size_t named = 0, needs = 0;
    s >> named;
    for (int f; named > 0 && s >> f; named--) {
        all.named.insert(f);
    }
    s >> needs;
    for (Need n; needs > 0 && s >> n.input >> n.dim >> n.min >> n.max; needs--) {
        all.needs.push_back(n);
    }
    Launch k;
    size_t unproven = 0;
    while (s >> k.func >> k.stage >> k.blocks[0] >> k.blocks[1] >> k.blocks[2] >> k.threads[0] >> k.threads[1] >> k.threads[2] >>
           k.shared_bytes >> k.times >> k.trap >> k.torn >> k.global_scratch >> k.unheld >> k.general >> unproven) {
        k.unproven.resize(unproven);
        for (int &f : k.unproven) {
            s >> f;
        }
        all.launches.push_back(k);
    }
    return all;
}

}  // namespace gowarp

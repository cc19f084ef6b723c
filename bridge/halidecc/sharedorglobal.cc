//go:build halide

#include "sharedorglobal.h"
#include "kernelof.h"

#include <algorithm>
#include <vector>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

struct Shared {
    std::string name;
    std::string global;  // its name in global memory: Halide's code for OpenCL takes a name for the kind of memory that it was first
    Type type;
    Expr elements;  // how many, of what is defined around the kernel
    Expr size;      // the variable that is defined to be that
};

// What a kernel is, seen from the host.
class Kernel : public IRVisitor {
public:
    std::vector<Shared> shared;
    Expr block = 0, blocks = make_one(Int(64));  // which it is, and how many there are

    // Whether the host can work out how much of it there is.
    bool known() const {
        return std::none_of(shared.begin(), shared.end(), [&](const Shared &s) { return expr_uses_vars(s.elements, inside_); });
    }

private:
    using IRVisitor::visit;

    Scope<> inside_;
    std::vector<std::pair<std::string, Expr>> lets_;

    void visit(const LetStmt *op) override {
        lets_.emplace_back(op->name, op->value);
        op->body.accept(this);
        lets_.pop_back();
    }

    void visit(const For *op) override {
        inside_.push(op->name);
        if (op->for_type == ForType::GPUBlock) {
            block = block * op->extent + (Variable::make(Int(32), op->name) - op->min);
            blocks = blocks * cast<int64_t>(op->extent);
        }
        op->body.accept(this);
    }

    void visit(const Allocate *op) override {
        if (op->memory_type == MemoryType::GPUShared) {
            Expr size = 1;
            for (const Expr &e : op->extents) {
                size = size * e;
            }
            for (auto l = lets_.rbegin(); l != lets_.rend(); l++) {
                size = substitute(l->first, l->second, size);
            }
            shared.push_back({op->name, op->name + ".global", op->type, simplify(size), Variable::make(Int(32), unique_name('t'))});
        }
        op->body.accept(this);
    }
};

// The kernel with what was shared memory in global memory, block after block.
class InGlobal : public IRMutator {
public:
    explicit InGlobal(const Kernel &k)
        : k_(k) {}

private:
    using IRMutator::visit;
    const Kernel &k_;

    const Shared *find(const std::string &name) const {
        const auto s = std::find_if(k_.shared.begin(), k_.shared.end(), [&](const Shared &s) { return s.name == name; });
        return s == k_.shared.end() ? nullptr : &*s;
    }

    Expr at(const Shared &s, const Expr &index) const {
        const Expr first = k_.block * s.size;
        return index + (index.type().is_vector() ? Broadcast::make(first, index.type().lanes()) : first);
    }

    Stmt visit(const Allocate *op) override { return find(op->name) ? mutate(op->body) : IRMutator::visit(op); }

    Stmt visit(const Free *op) override { return find(op->name) ? Evaluate::make(0) : Stmt(op); }

    Stmt visit(const Store *op) override {
        const Stmt moved = IRMutator::visit(op);
        const Shared *s = find(op->name);
        const Store *to = moved.as<Store>();
        return s ? Store::make(s->global, to->value, at(*s, to->index), to->param, to->predicate, {}) : moved;
    }

    Expr visit(const Load *op) override {
        const Expr moved = IRMutator::visit(op);
        const Shared *s = find(op->name);
        const Load *from = moved.as<Load>();
        return s ? Load::make(from->type, s->global, at(*s, from->index), from->image, from->param, from->predicate, {}) : moved;
    }

    // What threads wait for is in global memory.
    Expr visit(const Call *op) override {
        return op->is_intrinsic(Call::gpu_thread_barrier) ? Call::make(op->type, op->name, {simplify(op->args[0] | 1)}, op->call_type) : IRMutator::visit(op);
    }
};

// Global memory for all blocks around a kernel, as Halide 21 allocates what a kernel has there.
Stmt with_global(const Kernel &k, const Shared &s, Stmt body, DeviceAPI api) {
    const std::string name = s.global + ".buffer";
    const Expr variable = Variable::make(type_of<halide_buffer_t *>(), name);
    const Expr elements = k.blocks * cast<int64_t>(s.size);
    BufferBuilder buffer;
    buffer.type = s.type;
    buffer.dimensions = 1;
    buffer.mins = {0};
    buffer.extents = {cast<int32_t>(elements)};
    buffer.strides = {1};
    const std::string result = unique_name('t');
    const Expr failed = Variable::make(Int(32), result), most = make_const(Int(64), INT32_MAX);
    body = LetStmt::make(s.global, Call::make(Handle(), Call::buffer_get_device, {variable}, Call::Extern), body);
    body = Block::make(AssertStmt::make(failed == 0, failed), body);
    body = LetStmt::make(result, Call::make(Int(32), "halide_device_malloc", {variable, make_device_interface_call(api)}, Call::Extern), body);
    body = Allocate::make(name, s.type, MemoryType::Auto, {}, const_true(), body, buffer.build(), "halide_device_free_as_destructor");
    const Expr bytes = cast<uint64_t>(elements) * s.type.bytes();
    const Expr error = Call::make(Int(32), "halide_error_buffer_allocation_too_large", {s.name, bytes, cast<uint64_t>(most)}, Call::Extern);
    return Block::make(AssertStmt::make(elements <= most, error), body);
}

// The name of the first kernel in a statement.
std::string kernel_in(const Stmt &s) {
    class First : public IRVisitor {
        using IRVisitor::visit;
        void visit(const For *op) override {
            if (op->for_type != ForType::GPUBlock) {
                IRVisitor::visit(op);
            } else if (name.empty()) {
                name = op->name;
            }
        }

    public:
        std::string name;
    } first;
    s.accept(&first);
    return first.name;
}

}  // namespace

bool chooses_memory(const IfThenElse *op) {
    const LE *fits = op->condition.as<LE>();
    if (!fits || fits->a.type() != Int(64) || !op->else_case.defined()) {
        return false;
    }
    const std::string name = kernel_in(op->then_case);
    return !name.empty() && name == kernel_in(op->else_case);
}

SharedOrGlobal::SharedOrGlobal(std::map<std::string, int> most)
    : most_(std::move(most)) {}

Stmt SharedOrGlobal::visit(const For *op) {
    if (op->for_type != ForType::GPUBlock) {
        return IRMutator::visit(op);
    }
    const auto f = kernel_of(most_, op);
    if (f == most_.end()) {
        return op;
    }
    Kernel k;
    op->accept(&k);
    Expr bytes = make_zero(Int(64));
    bool fixed = true;
    for (const Shared &s : k.shared) {
        bytes = bytes + cast<int64_t>(s.size) * s.type.bytes();
        fixed = fixed && is_const(s.elements);
    }
    if (fixed) {
        return op;
    }
    if (!k.known()) {
        throw CompileError("gowarp: the shared memory of the kernel " + op->name + " hangs on the block");
    }
    Stmt global = InGlobal(k).mutate(Stmt(op));
    for (const Shared &s : k.shared) {
        global = with_global(k, s, global, op->device_api);
    }
    Stmt s = IfThenElse::make(bytes <= make_const(Int(64), f->second), op, global);
    for (const Shared &each : k.shared) {
        s = LetStmt::make(each.size.as<Variable>()->name, each.elements, s);
    }
    return s;
}

}  // namespace gowarp

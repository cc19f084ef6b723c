//go:build halide

#include "record.h"
#include "recorder.h"
#include "sizes.h"

#include <sys/mman.h>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The target's device code and this machine's host code: what the host's CPU lacks must not run, whatever the target says.
Target here(const Target &target) {
    Target t = get_host_target();
    for (Target::Feature f : {Target::CUDA, Target::CUDACapability30, Target::CUDACapability32, Target::CUDACapability35, Target::CUDACapability50, Target::CUDACapability61,
                              Target::CUDACapability70, Target::CUDACapability75, Target::CUDACapability80, Target::CUDACapability86, Target::LargeBuffers, Target::StrictFloat,
                              Target::NoAsserts, Target::NoBoundsQuery}) {
        t.set_feature(f, target.has_feature(f));
    }
    return t.with_feature(Target::JIT);
}

// A buffer of what the estimates say, and zeros: pages that nobody touches cost nothing.
Buffer<> made_up(const Parameter &p, const std::string &name, const Values &known) {
    const int dims = p.dimensions();
    std::vector<halide_dimension_t> shape(dims);
    std::vector<bool> placed(dims);
    const auto number = [&](const Expr &e, const std::string &what, int d) {
        const auto n = as_const_int(simplify(substitute(known, e)));
        if (!n) {
            throw CompileError("the " + what + " of dimension " + std::to_string(d) + " of " + name + " is not known");
        }
        return (int32_t)*n;
    };
    int64_t behind = 1;
    const auto place = [&](int d, int64_t stride) {
        shape[d].stride = (int32_t)stride;
        placed[d] = true;
        behind = std::max(behind, stride * std::max(shape[d].extent, 1));
    };
    for (int d = 0; d < dims; d++) {
        const std::string at = std::to_string(d);
        shape[d].min = number(Variable::make(Int(32), name + ".min." + at), "first point", d);
        shape[d].extent = number(Variable::make(Int(32), name + ".extent." + at), "size", d);
        if (shape[d].extent <= 0) {
            throw CompileError(name + " is empty");
        }
    }
    for (int d = 0; d < dims; d++) {
        if (p.stride_constraint(d).defined()) {
            place(d, number(p.stride_constraint(d), "stride", d));
        }
    }
    for (int d = 0; d < dims; d++) {
        if (!placed[d]) {
            place(d, behind);
        }
    }
    size_t elements = 1;
    for (const halide_dimension_t &d : shape) {
        elements += (size_t)std::max(d.stride, 0) * (size_t)(d.extent - 1);
    }
    // Vectors on the host may reach beyond the end.
    constexpr size_t more = 4096;
    void *data = mmap(nullptr, elements * p.type().bytes() + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
        throw CompileError("there is no memory for " + name);
    }
    return Buffer<>(p.type(), data, dims, shape.data());
}

std::string word(const Type &t) {
    return (t.is_float() ? t.is_bfloat() ? "bfloat" : "float" : t.is_uint() ? "uint" : t.is_int() ? "int" : "handle") + std::to_string(t.bits());
}

// Scalars are what their estimates say; what has none is 0.
void set_scalar(Parameter p, const Values &known) {
    const auto at = known.find(p.name());
    halide_scalar_value_t v{};
    const Type t = p.type();
    if (at != known.end() && !t.is_handle()) {
        const Expr e = simplify(cast(t, at->second));
        if (const auto i = as_const_int(e)) {
            memcpy(&v, &*i, sizeof *i);
        } else if (const auto u = as_const_uint(e)) {
            memcpy(&v, &*u, sizeof *u);
        } else if (const auto f = as_const_float(e)) {
            const float single = (float)*f;
            const float16_t half(*f);
            const uint16_t bits = half.to_bits();
            t.bits() == 64 ? memcpy(&v, &*f, 8) : t.bits() == 32 ? memcpy(&v, &single, 4) : memcpy(&v, &bits, 2);
        }
    }
    p.set_scalar(t, v);
}

void run_recorded(Pipeline pipeline, const Graph &g, const Target &target) {
    const Values known = known_sizes(g);
    std::vector<MadeUp> inputs;
    for (const InputEntry &in : g.inputs) {
        if (in.scalar()) {
            set_scalar(in.param, known);
            continue;
        }
        Buffer<> b = in.param.defined() ? in.param.buffer() : in.buffer;
        if (!b.defined()) {
            b = made_up(in.param, in.name(), known);
            inputs.push_back({(const char *)b.data(), b.size_in_bytes(), word(b.type())});
            Parameter(in.param).set_buffer(b);
        }
        // Else nothing is copied to the device.
        b.set_host_dirty();
    }
    std::vector<Buffer<>> results;
    for (int id : g.outputs) {
        for (const Parameter &p : g.funcs[id].original.output_buffers()) {
            results.push_back(made_up(p, p.name(), known));
        }
    }
    start_recording(std::move(inputs));
    JITHandlers handlers;
    handlers.custom_get_symbol = recorder_symbol;
    handlers.custom_load_library = [](const char *) -> void * { return nullptr; };
    handlers.custom_get_library_symbol = [](void *, const char *name) { return recorder_symbol(name); };
    handlers.custom_print = [](JITUserContext *, const char *) {};
    // In order, and in this thread.
    handlers.custom_do_par_for = [](JITUserContext *context, int (*f)(JITUserContext *, int, uint8_t *), int min, int size, uint8_t *closure) {
        for (int i = min; i < min + size; i++) {
            if (const int error = f(context, i, closure)) {
                return error;
            }
        }
        return 0;
    };
    JITSharedRuntime::set_default_handlers(handlers);
    // The host may have run pipelines by a driver of its own, which the runtime remembers.
    JITSharedRuntime::release_all();
    pipeline.realize(Realization(std::move(results)), here(target));
}

// What runs beside the pipeline is not here while it is compiled.
void refuse_extern(const Graph &g) {
    for (const FuncEntry &f : g.funcs) {
        if (f.original.has_extern_definition()) {
            throw CompileError(f.original.name() + " is computed by the extern function " + f.original.extern_function_name() + ", which is not here while the pipeline is compiled");
        }
    }
}

}  // namespace

Trial record(const Graph &g, const Target &target, const gowarp_reply &reply) {
    return try_in_child(g, reply, [&](Pipeline &pipeline, const Graph &g) {
        refuse_extern(g);
        run_recorded(pipeline, g, target);
        return recorded();
    });
}

}  // namespace gowarp

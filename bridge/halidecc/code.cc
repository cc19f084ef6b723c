//go:build halide

#include "code.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

Trial device_code(const Graph &g, const Target &target, const gowarp_reply &reply) {
    return try_in_child(g, reply, [&](Pipeline &pipeline, const Graph &) {
        const Module module = pipeline.compile_to_module(pipeline.infer_arguments(), "gowarp_trial", target);
        const Buffer<> code = module.get_device_code_buffer();
        if (!code.defined()) {
            throw CompileError("there is no device code");
        }
        const std::string text((const char *)code.data(), code.size_in_bytes());
        return text.substr(0, text.find('\0'));
    });
}

}  // namespace gowarp

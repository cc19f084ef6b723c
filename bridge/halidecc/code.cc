//go:build halide

#include "code.h"
#include "apply.h"
#include "forked.h"
#include "passes.h"
#include "stack.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

// The first letter of a child's answer.
constexpr char code_mark = 'C', error_mark = 'E';

void compile_here(const Graph &given, const Target &target, const gowarp_reply &reply) {
    // A host's reporter may print through an interpreter that has threads of its own.
    set_custom_compile_time_error_reporter(nullptr);
    std::string said = error_mark + std::string("there is no device code");
    try {
        with_deep_stack([&] {
            const Graph g = apply_directives(given, reply.directives, reply.num_directives);
            std::vector<Func> outputs;
            for (int id : g.outputs) {
                outputs.emplace_back(g.funcs[id].original);
            }
            Pipeline pipeline(outputs);
            install_passes(pipeline, g, reply.directives, reply.num_directives);
            const Module module = pipeline.compile_to_module(pipeline.infer_arguments(), "gowarp_trial", target);
            const Buffer<> code = module.get_device_code_buffer();
            if (code.defined()) {
                std::string text((const char *)code.data(), code.size_in_bytes());
                text.resize(std::min(text.size(), text.find('\0')));
                said = code_mark + text;
            }
        });
    } catch (const Error &e) {  // which is no std::exception
        said = error_mark + std::string(e.what());
    } catch (const std::exception &e) {
        said = error_mark + std::string(e.what());
    }
    answer(said);
}

}  // namespace

Code device_code(const Graph &g, const Target &target, const gowarp_reply &reply) {
    const Forked f = in_child([&] { compile_here(g, target, reply); });
    if (f.kind != Forked::answered) {
        return {"", f.text};
    }
    if (f.text.empty() || f.text[0] != code_mark) {
        return {"", f.text.substr(std::min<size_t>(1, f.text.size()))};
    }
    return {f.text.substr(1), ""};
}

}  // namespace gowarp

//go:build halide

#include "trial.h"
#include "apply.h"
#include "forked.h"
#include "passes.h"
#include "stack.h"

using namespace Halide;

namespace gowarp {

namespace {

// The first letter of a child's answer.
constexpr char made_mark = 'M', error_mark = 'E';

}  // namespace

Trial try_in_child(const Graph &given, const gowarp_reply &reply, const std::function<std::string(Pipeline &, const Graph &)> &make) {
    const Forked f = in_child([&] {
        // A host's reporter may print through an interpreter that has threads of its own.
        set_custom_compile_time_error_reporter(nullptr);
        std::string said;
        try {
            with_deep_stack([&] {
                const Graph g = apply_directives(given, reply.directives, reply.num_directives);
                std::vector<Func> outputs;
                for (int id : g.outputs) {
                    outputs.emplace_back(g.funcs[id].original);
                }
                Pipeline pipeline(outputs);
                install_passes(pipeline, g, reply.directives, reply.num_directives);
                said = made_mark + make(pipeline, g);
            });
        } catch (const Error &e) {  // which is no std::exception
            said = error_mark + std::string(e.what());
        } catch (const std::exception &e) {
            said = error_mark + std::string(e.what());
        }
        answer(said);
    });
    if (f.kind != Forked::answered) {
        return {"", f.text};
    }
    if (f.text.empty() || f.text[0] != made_mark) {
        return {"", f.text.substr(std::min<size_t>(1, f.text.size()))};
    }
    return {f.text.substr(1), ""};
}

}  // namespace gowarp

// The pipeline as JSON (halideir/FORMAT.md).
#ifndef GOWARP_EXPORT_H
#define GOWARP_EXPORT_H

#include "graph.h"
#include "nodes.h"

#include <string>
#include <vector>

namespace gowarp {

// The whole pipeline as JSON text. Throws Halide::Error. Afterwards the
// expressions of g's copies have been rewritten (boxes.cc); their schedules are
// as they were.
std::string export_pipeline(Graph &g, const Halide::Target &target);

// What one stage of a consumer requires of one producer.
struct Edge {
    int consumer, stage;
    int func, input;                             // the producer; the other is -1
    std::vector<std::pair<int, int>> box;        // node ids, -1 where unbounded
};

// All edges, by consumer, stage, Funcs, inputs. Rewrites g's copies.
std::vector<Edge> required_boxes(Graph &g, NodeTable &table);

// The directives that are already on a Func, readable; empty for an untouched one.
std::vector<std::string> scheduled_directives(const Halide::Internal::Function &f);

// Whether there are any on a Func of the pipeline.
bool any_scheduled(const Graph &g);

// A loop of an untouched stage.
struct StageLoop {
    std::string name;
    bool rvar;
    Halide::Internal::DimType type;
};

// Innermost first: the reduction's variables, then the pure arguments.
std::vector<StageLoop> untouched_loops(const Halide::Internal::Function &f, const Halide::Internal::Definition &def);

// The "target" of the form.
std::string target_json(const Halide::Target &t);

const char *memory_word(Halide::MemoryType m);
const char *device_api_word(Halide::DeviceAPI api);  // as Target's "api" has it

}  // namespace gowarp

#endif

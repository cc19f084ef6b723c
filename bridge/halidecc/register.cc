//go:build halide

// The autoscheduler as Halide sees it: registered when the library is loaded,
// called once per pipeline.

#include "apartbytes.h"
#include "apply.h"
#include "cachewrite.h"
#include "choose.h"
#include "code.h"
#include "export.h"
#include "fuseinit.h"
#include "holdreads.h"
#include "given.h"
#include "gowarp_abi.h"
#include "indexfuncs.h"
#include "leave.h"
#include "ownreads.h"
#include "passes.h"
#include "record.h"
#include "separate.h"
#include "stack.h"
#include "unconditional.h"
#include "version.h"
#include "writeout.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <unistd.h>

using namespace Halide;

// Defined in Go by package plugin. Weak, so that this package links into test
// binaries without it.
extern "C" __attribute__((weak)) int gowarp_schedule(gowarp_request *request, gowarp_reply *reply);
extern "C" __attribute__((weak)) void gowarp_end(uintptr_t session);
extern "C" __attribute__((weak)) char *gowarp_taken(uintptr_t session, int32_t answer);
extern "C" __attribute__((weak)) int gowarp_changes(gowarp_request *request);
extern "C" __attribute__((weak)) void gowarp_predict(const gowarp_request *requests, gowarp_prediction *predictions, int32_t n);
extern "C" __attribute__((weak)) void gowarp_forget(uintptr_t found);

extern "C" void gowarp_reply_free(gowarp_reply *reply) {
    for (int32_t i = 0; i < reply->num_directives; i++) {
        gowarp_directive &d = reply->directives[i];
        for (int32_t v = 0; v < d.num_vars; v++) {
            free((void *)d.vars[v]);
        }
        free((void *)d.vars);
        free((void *)d.op);
        free((void *)d.tail);
        free((void *)d.memory);
        free((void *)d.at_var);
        free((void *)d.multiples);
    }
    free(reply->directives);
    free(reply->source);
    free(reply->listing);
    free(reply->kernels);
    free(reply->needs);
    free(reply->warning);
    free(reply->error);
    *reply = gowarp_reply{};
}

namespace gowarp {

namespace {

const pid_t loaded_in = getpid();

int debug_level() {
    const char *v = getenv("HL_DEBUG_AUTOSCHEDULE");
    return v ? atoi(v) : 0;
}

double ms_since(std::chrono::steady_clock::time_point &t) {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - t).count();
    t = now;
    return ms;
}

// 10342 as "10,342".
std::string grouped(size_t n) {
    std::string s = std::to_string(n);
    for (int i = (int)s.size() - 3; i > 0; i -= 3) {
        s.insert(i, ",");
    }
    return s;
}

// A pipeline's graph owns copies of its expressions, and Halide frees an
// expression by recursion.
struct DeepGraph : Graph {
    ~DeepGraph() {
        with_deep_stack([this] { (Graph &)*this = Graph(); });
    }
};

// What Go keeps of a pipeline between requests.
struct Session {
    uintptr_t handle = 0;
    ~Session() {
        if (handle) {
            gowarp_end(handle);
        }
    }
};

// What Go keeps of a prediction.
struct Prediction : gowarp_prediction {
    Prediction() : gowarp_prediction{-1, 0} {}
    explicit Prediction(const gowarp_prediction &made) : gowarp_prediction(made) {}
    Prediction(Prediction &&other) noexcept : gowarp_prediction(other) { other.found = 0; }
    Prediction &operator=(Prediction &&other) noexcept {
        std::swap(cost, other.cost);
        std::swap(found, other.found);
        return *this;
    }
    ~Prediction() {
        if (found) {
            gowarp_forget(found);
        }
    }
};

// A pipeline as Go gets it.
struct Exported {
    std::string json;
    Prediction prediction;  // if one was made
    double predict_ms = 0;  // that the predictions took
};

// What more windows have to save of the predicted cost. With less it decides by what it errs: of harris .4 % were predicted for Sobel's derivatives by parts, which
// lanes exchange more of, and 10 % more instructions counted.
const double worthwhile = .02;

// Separates the windows of a pipeline and exports it. Where the predicted cost is to decide, the ways are none, those of equal weights, and all: a schedule may
// inline any part, but parts that share little keep its search from what is better.
Exported export_separated(const Pipeline &pipeline, const Target &target, int changes, const gowarp_request &asked, Graph &graph) {
    struct Way {
        Graph graph;
        Separation separation;
        std::string json;
    };
    const bool cheapest = changes & gowarp_separate_if_cheaper;
    const bool floats = changes & gowarp_separate_floats && !target.has_feature(Target::StrictFloat);
    std::vector<Way> ways;
    if (cheapest) {
        ways.push_back({graph, {}, {}});
    }
    for (const bool weighted : {false, true}) {
        if (cheapest || weighted == bool(changes & gowarp_separate_weighted)) {
            Way w;
            w.graph = separate_windows(pipeline, graph, {floats, weighted}, w.separation);
            w.separation.exchange();
            if (ways.empty() || w.separation.windows > ways.back().separation.windows) {
                ways.push_back(std::move(w));
            }
        }
    }
    std::vector<gowarp_request> requests(ways.size(), asked);
    for (size_t i = 0; i < ways.size(); i++) {
        ways[i].json = export_pipeline(ways[i].graph, target);
        requests[i].json = ways[i].json.data();
        requests[i].json_bytes = ways[i].json.size();
    }
    Exported out;
    size_t best = 0;
    if (ways.size() > 1 && gowarp_predict) {
        std::vector<gowarp_prediction> made(ways.size(), gowarp_prediction{-1, 0});
        auto clock = std::chrono::steady_clock::now();
        gowarp_predict(requests.data(), made.data(), (int32_t)made.size());
        out.predict_ms = ms_since(clock);
        std::vector<Prediction> predictions(made.begin(), made.end());
        for (size_t i = 0; i < ways.size(); i++) {
            const double cost = made[i].cost, least = made[best].cost;
            if (asked.verbose > 1) {
                fprintf(stderr, "gowarp: %d windows by parts: cost %g\n", ways[i].separation.windows, cost);
            }
            if (cost >= 0 && (least < 0 || cost < least * (1 - worthwhile))) {
                best = i;
            }
        }
        out.prediction = std::move(predictions[best]);
    }
    ways[best].separation.exchange();
    graph = std::move(ways[best].graph);
    out.json = std::move(ways[best].json);
    return out;
}

void autoschedule(const Pipeline &pipeline, const Target &target, const AutoschedulerParams &params,
                  AutoSchedulerResults *results) {
    if (getpid() != loaded_in) {
        throw CompileError("gowarp: this process was forked after the plugin was loaded, and the Go runtime does not "
                           "survive a fork. Load the plugin in the process that compiles (start it with exec, or with "
                           "multiprocessing's \"spawn\").");
    }
    static const std::string mismatch = version_mismatch();
    if (!mismatch.empty()) {
        throw CompileError("gowarp: " + mismatch);
    }
    if (!gowarp_schedule) {
        throw CompileError("gowarp: this copy of the plugin was linked without its Go half");
    }
    if (!target.has_gpu_feature()) {
        throw CompileError("gowarp: the target " + target.to_string() + " has no GPU feature, and gowarp schedules for "
                           "GPUs. Name one in the target, for example target=host-cuda-cuda_capability_86 or "
                           "target=host-opencl.");
    }
    const int verbose = debug_level();
    auto clock = std::chrono::steady_clock::now();

    std::vector<const char *> keys, values;
    const auto given = given_params(params);
    for (const auto &kv : given) {
        keys.push_back(kv.first.c_str());
        values.push_back(kv.second.c_str());
    }
    gowarp_request asked{};
    asked.keys = keys.data();
    asked.values = values.data();
    asked.num_params = (int32_t)keys.size();
    asked.verbose = verbose;

    DeepGraph graph;
    Exported exported;
    with_deep_stack([&] {
        (Graph &)graph = build_graph(pipeline);
        leave_scheduled_alone(graph);
        if (!any_scheduled(graph)) {
            (Graph &)graph = look_through_index_funcs(pipeline, graph);
            (Graph &)graph = simplify_own_reads(pipeline, graph);
            (Graph &)graph = store_unconditionally(pipeline, graph);
            const int changes = gowarp_changes ? gowarp_changes(&asked) : 0;
            if (changes & gowarp_write_out) {
                (Graph &)graph = write_out_reductions(pipeline, graph);
            }
            if (changes & gowarp_fuse_init) {
                (Graph &)graph = fuse_inits(pipeline, graph);
            }
            if (changes & gowarp_hold_reads) {
                (Graph &)graph = hold_reads(pipeline, graph);
            }
            if (changes & gowarp_cache_write) {
                (Graph &)graph = cache_writes(pipeline, graph);
            }
            if (changes & gowarp_separate) {
                exported = export_separated(pipeline, target, changes, asked, graph);
                return;
            }
        }
        exported.json = export_pipeline(graph, target);
    });
    const double export_ms = ms_since(clock) - exported.predict_ms;

    double schedule_ms = 0;
    Session session;
    const auto once = [&](const std::vector<gowarp_fault> &faults, const gowarp_code *code) {
        gowarp_request request = asked;
        request.session = session.handle;
        request.json = exported.json.data();
        request.json_bytes = exported.json.size();
        request.found = exported.prediction.found;
        request.faults = faults.data();
        request.num_faults = (int32_t)faults.size();
        request.code = code;
        auto reply = std::make_unique<Reply>();
        ms_since(clock);
        // Go never throws and nothing is thrown through it: an error is a string.
        gowarp_schedule(&request, reply.get());
        schedule_ms += ms_since(clock);
        exported.prediction = Prediction();
        if (reply->session) {
            session.handle = reply->session;
        }
        if (reply->error) {
            throw CompileError(reply->error);
        }
        return reply;
    };
    int trials = 0;
    double compile_ms = 0;
    const auto ask = [&](const std::vector<gowarp_fault> &faults) {
        std::unique_ptr<Reply> reply = once(faults, nullptr);
        for (; reply->compile; trials++) {
            auto begun = std::chrono::steady_clock::now();
            const Trial made = reply->compile == gowarp_driver_record ? record(graph, target, *reply) : device_code(graph, target, *reply);
            const bool has = made.why.empty();
            const gowarp_code code = {has ? made.text.c_str() : nullptr, has ? nullptr : made.why.c_str()};
            compile_ms += ms_since(begun);
            reply = once({}, &code);
        }
        return reply;
    };
    const auto say = [&](const std::string &line) {
        if (verbose > 0) {
            fprintf(stderr, "gowarp: check: %s\n", line.c_str());
        }
    };
    const auto warn = [](const std::string &line) { fprintf(stderr, "gowarp: warning: %s\n", line.c_str()); };
    auto whole = clock;
    const std::unique_ptr<Reply> reply = choose(graph, target, ask, say, warn);
    bool apart = false;
    if (target.has_feature(Target::CUDA) && combines_bytes(graph)) {
        const Trial made = device_code(graph, target, *reply);
        apart = !made.why.empty();
        if (apart) {
            say("bytes are combined each by itself, as the code of these kernels was not made: " + made.why);
        }
    }
    const double check_ms = ms_since(whole) - schedule_ms - compile_ms;
    clock = whole;

    const size_t funcs = graph.funcs.size();
    with_deep_stack([&] { (Graph &)graph = apply_directives(graph, reply->directives, reply->num_directives); });
    install_passes(pipeline, graph, reply->directives, reply->num_directives, apart);
    if (char *wrong = gowarp_taken ? gowarp_taken(session.handle, reply->number) : nullptr) {
        const std::string message = wrong;
        free(wrong);
        throw CompileError(message);
    }
    if (verbose > 0) {
        fprintf(stderr, "%sgowarp: %zu Funcs, %s B of JSON: export %.1f ms, schedule %.1f ms, apply %.1f ms\n",
                reply->listing ? reply->listing : "", funcs, grouped(exported.json.size()).c_str(), export_ms,
                exported.predict_ms + schedule_ms, ms_since(clock));
        if (trials > 0) {
            fprintf(stderr, "gowarp: %d trials compiled: %.1f ms\n", trials, compile_ms);
        }
        if (reply->check) {
            fprintf(stderr, "gowarp: check: %.1f ms\n", check_ms);
        }
    }
    if (reply->warning) {
        std::istringstream lines(reply->warning);
        for (std::string line; std::getline(lines, line);) {
            warn(line);
        }
    }
    results->schedule_source = reply->source ? reply->source : "";
}

// Halide throws when a name is taken, and nothing may be thrown while a library
// is being loaded. The copy that came first serves.
const bool registered = [] {
    try {
        Pipeline::add_autoscheduler("gowarp", autoschedule);
        return true;
    } catch (const Error &) {
        if (debug_level() > 0) {
            fprintf(stderr, "gowarp: the plugin is loaded twice in this process; the first copy stays\n");
        }
        return false;
    }
}();

}  // namespace

}  // namespace gowarp

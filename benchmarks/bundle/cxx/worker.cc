// Runs and times one compiled pipeline for another program, which says on standard input
// what to do next, a line a command, and gets a line of JSON on standard output for each.
//
//     worker cpu|cuda LIBRARY FUNCTION
//
//     scalar NAME HEX                 the value's bytes, in memory's order
//     input NAME MIN:EXTENT,... FILE  raw elements, dimension 0 contiguous; "-": no dimensions
//     output NAME MIN:EXTENT,...
//     first                           upload, compile the kernels, run once
//     save NAME FILE                  write an output as raw elements
//     again                           run into fresh outputs, compare with what was saved
//     time WHAT CACHE WARM_MS MS MIN MAX FLUSH_MIB
//     device MIB                      what the device is, and how fast it copies
//
// A process holds one pipeline: Halide's runtime is this program's (the library is compiled
// with no_runtime), so its context, its caches and its register cap are the pipeline's own,
// and a pipeline that breaks its context breaks no other.
//
// time: WHAT is
//     wall     the host's clock, from the call to the end of cuCtxSynchronize
//     gpu      events around the call
//     kernels  events around each launch
// Events are recorded behind a kernel that keeps the GPU busy until the host has queued the
// whole call: without it they would hold the host's time to launch. A sample in which the
// GPU got there first is starved, and counted. CACHE is cold (twice the L2 and more is
// copied before each sample) or warm. Of at least MIN and at most MAX samples, as many are taken as MS allow,
// after calls for WARM_MS that are not timed.
#include "HalideRuntime.h"
#include "HalideRuntimeCuda.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

#include "driver.h"

// The runtime's, without a declaration in its headers.
extern "C" void *halide_cuda_get_symbol(void *user_context, const char *name);
extern "C" int halide_cuda_acquire_context(void *user_context, void **context, bool create);

namespace {

// What Halide's runtime said last; a call that fails returns a code and no words.
std::string said;

// What `kernels` notes of the launches of a call: events around each, and its kernel.
struct Launch {
    Handle function, before, after;
};
bool noting = false;
std::vector<Launch> noted;
size_t launches = 0;  // since it was last set to 0
std::map<Handle, std::string> names;

// The two calls of the driver that Halide's runtime is given ours of.
int launch_kernel(Handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, Handle stream, void **params, void **extra) {
    launches++;
    if (!noting) {
        return cuda.cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
    }
    if (noted.size() < launches) {
        Launch l{};
        if (cuda.cuEventCreate(&l.before, 0) || cuda.cuEventCreate(&l.after, 0)) {
            return 2;  // out of memory; this is called from Halide's C, no exception may pass
        }
        noted.push_back(l);
    }
    Launch &l = noted[launches - 1];
    l.function = f;
    if (int error = cuda.cuEventRecord(l.before, stream)) {
        return error;
    }
    if (int error = cuda.cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra)) {
        return error;
    }
    return cuda.cuEventRecord(l.after, stream);
}

int get_function(Handle *function, Handle module, const char *name) {
    const int error = cuda.cuModuleGetFunction(function, module, name);
    if (!error && noting) {
        names[*function] = name;
    }
    return error;
}

void *get_library_symbol(void *lib, const char *name) {
    if (!lib) {
        return nullptr;  // asked of the process, before the library is opened
    }
    void *symbol = dlsym(lib, name);
    if (symbol && strcmp(name, "cuLaunchKernel") == 0) {
        cuda.cuLaunchKernel = (decltype(cuda.cuLaunchKernel))symbol;
        return (void *)launch_kernel;
    }
    if (symbol && strcmp(name, "cuModuleGetFunction") == 0) {
        cuda.cuModuleGetFunction = (decltype(cuda.cuModuleGetFunction))symbol;
        return (void *)get_function;
    }
    return symbol;
}

// Counts down and stores, so that nothing of it is left out.
const char *delay_ptx = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry delay(.param .u64 out, .param .u32 steps)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [steps];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, 1;
again:
    mad.lo.s32 %r2, %r2, 1664525, 1013904223;
    add.s32 %r1, %r1, -1;
    setp.gt.s32 %p1, %r1, 0;
    @%p1 bra again;
    st.global.u32 [%rd2], %r2;
    ret;
}
)";

struct Device {
    int id = 0;
    Pointer scratch = 0;  // two halves: copying one to the other empties the L2 of all else
    size_t half = 0;
    Pointer word = 0;
    Handle delay = nullptr;
    int steps = 0, most_steps = 0;  // of the delay
    Handle start = nullptr, stop = nullptr;

    void open() {
        void *context = nullptr;
        said.clear();
        if (halide_cuda_acquire_context(nullptr, &context, true)) {
            fail("no CUDA device: " + said);
        }
        cuda.find([](const char *name) { return halide_cuda_get_symbol(nullptr, name); });
        must(cuda.cuCtxPushCurrent_v2(context), "cuCtxPushCurrent");
        must(cuda.cuCtxGetDevice(&id), "cuCtxGetDevice");
    }

    // What timing needs, and running does not.
    void prepare(size_t half_bytes) {
        if (delay) {
            return;
        }
        half = half_bytes;
        must(cuda.cuMemAlloc_v2(&scratch, 2 * half), "memory to flush the L2 with");
        must(cuda.cuMemAlloc_v2(&word, 256), "cuMemAlloc");
        Handle module = nullptr;
        must(cuda.cuModuleLoadData(&module, delay_ptx), "the delay kernel");
        must(cuda.cuModuleGetFunction(&delay, module, "delay"), "the delay kernel");
        start = new_event();
        stop = new_event();
        // As many steps as take a fifth of a millisecond, some ten launches by the host.
        const int probe = 10000;
        double ms = 0;
        for (int i = 0; i < 2; i++) {  // the first holds the kernel's own loading
            must(cuda.cuEventRecord(start, nullptr), "cuEventRecord");
            run_delay(probe);
            must(cuda.cuEventRecord(stop, nullptr), "cuEventRecord");
            ms = elapsed_ms(start, stop);
        }
        const double per_ms = probe / std::max(ms, 0.01);
        steps = std::max(1, (int)(0.2 * per_ms));
        most_steps = (int)(20 * per_ms);
    }

    void run_delay(int n) {
        void *params[] = {&word, &n};
        must(cuda.cuLaunchKernel(delay, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr), "the delay kernel");
    }

    void flush() { must(cuda.cuMemcpyDtoDAsync_v2(scratch + half, scratch, half, nullptr), "the copy that flushes the L2"); }
} device;

// ---- the pipeline ----

struct Argument {
    const halide_filter_argument_t *about = nullptr;
    bool given = false;
    halide_scalar_value_t scalar{};
    halide_buffer_t buffer{};
    std::vector<halide_dimension_t> dims;
    void *host = nullptr;
    size_t bytes = 0;
    std::vector<unsigned char> saved;
};

bool on_gpu = false;
int (*call_argv)(void **) = nullptr;
std::vector<Argument> arguments;
std::vector<void *> raw;

void run_pipeline() {
    said.clear();
    if (const int code = call_argv(raw.data())) {
        fail(said.empty() ? "the pipeline returned " + std::to_string(code) : said);
    }
}

Argument &find(const std::string &name) {
    for (Argument &a : arguments) {
        if (name == a.about->name) {
            return a;
        }
    }
    fail("the pipeline has no argument " + name);
}

void open_pipeline(const char *library, const std::string &function) {
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        fail(dlerror());
    }
    call_argv = (int (*)(void **))dlsym(lib, (function + "_argv").c_str());
    auto *metadata = (const halide_filter_metadata_t *(*)())dlsym(lib, (function + "_metadata").c_str());
    if (!call_argv || !metadata) {
        fail(std::string(library) + " holds no pipeline " + function);
    }
    const halide_filter_metadata_t *m = metadata();
    arguments.resize(m->num_arguments);
    raw.resize(m->num_arguments);
    for (int i = 0; i < m->num_arguments; i++) {
        arguments[i].about = &m->arguments[i];
    }
}

void set_scalar(const std::string &name, const std::string &hex) {
    Argument &a = find(name);
    if (a.about->kind != halide_argument_kind_input_scalar || hex.size() > 2 * sizeof(a.scalar)) {
        fail("the argument " + name + " is no scalar of " + std::to_string(hex.size() / 2) + " bytes");
    }
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
        ((unsigned char *)&a.scalar)[i / 2] = (unsigned char)strtoul(hex.substr(i, 2).c_str(), nullptr, 16);
    }
    a.given = true;
}

void set_buffer(const std::string &name, const std::string &extents, int kind) {
    Argument &a = find(name);
    if (a.about->kind != kind) {
        fail("the argument " + name + " is of another kind");
    }
    a.bytes = (a.about->type.bits + 7) / 8;
    int32_t stride = 1;
    std::istringstream words(extents == "-" ? "" : extents);
    for (std::string word; std::getline(words, word, ',');) {
        int min = 0, extent = 0;
        if (sscanf(word.c_str(), "%d:%d", &min, &extent) != 2 || extent < 1) {
            fail("the extents " + extents + " of " + name);
        }
        a.dims.emplace_back(min, extent, stride, 0);
        stride *= extent;
        a.bytes *= (size_t)extent;
    }
    if ((int)a.dims.size() != a.about->dimensions) {
        fail(name + " has " + std::to_string(a.about->dimensions) + " dimensions, not " + std::to_string(a.dims.size()));
    }
    // Aligned as Halide's own buffers are.
    if (posix_memalign(&a.host, 128, a.bytes + 128)) {
        fail("no memory for " + name);
    }
    a.buffer.host = (uint8_t *)a.host;
    a.buffer.type = a.about->type;
    a.buffer.dimensions = a.about->dimensions;
    a.buffer.dim = a.dims.data();
    a.given = true;
}

void read_input(const std::string &name, const std::string &path) {
    Argument &a = find(name);
    FILE *f = fopen(path.c_str(), "rb");
    const size_t got = f ? fread(a.host, 1, a.bytes, f) : 0;
    if (f) {
        fclose(f);
    }
    if (got != a.bytes) {
        fail(path + " does not hold the " + std::to_string(a.bytes) + " bytes of " + name);
    }
    a.buffer.set_host_dirty(true);
}

bool is_output(const Argument &a) { return a.about->kind == halide_argument_kind_output_buffer; }

// What the pipeline leaves out must not pass for a result: floats are NaN, which equals
// nothing. (Any other pattern is some number, and many are within 1e-5 of 0.)
void poison() {
    for (Argument &a : arguments) {
        if (!is_output(a)) {
            continue;
        }
        memset(a.host, a.about->type.code == halide_type_float ? 0xFF : 0xA5, a.bytes);
        if (!on_gpu) {
            continue;
        }
        a.buffer.set_device_dirty(false);
        a.buffer.set_host_dirty(true);
        said.clear();
        if (halide_copy_to_device(nullptr, &a.buffer, halide_cuda_device_interface())) {
            fail("the output " + std::string(a.about->name) + " on the device: " + said);
        }
        a.buffer.set_host_dirty(false);
    }
}

void to_host(Argument &a) {
    said.clear();
    if (halide_copy_to_host(nullptr, &a.buffer)) {
        fail("the output " + std::string(a.about->name) + " back from the device: " + said);
    }
}

void first() {
    for (size_t i = 0; i < arguments.size(); i++) {
        Argument &a = arguments[i];
        if (!a.given) {
            fail(std::string("the argument ") + a.about->name + " was not given");
        }
        raw[i] = a.about->kind == halide_argument_kind_input_scalar ? (void *)&a.scalar : (void *)&a.buffer;
    }
    if (on_gpu) {
        device.open();
    }
    poison();
    launches = 0;
    const auto start = Clock::now();
    run_pipeline();
    if (on_gpu) {
        sync();
    }
    reply("\"ms\":" + std::to_string(ms_since(start)) + ",\"launches\":" + std::to_string(launches));
}

void save(const std::string &name, const std::string &path) {
    Argument &a = find(name);
    to_host(a);
    a.saved.assign((unsigned char *)a.host, (unsigned char *)a.host + a.bytes);
    FILE *f = fopen(path.c_str(), "wb");
    if (!f || fwrite(a.host, 1, a.bytes, f) != a.bytes || fclose(f)) {
        fail("cannot write " + path);
    }
    reply("\"bytes\":" + std::to_string(a.bytes));
}

void again() {
    poison();
    run_pipeline();
    size_t differing = 0;
    for (Argument &a : arguments) {
        if (!is_output(a)) {
            continue;
        }
        to_host(a);
        const auto *now = (const unsigned char *)a.host;
        for (size_t i = 0; i < a.saved.size(); i++) {
            differing += now[i] != a.saved[i];
        }
    }
    reply("\"differing_bytes\":" + std::to_string(differing));
}

void sample(std::istringstream &words) {
    std::string what, cache;
    double warm_ms = 0, budget_ms = 0;
    int least = 0, most = 0;
    size_t flush_mib = 0;
    if (!(words >> what >> cache >> warm_ms >> budget_ms >> least >> most >> flush_mib)) {
        fail("time WHAT CACHE WARM_MS MS MIN MAX FLUSH_MIB is wanted");
    }
    const bool cold = cache == "cold", events = what != "wall", per_kernel = what == "kernels";
    device.prepare(flush_mib << 20);
    for (auto start = Clock::now();;) {
        run_pipeline();
        sync();
        if (ms_since(start) >= warm_ms) {
            break;
        }
    }
    std::vector<double> us;
    struct Kernel {
        int launches = 0;
        std::vector<double> us;
    };
    std::vector<std::string> order;
    std::map<std::string, Kernel> kernels;
    int starved = 0, longer = 0;
    const auto begin = Clock::now();
    while ((int)us.size() < most && ((int)us.size() < least || ms_since(begin) < budget_ms)) {
        if (cold) {
            device.flush();
        }
        if (!events) {
            sync();
            const auto start = Clock::now();
            run_pipeline();
            sync();
            us.push_back(ms_since(start) * 1000);
            continue;
        }
        device.run_delay(device.steps);
        launches = 0;
        must(cuda.cuEventRecord(device.start, nullptr), "cuEventRecord");
        noting = per_kernel;
        run_pipeline();
        noting = false;
        must(cuda.cuEventRecord(device.stop, nullptr), "cuEventRecord");
        const bool ahead = cuda.cuEventQuery(device.start) == not_ready;
        const double ms = elapsed_ms(device.start, device.stop);
        // The delay doubles, up to 20 ms; what still overtakes it waits for the GPU somewhere
        // within, and so it does in a driver that waits for each launch.
        constexpr int most_longer = 7;
        if (!ahead && longer < most_longer && device.steps <= device.most_steps / 2) {
            device.steps *= 2;
            longer++;
            continue;
        }
        starved += !ahead;
        us.push_back(ms * 1000);
        std::map<std::string, std::pair<int, double>> sums;
        for (size_t i = 0; i < (per_kernel ? launches : 0); i++) {
            const std::string &name = names[noted[i].function];
            auto &[n, sum] = sums[name];
            if (n++ == 0 && !kernels.count(name)) {
                order.push_back(name);
                kernels[name];
            }
            sum += elapsed_ms(noted[i].before, noted[i].after) * 1000;
        }
        for (const auto &[name, s] : sums) {
            kernels[name].launches = s.first;
            kernels[name].us.push_back(s.second);
        }
    }
    std::string fields = "\"us\":" + list(us) + ",\"starved\":" + std::to_string(starved);
    if (per_kernel) {
        fields += ",\"kernels\":[";
        for (const std::string &name : order) {
            fields += (name == order[0] ? "" : ",") + std::string("{\"name\":") + quoted(name) + ",\"launches\":" + std::to_string(kernels[name].launches) + ",\"us\":" + list(kernels[name].us) + "}";
        }
        fields += "]";
    }
    reply(fields);
}

// Copies half of the scratch memory onto the other: what a pipeline's least traffic is held
// against.
void describe_device(size_t mib) {
    device.open();
    device.prepare(mib << 20);
    char name[256] = "";
    size_t memory = 0;
    must(cuda.cuDeviceGetName(name, sizeof(name), device.id), "cuDeviceGetName");
    must(cuda.cuDeviceTotalMem_v2(&memory, device.id), "cuDeviceTotalMem");
    int driver = 0;
    if (cuda.cuDriverGetVersion) {
        cuda.cuDriverGetVersion(&driver);
    }
    // Memory that was never written may not be there at all.
    std::vector<unsigned char> noise(1 << 20);
    for (size_t i = 0; i < noise.size(); i++) {
        noise[i] = (unsigned char)((i * 2654435761u) >> 13);
    }
    for (size_t at = 0; at + noise.size() <= device.half; at += noise.size()) {
        must(cuda.cuMemcpyHtoD_v2(device.scratch + at, noise.data(), noise.size()), "cuMemcpyHtoD");
    }
    std::vector<double> rates;  // GB/s, bytes read and written
    for (int i = 0; i < 12; i++) {
        device.run_delay(device.steps);
        must(cuda.cuEventRecord(device.start, nullptr), "cuEventRecord");
        device.flush();
        must(cuda.cuEventRecord(device.stop, nullptr), "cuEventRecord");
        const double ms = elapsed_ms(device.start, device.stop);
        if (i >= 2) {
            rates.push_back(2e-6 * (double)device.half / std::max(ms, 1e-6));
        }
    }
    reply("\"name\":" + quoted(name) + ",\"capability\":" + std::to_string(10 * attribute(device.id, attribute_major) + attribute(device.id, attribute_minor)) +
          ",\"sms\":" + std::to_string(attribute(device.id, attribute_sms)) + ",\"clock_mhz\":" + std::to_string(attribute(device.id, attribute_clock_khz) / 1000) +
          ",\"memory_clock_mhz\":" + std::to_string(attribute(device.id, attribute_memory_clock_khz) / 1000) + ",\"bus_bits\":" + std::to_string(attribute(device.id, attribute_bus_bits)) +
          ",\"l2_bytes\":" + std::to_string(attribute(device.id, attribute_l2_bytes)) + ",\"memory_bytes\":" + std::to_string(memory) + ",\"driver\":" + std::to_string(driver) +
          ",\"copied_mib\":" + std::to_string(mib) + ",\"copy_gb_per_s\":" + list(rates));
}

void obey(const std::string &line) {
    std::istringstream words(line);
    std::string command, name, more, path;
    words >> command;
    auto rest = [&]() {
        std::getline(words >> std::ws, path);
        return path;
    };
    if (command == "scalar") {
        words >> name >> more;
        set_scalar(name, more);
        reply("\"ok\":true");
    } else if (command == "input") {
        words >> name >> more;
        set_buffer(name, more, halide_argument_kind_input_buffer);
        read_input(name, rest());
        reply("\"ok\":true");
    } else if (command == "output") {
        words >> name >> more;
        set_buffer(name, more, halide_argument_kind_output_buffer);
        reply("\"ok\":true");
    } else if (command == "first") {
        first();
    } else if (command == "save") {
        words >> name;
        save(name, rest());
    } else if (command == "again") {
        again();
    } else if (command == "time") {
        sample(words);
    } else if (command == "device") {
        size_t mib = 0;
        words >> mib;
        describe_device(mib);
    } else {
        fail("there is no command " + command);
    }
}

}  // namespace

int main(int argc, char **argv) {
    try {
        halide_set_error_handler([](void *, const char *message) {
            if (!said.empty()) {
                said += "; ";
            }
            said += message;
        });
        halide_set_custom_print([](void *, const char *text) { fputs(text, stderr); });
        halide_set_custom_load_library(load_library);
        halide_set_custom_get_library_symbol(get_library_symbol);
        if (argc != 2 && argc != 4) {
            fail("worker cpu|cuda LIBRARY FUNCTION, or worker cuda, is wanted");
        }
        on_gpu = strcmp(argv[1], "cuda") == 0;
        if (argc == 4) {
            open_pipeline(argv[2], argv[3]);
        }
        for (std::string line; std::getline(std::cin, line);) {
            obey(line);
        }
    } catch (const Failure &f) {
        reply("\"error\":" + quoted(f.text));
        fflush(stdout);
        _Exit(1);  // the context may be beyond use, and so what cleans it up
    }
    // The driver's own exit handlers may wait for a GPU that hangs.
    fflush(stdout);
    _Exit(0);
}

//go:build halide

#include "recorder.h"

#include <cctype>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

namespace gowarp {

namespace {

using Result = int;
using Address = uint64_t;

// CUDA's numbers.
enum : Result { success = 0, not_found = 500, not_supported = 801 };

// Addresses are given as package exec gives them (memory.go), so that a replay allocates the same ones; it says so where it does not.
constexpr Address first_address = 0x7f0000000000;
constexpr Address guard = 256, alignment = 256;

// Of what the host computes itself and copies, so many bytes are recorded; the rest is zeros.
constexpr size_t most_bytes = 4 << 20;

struct Module {
    std::string text;
};

struct Function {
    std::string name;
    std::vector<size_t> sizes;  // of its parameters
};

struct Recorder {
    std::string text;
    std::vector<MadeUp> inputs;
    Address next = first_address;
    size_t written = 0;
    std::vector<std::unique_ptr<Module>> modules;
    std::vector<std::unique_ptr<Function>> functions;
};

Recorder *now;
int a_context;

void line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void line(const char *format, ...) {
    char buffer[512];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    now->text += buffer;
}

void hex(const void *data, size_t n) {
    static const char digits[] = "0123456789abcdef";
    const auto *p = (const unsigned char *)data;
    for (size_t i = 0; i < n; i++) {
        now->text += digits[p[i] >> 4];
        now->text += digits[p[i] & 15];
    }
}

// The sizes of a kernel's parameters, from the head of its entry in the PTX: ".param .u64 .ptr .align 1 name, .param .align 8 .b8 name[16]".
// False where there is no such kernel.
bool param_sizes(const std::string &ptx, const std::string &name, std::vector<size_t> &sizes) {
    size_t at = ptx.find(".entry " + name + "(");
    if (at == std::string::npos) {
        return false;
    }
    const size_t end = ptx.find(')', at);
    const std::string head = ptx.substr(at, end - at);
    for (size_t p = head.find(".param"); p != std::string::npos;) {
        const size_t next = head.find(".param", p + 1);
        const std::string one = head.substr(p, next == std::string::npos ? next : next - p);
        size_t bytes = 0;
        // The type is a dot, a letter and a number of bits; ".ptr" and ".align" have none.
        for (size_t d = one.find('.', 1); d != std::string::npos; d = one.find('.', d + 1)) {
            if (strchr("usbf", one[d + 1]) && isdigit((unsigned char)one[d + 2])) {
                bytes = (size_t)atoi(one.c_str() + d + 2) / 8;
            }
        }
        const size_t bracket = one.find('[');
        if (bracket != std::string::npos) {
            bytes *= (size_t)atoi(one.c_str() + bracket + 1);
        }
        sizes.push_back(bytes);
        p = next;
    }
    return true;
}

Result init(unsigned) { return success; }
Result device_count(int *n) {
    *n = 1;
    return success;
}
Result device_get(int *device, int) {
    *device = 0;
    return success;
}
// Only what the runtime asks for to choose a device, and to name it: a capability that is beyond what any code is for.
Result device_attribute(int *value, int attribute, int) {
    *value = attribute == 75 ? 99 : attribute == 76 ? 0 : attribute == 8 ? 48 << 10 : 1024;
    return success;
}
Result device_name(char *name, int n, int) {
    if (n > 0) {
        name[0] = 0;
    }
    return success;
}
Result device_memory(size_t *bytes, int) {
    *bytes = (size_t)1 << 40;
    return success;
}
Result context_create(void **context, unsigned, int) {
    *context = &a_context;
    return success;
}
Result context_ok(void *) { return success; }
Result context_pop(void **context) {
    if (context) {
        *context = &a_context;
    }
    return success;
}
Result context_version(void *, unsigned *version) {
    *version = 3020;
    return success;
}
Result context_device(int *device) { return device_get(device, 0); }
Result nothing() { return success; }
Result stream_ok(void *) { return success; }

Result module_load(void **module, const void *image) {
    now->modules.push_back(std::make_unique<Module>(Module{(const char *)image}));
    *module = now->modules.back().get();
    const std::string &text = now->modules.back()->text;
    line("module %zu\n", text.size());
    now->text += text + "\n";
    return success;
}
Result module_load_with(void **module, const void *image, unsigned, const int *, void **) { return module_load(module, image); }
Result module_unload(void *) { return success; }
Result module_function(void **function, void *module, const char *name) {
    auto f = std::make_unique<Function>();
    f->name = name;
    if (!param_sizes(((Module *)module)->text, name, f->sizes)) {
        return not_found;
    }
    *function = f.get();
    now->functions.push_back(std::move(f));
    return success;
}

Result launch(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *, void **params, void **extra) {
    if (extra) {
        return not_supported;
    }
    const auto *f = (const Function *)function;
    now->text += "launch " + f->name;
    line(" %u %u %u %u %u %u %u", gx, gy, gz, bx, by, bz, shared);
    for (size_t i = 0; i < f->sizes.size(); i++) {
        now->text += ' ';
        hex(params[i], f->sizes[i]);
    }
    now->text += "\n";
    return success;
}

Result allocate(Address *p, size_t n) {
    *p = now->next;
    now->next += (n + guard + alignment - 1) / alignment * alignment;
    line("alloc %llx %zu\n", (unsigned long long)*p, n);
    return success;
}
Result release(Address p) {
    line("free %llx\n", (unsigned long long)p);
    return success;
}

Result to_device(Address to, const void *from, size_t n) {
    for (const MadeUp &in : now->inputs) {
        const auto *p = (const char *)from;
        if (p >= in.begin && p < in.begin + in.bytes) {
            line("fill %llx %zu %s %zu\n", (unsigned long long)to, n, in.type.c_str(), (size_t)(p - in.begin));
            return success;
        }
    }
    const size_t some = n <= most_bytes - now->written ? n : 0;
    now->written += some;
    if (some == 0) {
        line("zero %llx %zu\n", (unsigned long long)to, n);
        return success;
    }
    line("write %llx ", (unsigned long long)to);
    hex(from, n);
    now->text += "\n";
    return success;
}
// The host gets zeros: nothing has been computed.
Result to_host(void *to, Address, size_t n) {
    memset(to, 0, n);
    return success;
}
Result on_device(Address to, Address from, size_t n) {
    line("copy %llx %llx %zu\n", (unsigned long long)to, (unsigned long long)from, n);
    return success;
}
Result to_device_async(Address to, const void *from, size_t n, void *) { return to_device(to, from, n); }
Result to_host_async(void *to, Address from, size_t n, void *) { return to_host(to, from, n); }
Result on_device_async(Address to, Address from, size_t n, void *) { return on_device(to, from, n); }
Result copy_box(const void *) { return not_supported; }  // looked up, never called
Result pointer_attribute(void *result, int, Address) {
    *(void **)result = &a_context;
    return success;
}

}  // namespace

void start_recording(std::vector<MadeUp> inputs) {
    static Recorder one;
    now = &one;
    one.inputs = std::move(inputs);
}

std::string recorded() { return now->text; }

void *recorder_symbol(const char *name) {
    static const std::map<std::string, void *> all = {
        {"cuInit", (void *)init},
        {"cuDeviceGetCount", (void *)device_count},
        {"cuDeviceGet", (void *)device_get},
        {"cuDeviceGetAttribute", (void *)device_attribute},
        {"cuDeviceGetName", (void *)device_name},
        {"cuDeviceTotalMem", (void *)device_memory},
        {"cuDeviceTotalMem_v2", (void *)device_memory},
        {"cuCtxCreate_v2", (void *)context_create},
        {"cuCtxDestroy_v2", (void *)context_ok},
        {"cuCtxPushCurrent_v2", (void *)context_ok},
        {"cuCtxPopCurrent_v2", (void *)context_pop},
        {"cuCtxGetApiVersion", (void *)context_version},
        {"cuCtxGetDevice", (void *)context_device},
        {"cuProfilerStop", (void *)nothing},
        {"cuCtxSynchronize", (void *)nothing},
        {"cuStreamSynchronize", (void *)stream_ok},
        {"cuModuleLoadData", (void *)module_load},
        {"cuModuleLoadDataEx", (void *)module_load_with},
        {"cuModuleUnload", (void *)module_unload},
        {"cuModuleGetFunction", (void *)module_function},
        {"cuLaunchKernel", (void *)launch},
        {"cuMemAlloc_v2", (void *)allocate},
        {"cuMemFree_v2", (void *)release},
        {"cuMemcpyHtoD_v2", (void *)to_device},
        {"cuMemcpyDtoH_v2", (void *)to_host},
        {"cuMemcpyDtoD_v2", (void *)on_device},
        {"cuMemcpyHtoDAsync_v2", (void *)to_device_async},
        {"cuMemcpyDtoHAsync_v2", (void *)to_host_async},
        {"cuMemcpyDtoDAsync_v2", (void *)on_device_async},
        {"cuMemcpy3D_v2", (void *)copy_box},
        {"cuPointerGetAttribute", (void *)pointer_attribute},
    };
    const auto found = all.find(name);
    return found == all.end() ? nullptr : found->second;
}

}  // namespace gowarp

// CUDA's driver as the bundle's programs call it, found at run time; and how they answer who
// started them.
#ifndef GOWARP_BUNDLE_DRIVER_H
#define GOWARP_BUNDLE_DRIVER_H

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// The C++ library, which is linked statically, has a std::random_device that nobody calls; what
// that asks for is only in glibc 2.36.
extern "C" unsigned arc4random(void) noexcept { abort(); }

using Clock = std::chrono::steady_clock;

inline double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

struct Failure {
    std::string text;
};

[[noreturn]] inline void fail(const std::string &text) { throw Failure{text}; }

// ---- answers: a line of JSON each ----

inline void reply(const std::string &fields) {
    printf("{%s}\n", fields.c_str());
    fflush(stdout);
}

inline std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (unsigned char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c < 0x20 ? ' ' : (char)c;
    }
    return out + "\"";
}

inline std::string list(const std::vector<double> &values) {
    std::string out = "[";
    char text[32];
    for (double v : values) {
        snprintf(text, sizeof(text), "%s%.4g", out.size() > 1 ? "," : "", v);
        out += text;
    }
    return out + "]";
}

// ---- the driver ----

using Handle = void *;
using Pointer = unsigned long long;

constexpr int not_ready = 600;
constexpr int attribute_sms = 16, attribute_clock_khz = 13, attribute_memory_clock_khz = 36, attribute_bus_bits = 37, attribute_l2_bytes = 38, attribute_major = 75, attribute_minor = 76;

#define DRIVER(X)                                           \
    X(cuCtxPushCurrent_v2, (Handle))                        \
    X(cuCtxSynchronize, ())                                 \
    X(cuCtxGetDevice, (int *))                              \
    X(cuDeviceGetAttribute, (int *, int, int))              \
    X(cuDeviceGetName, (char *, int, int))                  \
    X(cuDeviceTotalMem_v2, (size_t *, int))                 \
    X(cuMemAlloc_v2, (Pointer *, size_t))                   \
    X(cuMemFree_v2, (Pointer))                              \
    X(cuMemcpyHtoD_v2, (Pointer, const void *, size_t))     \
    X(cuMemcpyDtoH_v2, (void *, Pointer, size_t))           \
    X(cuMemcpyDtoDAsync_v2, (Pointer, Pointer, size_t, Handle)) \
    X(cuModuleLoadData, (Handle *, const char *))           \
    X(cuModuleUnload, (Handle))                             \
    X(cuModuleGetFunction, (Handle *, Handle, const char *)) \
    X(cuLaunchKernel, (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **)) \
    X(cuEventCreate, (Handle *, unsigned))                  \
    X(cuEventRecord, (Handle, Handle))                      \
    X(cuEventQuery, (Handle))                               \
    X(cuEventSynchronize, (Handle))                         \
    X(cuEventElapsedTime, (float *, Handle, Handle))

struct Driver {
#define X(name, args) int(*name) args = nullptr;
    DRIVER(X)
#undef X
    int (*cuGetErrorName)(int, const char **) = nullptr;  // only for words
    int (*cuDriverGetVersion)(int *) = nullptr;

    // Looks up what is not there yet; symbol returns an address for a name.
    template<typename F>
    void find(F symbol) {
        std::string missing;
#define X(name, args)                          \
    if (!name) {                               \
        name = (decltype(name))symbol(#name);  \
    }                                          \
    if (!name) {                               \
        missing += " " #name;                  \
    }
        DRIVER(X)
#undef X
        if (!missing.empty()) {
            fail("the CUDA driver has no" + missing);
        }
        cuGetErrorName = (decltype(cuGetErrorName))symbol("cuGetErrorName");
        cuDriverGetVersion = (decltype(cuDriverGetVersion))symbol("cuDriverGetVersion");
    }
};

inline Driver cuda;

inline void must(int error, const char *what) {
    if (!error) {
        return;
    }
    const char *name = nullptr;
    if (!cuda.cuGetErrorName || cuda.cuGetErrorName(error, &name) || !name) {
        name = "";
    }
    fail(std::string(what) + ": CUDA error " + std::to_string(error) + (*name ? " " : "") + name);
}

// Drivers without their development files have libcuda.so.1 alone, and some machines keep it
// where the linker does not look.
inline void *load_library(const char *name) {
    if (strcmp(name, "libcuda.so") != 0) {
        return dlopen(name, RTLD_LAZY);
    }
    for (const char *candidate : {"libcuda.so", "libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/nvidia/lib/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}) {
        if (void *lib = dlopen(candidate, RTLD_LAZY)) {
            return lib;
        }
    }
    return nullptr;
}

// 0 where the driver does not say.
inline int attribute(int device, int which) {
    int value = 0;
    return cuda.cuDeviceGetAttribute(&value, which, device) ? 0 : value;
}

inline Handle new_event() {
    Handle e = nullptr;
    must(cuda.cuEventCreate(&e, 0), "cuEventCreate");
    return e;
}

// Waits for the second.
inline double elapsed_ms(Handle from, Handle to) {
    must(cuda.cuEventSynchronize(to), "cuEventSynchronize");
    float ms = 0;
    must(cuda.cuEventElapsedTime(&ms, from, to), "cuEventElapsedTime");
    return ms;
}

inline void sync() { must(cuda.cuCtxSynchronize(), "cuCtxSynchronize"); }

#endif

// A stand-in for the CUDA driver, libcuda.so, that runs kernels on gowarp's simulator.
//
// It holds the functions that Halide's CUDA runtime looks up, events for programs that time
// themselves, and nothing of the simulator itself: the first cuInit starts gowarp-gpusim, which lies beside this library, as a
// process of its own, and every call that matters is a message to it. Device memory is a
// memfd that both processes map, so copies between host and device are plain memcpy.
// A process of its own, because two Go runtimes in one process can panic and the host
// may well have loaded gowarp's plugin.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef int CUresult;
typedef uint64_t CUdeviceptr;

// CUDA's numbers.
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    SYSTEM_NOT_READY = 802,
    NOT_SUPPORTED = 801,
};

// The messages; server/protocol.go has the same list.
enum {
    OP_HELLO = 1,
    OP_LOAD,
    OP_UNLOAD,
    OP_FUNCTION,
    OP_ALLOC,
    OP_FREE,
    OP_LAUNCH,
    OP_WROTE,
    OP_READ,
    OP_COPY,
    OP_SYNC,
};

// Where device memory begins; exec.GlobalBase.
#define GLOBAL_BASE 0x7f0000000000ull

extern char **environ;

#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sock = -1;
static pid_t owner;        // the process that started the simulator
static char *arena;        // device memory
static size_t arena_bytes;
static struct {
    int32_t major, minor, sms, pad;
    uint64_t budget;
} device;
static int context_object;

static int send_all(const void *data, size_t n) {
    const char *p = data;
    while (n) {
        ssize_t k = send(sock, p, n, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return -1;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

static int receive_all(void *data, size_t n) {
    char *p = data;
    while (n) {
        ssize_t k = recv(sock, p, n, 0);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return -1;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

static CUresult broken(void) {
    static int told;
    if (!told) fprintf(stderr, "gowarp-gpusim: the simulator's process has ended; see above for its last words\n");
    told = 1;
    return SYSTEM_NOT_READY;
}

// call sends a message of two parts and receives the reply; at most most bytes of it are
// kept. The lock is held.
static CUresult call_locked(uint32_t op, const void *a, size_t na, const void *b, size_t nb, void *reply, size_t most, size_t *got) {
    if (sock < 0) return NOT_INITIALIZED;
    if (getpid() != owner) {
        fprintf(stderr, "gowarp-gpusim: CUDA was initialised before fork; a child cannot use it, as with the real driver\n");
        return NOT_INITIALIZED;
    }
    uint64_t head[2] = {op, na + nb};
    if (send_all(head, sizeof head) || send_all(a, na) || send_all(b, nb)) return broken();
    int64_t answer[2];  // result, bytes
    if (receive_all(answer, sizeof answer)) return broken();
    size_t n = (size_t)answer[1];
    if (n > most) return broken();
    if (n && receive_all(reply, n)) return broken();
    if (got) *got = n;
    return (CUresult)answer[0];
}

static CUresult call(uint32_t op, const void *a, size_t na, const void *b, size_t nb, void *reply, size_t most, size_t *got) {
    pthread_mutex_lock(&lock);
    CUresult r = call_locked(op, a, na, b, nb, reply, most, got);
    pthread_mutex_unlock(&lock);
    return r;
}

// server_path is the simulator's executable: beside this library.
static int server_path(char *path, size_t n) {
    const char *given = getenv("GOWARP_GPUSIM_SERVER");
    if (given && *given) return snprintf(path, n, "%s", given) < (int)n ? 0 : -1;
    Dl_info info;
    if (!dladdr((void *)server_path, &info) || !info.dli_fname) return -1;
    const char *slash = strrchr(info.dli_fname, '/');
    int dir = slash ? (int)(slash - info.dli_fname) : 1;
    return snprintf(path, n, "%.*s/gowarp-gpusim", dir, slash ? info.dli_fname : ".") < (int)n ? 0 : -1;
}

static CUresult start(void) {
    if (sock >= 0) return getpid() == owner ? SUCCESS : NOT_INITIALIZED;
    char path[4096];
    if (server_path(path, sizeof path)) return SYSTEM_NOT_READY;
    int memory = memfd_create("gowarp-gpusim", MFD_CLOEXEC);
    if (memory < 0) return OUT_OF_MEMORY;
    // Addresses are never used twice, so there are many more than bytes; halve until the
    // process's limits allow them.
    size_t bytes = (size_t)1 << 38;
    char *at = MAP_FAILED;
    for (; bytes >= (size_t)1 << 28; bytes >>= 1) {
        if (ftruncate(memory, (off_t)bytes)) continue;
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
        if (at != MAP_FAILED) break;
    }
    int pair[2];
    if (at == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        close(memory);
        return OUT_OF_MEMORY;
    }
    // First away from the numbers 3 and 4, which they then get in the child.
    int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 16), shared = fcntl(memory, F_DUPFD_CLOEXEC, 16);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, 3);
    posix_spawn_file_actions_adddup2(&actions, shared, 4);
    char *argv[] = {path, NULL};
    pid_t child;
    int failed = theirs < 0 || shared < 0 ? EMFILE : posix_spawn(&child, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(theirs);
    close(shared);
    close(pair[1]);
    close(memory);
    if (failed) {
        fprintf(stderr, "gowarp-gpusim: cannot start %s: %s\n", path, strerror(failed));
        close(pair[0]);
        munmap(at, bytes);
        return SYSTEM_NOT_READY;
    }
    sock = pair[0];
    owner = getpid();
    arena = at;
    arena_bytes = bytes;
    uint64_t size = bytes;
    CUresult r = call_locked(OP_HELLO, &size, sizeof size, NULL, 0, &device, sizeof device, NULL);
    if (r != SUCCESS) {
        close(sock);
        sock = -1;
    }
    return r;
}

EXPORT CUresult cuInit(unsigned flags) {
    if (flags) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    CUresult r = start();
    pthread_mutex_unlock(&lock);
    return r;
}

EXPORT CUresult cuDeviceGetCount(int *count) {
    if (sock < 0) return NOT_INITIALIZED;
    *count = 1;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGet(int *dev, int ordinal) {
    if (sock < 0) return NOT_INITIALIZED;
    if (ordinal != 0) return INVALID_DEVICE;
    *dev = 0;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, int dev) {
    if (sock < 0) return NOT_INITIALIZED;
    if (dev != 0) return INVALID_DEVICE;
    static const struct {
        int attribute, value;
    } known[] = {{1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 48 << 10}, {9, 64 << 10}, {10, 32}, {12, 65536}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return SUCCESS;
        }
    }
    switch (attribute) {
    case 16: *value = device.sms; return SUCCESS;
    case 75: *value = device.major; return SUCCESS;
    case 76: *value = device.minor; return SUCCESS;
    }
    return INVALID_VALUE;
}

EXPORT CUresult cuDeviceGetName(char *name, int n, int dev) {
    if (dev != 0) return INVALID_DEVICE;
    if (n > 0) snprintf(name, (size_t)n, "gowarp gpusim (sm_%d%d)", device.major, device.minor);
    return SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, int dev) {
    if (dev != 0) return INVALID_DEVICE;
    *bytes = device.budget;
    return SUCCESS;
}
EXPORT CUresult cuDeviceTotalMem(size_t *bytes, int dev) { return cuDeviceTotalMem_v2(bytes, dev); }

EXPORT CUresult cuCtxCreate_v2(void **context, unsigned flags, int dev) {
    (void)flags;
    if (sock < 0) return NOT_INITIALIZED;
    if (dev != 0) return INVALID_DEVICE;
    *context = &context_object;
    return SUCCESS;
}
EXPORT CUresult cuCtxDestroy_v2(void *context) { return context == &context_object ? SUCCESS : INVALID_CONTEXT; }
EXPORT CUresult cuCtxPushCurrent_v2(void *context) { return context == &context_object ? SUCCESS : INVALID_CONTEXT; }
EXPORT CUresult cuCtxPopCurrent_v2(void **context) {
    if (context) *context = &context_object;
    return SUCCESS;
}
EXPORT CUresult cuCtxGetApiVersion(void *context, unsigned *version) {
    (void)context;
    *version = 3020;
    return SUCCESS;
}
EXPORT CUresult cuCtxGetDevice(int *dev) {
    if (sock < 0) return NOT_INITIALIZED;
    *dev = 0;
    return SUCCESS;
}
EXPORT CUresult cuProfilerStop(void) { return SUCCESS; }
EXPORT CUresult cuCtxSynchronize(void) { return call(OP_SYNC, NULL, 0, NULL, 0, NULL, 0, NULL); }
EXPORT CUresult cuStreamSynchronize(void *stream) {
    (void)stream;
    return cuCtxSynchronize();
}

// Events hold the host's time at which all that was launched before is over, for programs
// that time themselves.
EXPORT CUresult cuEventCreate(void **event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof(struct timespec));
    return *event ? SUCCESS : OUT_OF_MEMORY;
}
EXPORT CUresult cuEventDestroy_v2(void *event) {
    free(event);
    return SUCCESS;
}
EXPORT CUresult cuEventRecord(void *event, void *stream) {
    (void)stream;
    if (!event) return INVALID_VALUE;
    CUresult r = cuCtxSynchronize();
    if (r == SUCCESS) clock_gettime(CLOCK_MONOTONIC, event);
    return r;
}
// A fault shows here as it does at any call that waits.
EXPORT CUresult cuEventSynchronize(void *event) { return event ? cuCtxSynchronize() : INVALID_VALUE; }
EXPORT CUresult cuEventQuery(void *event) { return cuEventSynchronize(event); }
EXPORT CUresult cuEventElapsedTime(float *ms, void *from, void *to) {
    const struct timespec *a = from, *b = to;
    if (!a || !b) return INVALID_VALUE;
    *ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) / 1e6);
    return SUCCESS;
}

EXPORT CUresult cuModuleLoadData(void **module, const void *image) {
    uint64_t id = 0;
    CUresult r = call(OP_LOAD, image, strlen(image), NULL, 0, &id, sizeof id, NULL);
    *module = (void *)(uintptr_t)id;
    return r;
}
EXPORT CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned n, const int *options, void **values) {
    (void)n;
    (void)options;
    (void)values;
    return cuModuleLoadData(module, image);
}
EXPORT CUresult cuModuleUnload(void *module) {
    uint64_t id = (uintptr_t)module;
    return call(OP_UNLOAD, &id, sizeof id, NULL, 0, NULL, 0, NULL);
}

// A kernel's parameters: kernelParams holds pointers to them, whose sizes only the PTX
// knows. Handles of functions live as long as the process.
enum { MAX_PARAMS = 1024 };
struct function {
    uint64_t id;
    uint64_t bytes;  // of all parameters
    uint64_t count;
    uint64_t param[2 * MAX_PARAMS];  // size and offset of each
};

EXPORT CUresult cuModuleGetFunction(void **function, void *module, const char *name) {
    struct function *f = calloc(1, sizeof *f);
    if (!f) return OUT_OF_MEMORY;
    uint64_t id = (uintptr_t)module;
    CUresult r = call(OP_FUNCTION, &id, sizeof id, name, strlen(name), f, sizeof *f, NULL);
    if (r != SUCCESS) {
        free(f);
        f = NULL;
    }
    *function = f;
    return r;
}

EXPORT CUresult cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                               unsigned shared, void *stream, void **params, void **extra) {
    (void)stream;
    const struct function *f = function;
    if (!f) return INVALID_VALUE;
    if (extra) return NOT_SUPPORTED;
    if (f->count && !params) return INVALID_VALUE;
    uint64_t head[8] = {f->id, gx, gy, gz, bx, by, bz, shared};
    char *bytes = calloc(1, f->bytes + 1);
    if (!bytes) return OUT_OF_MEMORY;
    for (uint64_t i = 0; i < f->count; i++) memcpy(bytes + f->param[2 * i + 1], params[i], f->param[2 * i]);
    CUresult r = call(OP_LAUNCH, head, sizeof head, bytes, f->bytes, NULL, 0, NULL);
    free(bytes);
    return r;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) {
    uint64_t bytes = n;
    *p = 0;
    return call(OP_ALLOC, &bytes, sizeof bytes, NULL, 0, p, sizeof *p, NULL);
}
EXPORT CUresult cuMemFree_v2(CUdeviceptr p) { return call(OP_FREE, &p, sizeof p, NULL, 0, NULL, 0, NULL); }

// The simulator checks an access before the bytes move, so a wrong address moves none.
static CUresult noted(uint32_t op, CUdeviceptr p, size_t n) {
    uint64_t range[2] = {p, n};
    return call(op, range, sizeof range, NULL, 0, NULL, 0, NULL);
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) {
    if (!n) return SUCCESS;
    CUresult r = noted(OP_WROTE, to, n);
    if (r == SUCCESS) memcpy(arena + (to - GLOBAL_BASE), from, n);
    return r;
}
EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) {
    if (!n) return SUCCESS;
    CUresult r = noted(OP_READ, from, n);
    if (r == SUCCESS) memcpy(to, arena + (from - GLOBAL_BASE), n);
    return r;
}
EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) {
    if (!n) return SUCCESS;
    uint64_t range[3] = {to, from, n};
    return call(OP_COPY, range, sizeof range, NULL, 0, NULL, 0, NULL);
}
EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, void *stream) {
    (void)stream;
    return cuMemcpyHtoD_v2(to, from, n);
}
EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, void *stream) {
    (void)stream;
    return cuMemcpyDtoH_v2(to, from, n);
}
EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, void *stream) {
    (void)stream;
    return cuMemcpyDtoD_v2(to, from, n);
}
// Halide's runtime looks it up and never calls it.
EXPORT CUresult cuMemcpy3D_v2(const void *copy) {
    (void)copy;
    return NOT_SUPPORTED;
}

EXPORT CUresult cuPointerGetAttribute(void *result, int attribute, CUdeviceptr p) {
    if (attribute != 1 || p < GLOBAL_BASE || p - GLOBAL_BASE >= arena_bytes) return INVALID_VALUE;  // 1: the context
    *(void **)result = &context_object;
    return SUCCESS;
}

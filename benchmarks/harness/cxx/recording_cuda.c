// A stand-in for the CUDA driver, libcuda.so, that runs nothing: memory is host
// memory, kernels do not execute, and every launch is written as one line to the file
// that GOWARP_LAUNCHES names. It shows the launches that Halide's runtime makes at
// run-time sizes on a machine without a GPU; outputs are whatever the memory held.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;  // 0 is success
typedef uintptr_t CUdeviceptr;

enum { ATTRIBUTE_CAPABILITY_MAJOR = 75,
       ATTRIBUTE_CAPABILITY_MINOR = 76 };

static int object;  // every handle points here

CUresult cuInit(unsigned flags) {
    (void)flags;
    return 0;
}
CUresult cuDeviceGetCount(int *count) {
    *count = 1;
    return 0;
}
CUresult cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return 0;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    // 9.0, so that code for every capability that Halide emits is accepted.
    *value = attribute == ATTRIBUTE_CAPABILITY_MAJOR ? 9 : attribute == ATTRIBUTE_CAPABILITY_MINOR ? 0 : 1024;
    return 0;
}
CUresult cuDeviceGetName(char *name, int length, int device) {
    (void)device;
    snprintf(name, (size_t)length, "recording stand-in");
    return 0;
}
CUresult cuDeviceTotalMem(size_t *bytes, int device) {
    (void)device;
    *bytes = (size_t)8 << 30;
    return 0;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, int device) {
    return cuDeviceTotalMem(bytes, device);
}
CUresult cuCtxCreate_v2(void **context, unsigned flags, int device) {
    (void)flags;
    (void)device;
    *context = &object;
    return 0;
}
CUresult cuCtxDestroy_v2(void *context) {
    (void)context;
    return 0;
}
CUresult cuProfilerStop(void) {
    return 0;
}
CUresult cuCtxGetApiVersion(void *context, unsigned *version) {
    (void)context;
    *version = 12000;
    return 0;
}
CUresult cuCtxGetDevice(int *device) {
    *device = 0;
    return 0;
}
CUresult cuCtxPushCurrent_v2(void *context) {
    (void)context;
    return 0;
}
CUresult cuCtxPopCurrent_v2(void **context) {
    *context = &object;
    return 0;
}
CUresult cuCtxSynchronize(void) {
    return 0;
}
CUresult cuStreamSynchronize(void *stream) {
    (void)stream;
    return 0;
}
CUresult cuModuleLoadData(void **module, const void *image) {
    (void)image;
    *module = &object;
    return 0;
}
CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values) {
    (void)image;
    (void)n;
    (void)options;
    (void)values;
    *module = &object;
    return 0;
}
CUresult cuModuleUnload(void *module) {
    (void)module;
    return 0;
}
// A function handle is a copy of its name: launches are recorded by name.
CUresult cuModuleGetFunction(void **function, void *module, const char *name) {
    (void)module;
    *function = strdup(name);
    return *function ? 0 : 2;
}
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
    void *memory = calloc(1, bytes ? bytes : 1);
    *pointer = (CUdeviceptr)memory;
    return memory ? 0 : 2;
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
    free((void *)pointer);
    return 0;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    memcpy((void *)to, from, bytes);
    return 0;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, void *stream) {
    (void)stream;
    return cuMemcpyHtoD_v2(to, from, bytes);
}
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    memcpy(to, (void *)from, bytes);
    return 0;
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, void *stream) {
    (void)stream;
    return cuMemcpyDtoH_v2(to, from, bytes);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    memmove((void *)to, (void *)from, bytes);
    return 0;
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, void *stream) {
    (void)stream;
    return cuMemcpyDtoD_v2(to, from, bytes);
}
// Kernels compute nothing, so what a strided copy would move does not matter.
CUresult cuMemcpy3D_v2(const void *copy) {
    (void)copy;
    return 0;
}
CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr pointer) {
    (void)attribute;
    memcpy(data, &pointer, sizeof(pointer));
    return 0;
}
CUresult cuLaunchKernel(void *function, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty, unsigned tz,
                        unsigned shared, void *stream, void **arguments, void **extra) {
    (void)stream;
    (void)arguments;
    (void)extra;
    const char *path = getenv("GOWARP_LAUNCHES");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) {
        return 1;
    }
    fprintf(file, "%s %u %u %u %u %u %u %u\n", (const char *)function, bx, by, bz, tx, ty, tz, shared);
    return fclose(file) ? 1 : 0;
}

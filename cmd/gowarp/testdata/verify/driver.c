// A program that uses the CUDA driver as Halide's runtime does, on a kernel that is given:
// driver FILE.ptx BLOCKS THREADS SHARED_BYTES. The kernel is named k and takes one
// pointer to 4096 zeros of 32 bits; the first 64 are printed afterwards.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *lib;

static void done(int code, const char *what) {
    if (!code) return;
    fprintf(stderr, "driver: %s: CUDA error %d\n", what, code);
    exit(10);
}

#define CALL(name, ...) done(((int (*)())dlsym(lib, #name))(__VA_ARGS__), #name)

int main(int argc, char **argv) {
    if (argc != 5) return 11;
    static char text[1 << 20];
    FILE *f = fopen(argv[1], "r");
    if (!f || !fread(text, 1, sizeof text - 1, f)) return 12;
    lib = dlopen("libcuda.so", RTLD_NOW);
    if (!lib) return 13;
    void *context = NULL, *module = NULL, *function = NULL;
    uint64_t p = 0;
    static uint32_t data[4096];
    CALL(cuInit, 0);
    CALL(cuCtxCreate_v2, &context, 0, 0);
    CALL(cuModuleLoadData, &module, text);
    CALL(cuModuleGetFunction, &function, module, "k");
    CALL(cuMemAlloc_v2, &p, sizeof data);
    CALL(cuMemcpyHtoD_v2, p, data, sizeof data);
    void *params[] = {&p};
    CALL(cuLaunchKernel, function, atoi(argv[2]), 1, 1, atoi(argv[3]), 1, 1, atoi(argv[4]), NULL, params, NULL);
    CALL(cuCtxSynchronize);
    CALL(cuMemcpyDtoH_v2, data, p, sizeof data);
    CALL(cuMemFree_v2, p);
    for (int i = 0; i < 64; i++) printf("%u ", data[i]);
    printf("\n");
    return 0;
}

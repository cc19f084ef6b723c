// Asks NVIDIA's cuda_occupancy.h for the occupancy of whole grids of launches,
// for oracle_test.go to compare with this package's. It is built by the test
// against the header of the PyPI wheel nvidia-cuda-runtime-cu12 and is no part
// of the project.
//
// Standard input is numbers in decimal, standard output is bytes:
//
//   1 <major> <minor> <threads/block> <threads/SM> <registers/block>
//     <registers/SM> <warp size> <shared/block> <shared/SM> <SMs>
//     <shared/block opt-in> <reserved shared/block>
//       describes the device of what follows. Answers the header's own figures
//       as six int32: blocks/SM, registers of an allocation, registers/thread,
//       partitions, shared bytes of an allocation, and 1 if shared/SM is the
//       largest carve-out (from 7.0 on; 2 before).
//   2 <opt-in> <n> <threads>... <n> <registers>... <n> <shared bytes>...
//       answers for every combination, the last varying fastest, two bytes:
//       active blocks and limiting factors, or 255 and the error.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "cuda_occupancy.h"

static bool read_list(std::vector<int> &list) {
    int n = 0;
    if (scanf("%d", &n) != 1) return false;
    list.resize(n);
    for (int &v : list) {
        if (scanf("%d", &v) != 1) return false;
    }
    return true;
}

static bool read_device(cudaOccDeviceProp &p) {
    long v[12];
    for (long &x : v) {
        if (scanf("%ld", &x) != 1) return false;
    }
    p.computeMajor = v[0];
    p.computeMinor = v[1];
    p.maxThreadsPerBlock = v[2];
    p.maxThreadsPerMultiprocessor = v[3];
    p.regsPerBlock = v[4];
    p.regsPerMultiprocessor = v[5];
    p.warpSize = v[6];
    p.sharedMemPerBlock = v[7];
    p.sharedMemPerMultiprocessor = v[8];
    p.numSms = v[9];
    p.sharedMemPerBlockOptin = v[10];
    p.reservedSharedMemPerBlock = v[11];
    return true;
}

static void put_figures(const cudaOccDeviceProp &p) {
    int32_t f[6] = {-1, -1, -1, -1, -1, 2};
    cudaOccMaxBlocksPerMultiprocessor(&f[0], &p);
    cudaOccRegAllocationGranularity(&f[1], &p);
    cudaOccRegAllocationMaxPerThread(&f[2], &p);
    cudaOccSubPartitionsPerMultiprocessor(&f[3], &p);
    cudaOccSMemAllocationGranularity(&f[4], &p);
    if (p.computeMajor >= 7) {
        size_t at = p.sharedMemPerMultiprocessor, above = at + 1;
        const bool exact = cudaOccAlignUpShmemSizeVoltaPlus(&at, &p) == CUDA_OCC_SUCCESS &&
                           at == p.sharedMemPerMultiprocessor;
        const bool largest = cudaOccAlignUpShmemSizeVoltaPlus(&above, &p) != CUDA_OCC_SUCCESS;
        f[5] = exact && largest;
    }
    fwrite(f, sizeof f, 1, stdout);
}

int main() {
    static char buffer[1 << 20];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);

    cudaOccDeviceProp device;
    cudaOccDeviceState state;
    int command = 0;
    // Flushed before every read: the test waits for an answer before it asks on.
    while (fflush(stdout), scanf("%d", &command) == 1) {
        if (command == 1) {
            if (!read_device(device)) return 1;
            put_figures(device);
            continue;
        }
        int optin = 0;
        std::vector<int> threads, registers, shared;
        if (scanf("%d", &optin) != 1 || !read_list(threads) || !read_list(registers) || !read_list(shared)) {
            return 1;
        }
        for (int t : threads) {
            for (int r : registers) {
                for (int s : shared) {
                    cudaOccFuncAttributes kernel;
                    kernel.maxThreadsPerBlock = device.maxThreadsPerBlock;
                    kernel.numRegs = r;
                    kernel.numBlockBarriers = 1;  // as for every kernel that the runtime describes
                    size_t dynamic = 0;
                    if (optin) {
                        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                        kernel.maxDynamicSharedSizeBytes = dynamic = s;
                    } else {
                        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_DEFAULT;
                        dynamic = s / 2;
                        kernel.sharedSizeBytes = s - dynamic;
                    }
                    cudaOccResult result;
                    const cudaOccError error =
                        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, t, dynamic);
                    if (error != CUDA_OCC_SUCCESS) {
                        putchar(255);
                        putchar(error);
                    } else {
                        putchar(result.activeBlocksPerMultiprocessor);
                        putchar(result.limitingFactors);
                    }
                }
            }
        }
    }
    return 0;
}

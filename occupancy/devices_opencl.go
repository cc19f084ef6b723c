package occupancy

// Intel publishes an occupancy calculator of its own (oneAPI samples,
// Tools/GPU-Occupancy-Calculator); the two Intel devices below carry its
// figures, rewritten as this package's. A "warp" is a hardware thread running
// a sub-group of 16, an "SM" a dual subslice or Xe core.
//
// A hardware thread owns 128 registers of 32 bytes, used or not: 1024 words a
// warp, 64 for each of 16 lanes, so registers never limit occupancy; a kernel
// that needs more spills. Blocks are limited to the 32 barriers of a subslice,
// which is too strict for kernels without a barrier.
const (
	intelLanesPerThread    = 16
	intelWordsPerThread    = 128 * 32 / 4
	intelBarriers          = 32
	intelSharedPerBlock    = 64 * kib
	intelSource            = "Intel oneAPI GPU Occupancy Calculator"
	intelRegistersPerLane  = intelWordsPerThread / intelLanesPerThread
	irisXeThreads          = 16 * 7 // vector engines of a subslice x threads of each
	arcThreads             = 16 * 8
	intelFP32LanesPerXCore = 16 * 8
)

var irisXe = Device{
	Name:  "iris-xe",
	Title: "Intel Iris Xe Graphics (96 EU)",
	API:   OpenCL,
	SMs:   6,

	WarpSize:           intelLanesPerThread,
	MaxThreadsPerBlock: 512,
	MaxThreadsPerSM:    irisXeThreads * intelLanesPerThread,
	MaxBlocksPerSM:     intelBarriers,

	RegistersPerSM:        irisXeThreads * intelWordsPerThread,
	RegistersPerBlock:     irisXeThreads * intelWordsPerThread,
	MaxRegistersPerThread: intelRegistersPerLane,
	RegisterAllocUnit:     intelWordsPerThread,
	WarpAllocGranularity:  1,

	SharedPerSM:         64 * kib,
	SharedPerBlock:      intelSharedPerBlock,
	SharedPerBlockOptin: intelSharedPerBlock,
	SharedAllocUnit:     1 * kib,
	SharedAllocPow2:     true,

	MaxGrid:  [3]int{1<<31 - 1, 1<<31 - 1, 1<<31 - 1},
	MaxBlock: [3]int{512, 512, 512},

	L2Bytes:       3840 * kib, // Intel calls it L3
	DRAMBandwidth: 68.3e9,     // LPDDR4x-4266, 128 bit
	ClockHz:       1350e6,
	LanesPerSM:    intelFP32LanesPerXCore,
	Source:        intelSource + "; Intel Core i7-1185G7 product page; uncertain: L2, shared memory per SM (128 KiB in some of Intel's documents)",
}

var arcA770 = Device{
	Name:  "arc-a770",
	Title: "Intel Arc A770 16 GB",
	API:   OpenCL,
	SMs:   32,

	WarpSize:           intelLanesPerThread,
	MaxThreadsPerBlock: 1024,
	MaxThreadsPerSM:    arcThreads * intelLanesPerThread,
	MaxBlocksPerSM:     intelBarriers,

	RegistersPerSM:        arcThreads * intelWordsPerThread,
	RegistersPerBlock:     arcThreads * intelWordsPerThread,
	MaxRegistersPerThread: intelRegistersPerLane,
	RegisterAllocUnit:     intelWordsPerThread,
	WarpAllocGranularity:  1,

	SharedPerSM:         128 * kib,
	SharedPerBlock:      intelSharedPerBlock,
	SharedPerBlockOptin: intelSharedPerBlock,
	SharedAllocUnit:     1 * kib,
	SharedAllocPow2:     true,

	MaxGrid:  [3]int{1<<31 - 1, 1<<31 - 1, 1<<31 - 1},
	MaxBlock: [3]int{1024, 1024, 1024},

	L2Bytes:       16 * mib,
	DRAMBandwidth: 560e9,
	ClockHz:       2100e6,
	LanesPerSM:    intelFP32LanesPerXCore,
	Source:        intelSource + "; Intel Arc A770 product page",
}

// The generic device is a promise about nearly every GPU, not a GPU.
//
//   - 256 threads a block: what AMD's and Intel's older OpenCL drivers offer,
//     and the least of the Vulkan Roadmap 2022 profile. (Core Vulkan requires
//     only 128, and OpenCL itself 1.) Metal offers 512 or more.
//   - 32 KiB of shared memory a block: the least CL_DEVICE_LOCAL_MEM_SIZE of an
//     OpenCL 1.1 full-profile GPU, and what Metal offers on every GPU it now
//     supports. Core Vulkan requires only 16 KiB; lower it there.
//   - blocks of at most 256 x 256 x 64 threads and 65535 blocks a dimension:
//     the least Vulkan maxComputeWorkGroupSize (z) and ...GroupCount.
//
// (Written down from knowledge of those specifications, not read again.)
//
// The rest only steers the cost model: a middling integrated GPU, eight
// compute units of 64 lanes with 1024 threads and 64 Ki registers each.
var generic = Device{
	Name:  "generic",
	Title: "Generic OpenCL, Metal or Vulkan GPU",
	API:   OpenCL,
	SMs:   8,

	WarpSize:           32,
	MaxThreadsPerBlock: 256,
	MaxThreadsPerSM:    1024,
	MaxBlocksPerSM:     16,

	RegistersPerSM:        64 * 1024,
	RegistersPerBlock:     64 * 1024,
	MaxRegistersPerThread: 256,
	RegisterAllocUnit:     256,
	WarpAllocGranularity:  4,

	SharedPerSM:         64 * kib,
	SharedPerBlock:      32 * kib,
	SharedPerBlockOptin: 32 * kib,
	SharedAllocUnit:     256,

	MaxGrid:  [3]int{65535, 65535, 65535},
	MaxBlock: [3]int{256, 256, 64},

	L2Bytes:       1 * mib,
	DRAMBandwidth: 50e9,
	ClockHz:       1e9,
	LanesPerSM:    64,
	Source:        "minimum limits of OpenCL 1.1 full profile, Metal and the Vulkan Roadmap 2022 profile; every other figure is an assumption",
}

// Generic returns the device to assume when nothing is known but that it is a
// GPU: an OpenCL, Metal or Vulkan device with limits nearly every one grants.
func Generic() Device { return generic }

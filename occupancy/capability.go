package occupancy

import "fmt"

const (
	kib = 1 << 10
	mib = 1 << 20
)

// An architecture is what every GPU of one compute capability has in common.
type architecture struct {
	capability     int
	representative string // Name of the GPU that stands for the capability

	threadsPerSM, blocksPerSM     int
	registersPerSM, perBlock      int // in units of 1024 registers
	maxRegisters, partitions      int // per thread; of the register file
	sharedPerSM, sharedOptin      int // KiB
	sharedUnit, sharedReservation int // bytes
	lanes                         int // fp32
}

// The columns up to sharedOptin, and lanes, are those of the CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability" and
// "Arithmetic Instructions" (editions 7.5 to 12.9; older ones for capability
// 3). blocksPerSM, maxRegisters, partitions and sharedUnit are compared with
// cuda_occupancy.h of CUDA 12.9 by TestOracle, as is sharedPerSM from 7.0 on.
// The driver's reservation of 1 KiB a block from 8.0 on: the tuning guides of
// Ampere, Ada, Hopper and Blackwell. From 6.0 on the threads, the blocks
// and the sizes per SM and block were also checked against NVIDIA's CCCL,
// cuda/__device/arch_traits.h, which lacks 7.2.
//
// Not beyond doubt:
//   - below 6.0: written down from knowledge of the guide, not read again.
//   - 3.0: the guide gives 63 registers a thread; the header, which no longer
//     tells 3.0 from 3.5, allows 255.
//   - 3.2: the guide (6.5) gives 64 Ki registers an SM and 32 Ki a block;
//     HalideAutoGPU's table has 32 Ki for both.
//   - 5.2: NVIDIA's old spreadsheet gave 32 Ki registers a block; the guide
//     and deviceQuery on a GTX TITAN X give 64 Ki.
//   - lanes of 10.3, 11.0 and 12.1: taken to be those of 10.0 and 12.0.
//
// 11.0 (Jetson Thor) was called 10.1 up to CUDA 12.9.
var architectures = []architecture{
	//                    -- per SM --  - registers, Ki -  -------- shared --------
	// cc, stands for it, thrds, blcks, SM, blk, thrd, part, SM, optin, unit, resv, lanes
	{30, "gtx680", 2048, 16, 64, 64, 63, 4, 48, 48, 256, 0, 192},
	{32, "tegra-k1", 2048, 16, 64, 32, 255, 4, 48, 48, 256, 0, 192},
	{35, "gtxtitan", 2048, 16, 64, 64, 255, 4, 48, 48, 256, 0, 192},
	{37, "k80", 2048, 16, 128, 64, 255, 4, 112, 48, 256, 0, 192},
	{50, "gtx750ti", 2048, 32, 64, 64, 255, 4, 64, 48, 256, 0, 128},
	{52, "gtx980", 2048, 32, 64, 64, 255, 4, 96, 48, 256, 0, 128},
	{53, "jetson-tx1", 2048, 32, 64, 32, 255, 4, 64, 48, 256, 0, 128},
	{60, "p100", 2048, 32, 64, 64, 255, 2, 64, 48, 256, 0, 64},
	{61, "gtx1080ti", 2048, 32, 64, 64, 255, 4, 96, 48, 256, 0, 128},
	{62, "jetson-tx2", 2048, 32, 64, 32, 255, 4, 64, 48, 256, 0, 128},
	{70, "v100", 2048, 32, 64, 64, 256, 4, 96, 96, 256, 0, 64},
	{72, "xavier", 2048, 32, 64, 64, 256, 4, 96, 96, 256, 0, 64},
	{75, "rtx2080ti", 1024, 16, 64, 64, 256, 4, 64, 64, 256, 0, 64},
	{80, "a100", 2048, 32, 64, 64, 256, 4, 164, 163, 128, 1024, 64},
	{86, "rtx3090", 1536, 16, 64, 64, 256, 4, 100, 99, 128, 1024, 128},
	{87, "jetson-orin", 1536, 16, 64, 64, 256, 4, 164, 163, 128, 1024, 128},
	{89, "rtx4090", 1536, 24, 64, 64, 256, 4, 100, 99, 128, 1024, 128},
	{90, "h100", 2048, 32, 64, 64, 256, 4, 228, 227, 128, 1024, 128},
	{100, "b200", 2048, 32, 64, 64, 256, 4, 228, 227, 128, 1024, 128},
	{103, "b300", 2048, 32, 64, 64, 256, 4, 228, 227, 128, 1024, 128},
	{110, "jetson-thor", 1536, 24, 64, 64, 256, 4, 228, 227, 128, 1024, 128},
	{120, "rtx5090", 1536, 24, 64, 64, 256, 4, 100, 99, 128, 1024, 128},
	{121, "gb10", 1536, 24, 64, 64, 256, 4, 100, 99, 128, 1024, 128},
}

// device fills in what a GPU has from its architecture.
func (a *architecture) device() Device {
	return Device{
		API:        CUDA,
		Capability: a.capability,

		WarpSize:           32,
		MaxThreadsPerBlock: 1024,
		MaxThreadsPerSM:    a.threadsPerSM,
		MaxBlocksPerSM:     a.blocksPerSM,

		RegistersPerSM:        a.registersPerSM * 1024,
		RegistersPerBlock:     a.perBlock * 1024,
		MaxRegistersPerThread: a.maxRegisters,
		RegisterAllocUnit:     256,
		WarpAllocGranularity:  a.partitions,

		SharedPerSM:            a.sharedPerSM * kib,
		SharedPerBlock:         48 * kib,
		SharedPerBlockOptin:    a.sharedOptin * kib,
		SharedAllocUnit:        a.sharedUnit,
		ReservedSharedPerBlock: a.sharedReservation,

		MaxGrid:    [3]int{1<<31 - 1, 65535, 65535},
		MaxBlock:   [3]int{1024, 1024, 64},
		LanesPerSM: a.lanes,
	}
}

// canonicalCapability maps a capability to the one under which the table has
// its limits.
func canonicalCapability(cc int) int {
	switch cc {
	case 88: // limits of 8.6 (CCCL), and no GPU of its own that is publicly described
		return 86
	case 101: // the former name of 11.0
		return 110
	}
	return cc
}

// architectureOf returns the architecture of a capability or, if the table
// has none, the nearest older one, or, if none is older, the oldest.
func architectureOf(cc int) (a *architecture, exact bool) {
	cc = canonicalCapability(cc)
	a = &architectures[0]
	for i := range architectures {
		if architectures[i].capability > cc {
			break
		}
		a = &architectures[i]
	}
	return a, a.capability == cc
}

func capabilityString(cc int) string { return fmt.Sprintf("%d.%d", cc/10, cc%10) }

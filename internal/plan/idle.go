package plan

import "gowarp/occupancy"

// takenRegisters is what ptxas takes for a thread that has several points, however few it needs: it loads ahead. Of 66 such kernels of the default for an H100, compiled with at most 64, 46 took 56 and more and
// 9 fewer than 48, which load little (RATIONALE.md, "An H100 again").
const takenRegisters = 64

// Taken is how many registers a thread of the kernel has in the end: those that it was compiled with, where it was, those that it is estimated to need, where it has one point, else more.
func (k *Kernel) Taken(pr *Problem) int {
	if k.JudgedBy == "ptxas" || k.Held == 0 && k.Warp == nil {
		return k.Registers
	}
	return max(k.Registers, min(takenRegisters, pr.Limits.MaxRegisters))
}

// LeftIdle is which part of an SM's registers is idle because blocks come whole: of 32 warps that have 64 a thread 15 do not run where 17 are a block. Occupancy, by the registers that are needed, knows nothing of it. Those
// beyond hold what is loaded ahead, so that with fewer warps as much is under way; what is idle holds nothing.
func (k *Kernel) LeftIdle(pr *Problem) float64 {
	taken := k.Taken(pr)
	if taken <= k.Registers {
		return 0
	}
	warps := (k.ThreadsPerBlock() + WarpLanes - 1) / WarpLanes
	alone, err := pr.Device.Occupancy(occupancy.Usage{Threads: WarpLanes, Registers: taken})
	if err != nil || alone.ActiveWarps == 0 {
		return 0 // a device of which no registers are known
	}
	blocks, err := pr.Device.Occupancy(occupancy.Usage{Threads: int(warps) * WarpLanes, Registers: taken})
	if err != nil {
		return 0
	}
	return 1 - min(1, float64(int64(blocks.ActiveBlocks)*warps)/float64(alone.ActiveWarps))
}

// Resident is how many blocks of the kernel an SM holds at a time, less what LeftIdle leaves of it; half a block is one that is there half of the time.
func (k *Kernel) Resident(pr *Problem) float64 {
	return max(1, float64(k.Occupancy.ActiveBlocks)*(1-k.LeftIdle(pr)))
}

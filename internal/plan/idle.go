package plan

import (
	"math"

	"gowarp/occupancy"
)

// takenRegisters is what ptxas takes for most threads of several points, however few they need: it loads ahead. Of 66 kernels of the default for an H100 that have such and take 6 us and more, compiled with at most 64, 46
// took 56 and more and 9 fewer than 48 (RATIONALE.md, "An H100 again").
const takenRegisters = 64

// Taken is how many registers a thread of the kernel is taken to have in the end: those that ptxas said, where it was asked, those that it is estimated to need, where it has one point, else takenRegisters at least.
func (k *Kernel) Taken(pr *Problem) int {
	if k.JudgedBy == "ptxas" || k.Held == 0 && k.Warp == nil {
		return k.Registers
	}
	return max(k.Registers, min(takenRegisters, pr.Limits.MaxRegisters))
}

// LeftIdle is which part of the warps that an SM could hold with the registers that are taken does not run, because blocks come whole: 15 of 32 warps where 17 are a block. It is 0 where no more are taken than needed.
func (k *Kernel) LeftIdle(pr *Problem) float64 {
	if all, whole := k.warpsByTaken(pr); all > 0 {
		return 1 - whole/all
	}
	return 0
}

// Resident is how many blocks of the kernel an SM holds at a time, one at least. Registers beyond those that are needed hold what is loaded ahead, so that as much is under way with them in fewer warps: blocks count as by the
// Occupancy, of the registers that are needed, less the part that is left idle and holds nothing, where that promises more than there are.
func (k *Kernel) Resident(pr *Problem) float64 {
	most := float64(k.Occupancy.ActiveBlocks)
	if all, whole := k.warpsByTaken(pr); all > 0 && most*float64(k.Warps()) > whole {
		most *= whole / all
	}
	return max(1, most)
}

// ResidentShare is the occupancy by the registers that are taken, at most .5 of an H100 with several points a thread.
func (k *Kernel) ResidentShare(pr *Problem) float64 {
	if all, whole := k.warpsByTaken(pr); all > 0 {
		return min(k.Occupancy.Occupancy, whole/float64(pr.Device.MaxWarpsPerSM()))
	}
	return k.Occupancy.Occupancy
}

// warpsByTaken is how many warps an SM has registers and threads for if more registers are taken than needed, and how many of those are in whole blocks, whatever else limits them; both are 0 where no more are taken, and of a
// device whose registers are not known.
func (k *Kernel) warpsByTaken(pr *Problem) (all, whole float64) {
	taken := k.Taken(pr)
	if taken <= k.Registers {
		return 0, 0
	}
	const each = 4 // warps of a block, of which no device holds too few
	r, err := pr.Device.Occupancy(occupancy.Usage{Threads: each * WarpLanes, Registers: taken})
	if err != nil {
		return 0, 0
	}
	all, warps := float64(r.ActiveWarps), float64(k.Warps())
	if warps > all {
		return all, all // it cannot be launched so
	}
	return all, math.Floor(all/warps) * warps
}

package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// Where rows of threads are told to be the same for all lanes of a warp (schedule.UniformRows).
const (
	uniformRegisters = 75  // the device's: a warp has registers in common, and instructions for them
	manyInstructions = 256 // of a warp: one more for each of the two indices is nothing
)

// uniformRows has a Func's kernels of mode=gowarp take the rows of their threads from the first lane of each warp, where one of them has several rows of whole warps and much to do. Tiles of
// warps stay as they are: some spill less by it and some more (RATIONALE.md).
func (s *state) uniformRows(fn int, kernels []*plan.Kernel) {
	if !s.exchanges() || s.device.Capability < uniformRegisters {
		return
	}
	if slices.ContainsFunc(kernels, func(k *plan.Kernel) bool {
		if k.Host || k.Warp != nil || k.Block[0]%plan.WarpLanes != 0 || k.Block[1]*k.Block[2] <= 1 {
			return false
		}
		warps := float64(k.ThreadsPerBlock() / plan.WarpLanes)
		return instructions.For(k.View(s.problem)).Work(k).Issued >= manyInstructions*warps
	}) {
		s.add(schedule.Directive{Do: schedule.UniformRows, Func: fn, Name: s.p.Funcs[fn].Label})
	}
}

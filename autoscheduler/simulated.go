package autoscheduler

import (
	"gowarp/gpusim/count"
	"gowarp/internal/plan"
)

// Counted is what a simulator counted of a kernel, by the name that Halide gives it.
type Counted struct {
	Kernel string
	Count  count.Kernel
}

// sectorsALine is how many sectors a cache line has: one request can take so many of it in a cycle.
const sectorsALine = 4

// Simulated is it as costers want it. Spills are not among it: no PTX has any.
func (c *Counted) Simulated() plan.Simulated {
	k := &c.Count
	global := float64(k.GlobalLoads + k.GlobalStores + k.GlobalAtomics)
	return plan.Simulated{
		Issued: float64(k.WarpInstructions), Float: float64(k.Float), Special: float64(k.Special), Memory: float64(k.Memory),
		// Lines apart are requests of their own.
		Requests: max(global, float64(k.Sectors())/sectorsALine) + float64(k.SharedWavefronts+k.Shuffles+k.LocalLoads+k.LocalStores),
		// What reaches L2: L1 keeps what a block asks for again.
		Sectors: float64(k.BlockBytes) / count.SectorBytes, Barriers: float64(k.Barriers),
	}
}

package coster

import (
	"gowarp/autoscheduler/instructions"
	"gowarp/internal/plan"
)

// Floorer is a coster that knows a bound from below for kernels that differ in nothing but their thread block.
type Floorer interface {
	// Floor is at most what Price finds for a kernel without members, and with one point a thread, that has the loops of this one inside its threads.
	Floor(pr *plan.Problem, k *plan.Kernel) float64
}

// Floor implements Floorer: what keeps the units of all SMs busy alike, and DRAM.
func (c Time) Floor(pr *plan.Problem, k *plan.Kernel) float64 {
	m := c.machine(pr.Device)
	one := *k
	one.Grid = [3]int64{1, 1, 1}
	x := timed{pr: pr, k: &one, all: []*plan.Kernel{k}, m: m, least: true, w: instructions.For(pr).LeastOfEach(m.SMs, k)}
	longest, sum := 0.0, 0.0
	for _, b := range Bounds {
		t := b.Of(&x)
		longest, sum = max(longest, t), sum+t
	}
	return (longest + NotHidden*(sum-longest) + m.LaunchSeconds) * (1 - rounding)
}

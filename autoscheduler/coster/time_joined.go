package coster

import (
	"gowarp/autoscheduler/instructions"
	"gowarp/internal/plan"
)

// Joiner is a coster that knows what kernels cost that run in one launch.
type Joiner interface {
	// PriceJoined prices kernels of the same threads of which each block runs one after the other.
	PriceJoined(pr *plan.Problem, kernels []*plan.Kernel) Price
}

// PriceJoined implements Joiner: what a block does adds up, buffers that several read come from DRAM once, and there is one launch. There are as many blocks as of the kernel that has
// most, and as many at a time as of that which needs most registers.
func (c Time) PriceJoined(pr *plan.Problem, kernels []*plan.Kernel) Price {
	one := *kernels[0]
	for _, k := range kernels[1:] {
		for d := range one.Grid {
			one.Grid[d] = max(one.Grid[d], k.Grid[d])
		}
		one.Registers = max(one.Registers, k.Registers)
	}
	if err := one.Occupy(pr.Device); err != nil {
		return Price{Reject: NewReason("%[5]s", err.Error())}
	}
	if r := unlaunchable(pr, &one, pr.Limits.ThreadsPerBlock, one.SharedBytes); r != (Reason{}) {
		return Price{Reject: r}
	}
	return (&timed{pr: pr, k: &one, all: kernels, m: c.machine(pr.Device), w: instructions.For(pr).WorkInTurn(kernels)}).price()
}

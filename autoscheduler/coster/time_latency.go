package coster

import "math"

// latencyBound: a block takes as long as the chain of what its warps wait for, stage after stage, and as many
// blocks as fit run at a time. Within a stage a warp's instructions wait for each other but for those of points side by side;
// the first turn of a serial loop waits for DRAM, if no stage before has loaded from there, each other one for L1; a stage in shared memory ends with a barrier.
func latencyBound(x *timed) float64 {
	chain := 0.0
	for _, s := range x.w.Stages {
		side := min(float64(max(s.Points, 1)), x.m.ArithmeticLatency)
		chain += s.Issued * x.m.ArithmeticLatency / side
		switch {
		case s.Global && s.Again:
			chain += s.Turns * x.m.L1Latency
		case s.Global:
			chain += x.m.DRAMLatency + (s.Turns-1)*x.m.L1Latency
		case s.Shared:
			chain += s.Turns * x.m.SharedLatency
		}
	}
	chain += x.w.Barriers * x.m.BarrierCycles
	atATime := x.m.SMs * float64(max(1, x.k.Occupancy.ActiveBlocks))
	return math.Ceil(float64(x.k.Tiles())/atATime) * chain / x.m.ClockHz
}

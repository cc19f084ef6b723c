package coster

import (
	"gowarp/autoscheduler/instructions"
)

// What was fitted to the kernels that an H100 timed (RATIONALE.md, "What an H100 says").
const (
	loadsInFlight = 4   // of a warp: the compiler has them under way together, by the registers that are free
	leastGap      = 2.5 // cycles between two instructions of a warp, however independent: fixed latencies and the fetch of code that is run through once
)

// latencyBound: a block takes as long as the chain of what its warps wait for, stage after stage, and as many
// blocks as fit run at a time. Within a stage a warp's instructions wait for each other but for those of points side by side. Some loads of a turn
// of a serial loop are under way together, and what comes next waits for them: for L1, or for what is beyond it where they bring lines that were not there. A stage in shared memory ends with a barrier.
func latencyBound(x *timed) float64 {
	chain, beyond := 0.0, x.beyondL1()
	for i := range x.w.Stages {
		s := &x.w.Stages[i]
		chain += s.Issued * max(x.m.ArithmeticLatency/float64(max(s.Points, 1)), leastGap)
		switch {
		case s.Loads > 0:
			waits := max(min(s.Turns, s.Loads), s.Loads/loadsInFlight, 1)
			longer := 0.0 // the part of them that wait for more than L1
			if !s.Again {
				longer = min(1, s.Misses/waits)
			}
			chain += waits * (x.m.L1Latency + longer*(beyond-x.m.L1Latency))
		case s.Shared:
			chain += s.Turns * x.m.SharedLatency
		}
	}
	chain += x.w.Barriers * x.m.BarrierCycles
	atATime := x.m.SMs * x.resident()
	return x.waves(atATime) * chain / x.m.ClockHz
}

// beyondL1 is for how many cycles a load waits that L1 does not answer: DRAM's for what is loaded for the first time and is not in L2, L2's else.
func (x *timed) beyondL1() float64 {
	loaded := x.w.Sectors * float64(x.k.Tiles()) * instructions.SectorBytes
	if loaded <= 0 {
		return x.m.DRAMLatency
	}
	return x.m.L2Latency + min(1, x.dramReads()/loaded)*(x.m.DRAMLatency-x.m.L2Latency)
}

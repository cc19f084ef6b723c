package coster

import "gowarp/autoscheduler/instructions"

// wordsAnAddition is how many places in the L2 there are for each addition that it makes in a cycle: an H100 adds 3.9 million lanes to 256 words in 640 us.
const wordsAnAddition = 82

// atomicsBound: atomic additions to one place are made one after the other. The more places there are, the more of the L2 adds at a time, a sector each at most.
func atomicsBound(x *timed) float64 {
	cycles := 0.0
	for _, k := range x.all {
		dims := &x.pr.Dims[x.pr.StageIndex(k.Out.Func, k.Out.Stage)]
		if !dims.Atomic {
			continue
		}
		lanes := 1.0
		for _, n := range dims.Extent {
			lanes *= float64(max(n, 1))
		}
		places := float64(x.pr.Regions.Funcs[k.Out.Func].Points())
		cycles += lanes / max(1, min(places/wordsAnAddition, x.m.SMs*x.m.L2Bytes/instructions.SectorBytes))
	}
	return cycles / x.m.ClockHz
}

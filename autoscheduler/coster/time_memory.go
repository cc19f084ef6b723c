package coster

import (
	"slices"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// l2Bound: the sectors that a warp's lanes ask for come through L2. L1 keeps what points side by side and turns of a loop share,
// nothing between warps.
func l2Bound(x *timed) float64 {
	bytes, beyond, _ := x.spills()
	return x.perSM((x.w.Sectors*instructions.SectorBytes + bytes*beyond/float64(max(1, x.k.Tiles()))) / x.m.L2Bytes)
}

// dramBound: each buffer that a kernel reads and writes goes through DRAM once, or as often as its blocks come back to it when the L2 holds it no more, but for the part of what an earlier kernel
// wrote that the L2 still holds. Half of it is taken to be there for others.
func dramBound(x *timed) float64 {
	if x.m.DRAMBytesPerSecond <= 0 {
		return 0 // not known of devices behind OpenCL
	}
	total := x.dramReads()
	for _, k := range x.all {
		total += x.pr.BufferBytes(k.Out.Func, -1) * computed(x.pr, k) * launchesThatStore(x.pr, k)
	}
	bytes, _, beyond := x.spills()
	total += bytes * beyond
	return total / x.m.DRAMBytesPerSecond
}

// dramReads is the bytes that a kernel reads from DRAM; two bounds ask.
func (x *timed) dramReads() float64 {
	if !x.readsKnown {
		x.reads, x.readsKnown = x.countReads(), true
	}
	return x.reads
}

func (x *timed) countReads() float64 {
	total := 0.0
	var few [2][fewBuffers][2]int
	read := few[0][:0]
	for _, k := range x.all {
		share := computed(x.pr, k)
		for _, b := range buffersRead(few[1][:0], x.pr, k) {
			if slices.Contains(read, b) {
				continue // a block has it already
			}
			read = append(read, b)
			size := x.pr.BufferBytes(b[0], b[1])
			if b[0] >= 0 {
				size = max(0, size-x.m.CacheBytes/2)
			}
			total += size * share * launchesThatRead(x, k, b) * x.again(k, b)
		}
	}
	return total + columnBytes(x.pr, x.k, x.m.CacheBytes/2)
}

// computed is the share of its points that a kernel computes, by whole sectors: less than all where its Func's first update has taken over its pure definition.
func computed(pr *plan.Problem, k *plan.Kernel) float64 {
	if k.Out.Stage > 0 {
		return 1
	}
	return pr.Computed(k.Out.Func, func(dim int) int64 {
		if dim > 0 {
			return 1
		}
		return max(1, instructions.SectorBytes/max(1, pr.Bytes(k.Out.Func)))
	})
}

// again is how often the blocks of a kernel read a buffer from DRAM, because what they touch between two times is more than the half of the L2 that is theirs holds.
func (x *timed) again(k *plan.Kernel, buffer [2]int) float64 {
	if x.least || len(k.Out.Blocks) < 2 || x.m.CacheBytes <= 0 {
		return 1
	}
	sweeps := k.Sweeps(x.pr)
	i := slices.IndexFunc(sweeps, func(s plan.Sweep) bool { return [2]int{s.Func, s.Input} == buffer })
	if i < 0 {
		return 1
	}
	return plan.Again(k.Out.Blocks, sweeps, i, x.m.CacheBytes/2, x.m.SMs*x.resident())
}

// launchesThatRead is how many launches of a kernel read all of a buffer from DRAM: one, but for loops of the host that no place in it moves with, where L2 does not keep until the next launch what all of them read.
func launchesThatRead(x *timed, k *plan.Kernel, buffer [2]int) float64 {
	n := 1.0
	for _, u := range k.Out.Host {
		if !movesWith(x.pr, k, buffer, u.Loop) && !keptBetween(x, k, u.Loop) {
			n *= float64(max(u.Extent, 1))
		}
	}
	return n
}

// movesWith reports whether a place in a buffer that a kernel's output reads moves with a loop.
func movesWith(pr *plan.Problem, k *plan.Kernel, buffer [2]int, loop int) bool {
	for _, t := range pr.ExpandOf(&k.Out).Loads {
		if t.Func == buffer[0] && (t.Func >= 0 || t.Input == buffer[1]) && slices.ContainsFunc(t.Index, func(x access.Index) bool { return x.DependsOn(loop) }) {
			return true
		}
	}
	return false
}

// keptBetween reports whether half of L2 holds the buffers that every iteration of a host's loop reads all of.
func keptBetween(x *timed, k *plan.Kernel, loop int) bool {
	held := 0.0
	var few [fewBuffers][2]int
	for _, b := range buffersRead(few[:0], x.pr, k) {
		if !movesWith(x.pr, k, b, loop) {
			held += x.pr.BufferBytes(b[0], b[1])
		}
	}
	return held <= x.m.CacheBytes/2
}

// launchesThatStore is how many write all of what the kernel stores.
func launchesThatStore(pr *plan.Problem, k *plan.Kernel) float64 {
	n := 1.0
	for _, u := range k.Out.Host {
		if !slices.ContainsFunc(pr.Access.Stage(k.Out.Func, k.Out.Stage).Store, func(x access.Index) bool { return x.DependsOn(u.Loop) }) {
			n *= float64(max(u.Extent, 1))
		}
	}
	return n
}

package coster

import (
	"gowarp/autoscheduler/instructions"
	"gowarp/internal/plan"
)

// Issue prices a kernel by what it keeps busy: the larger of the times that its instructions take to issue (or its
// requests take in the load/store units) and that the buffers which it reads and writes take once through DRAM, with
// a part of the smaller, since the two never overlap wholly; and its launch. Instructions are counted by package instructions; the unit is the microsecond.
type Issue struct{}

// What a device does beside its data sheet's figures; RATIONALE.md has the reasons.
const (
	// ReachedBandwidth is the part of the data sheet's DRAM bandwidth that a copy reaches.
	ReachedBandwidth = 0.9
	// Unhidden is the part of the smaller of compute and traffic that the larger does not hide.
	Unhidden = 0.2
	// LaunchMicroseconds is from the start of an empty kernel to that of the next.
	LaunchMicroseconds = 3
)

// Name implements Coster.
func (Issue) Name() string { return "issue" }

func (Issue) tellsPoints() bool { return true }

func (Issue) countsInstructions() bool { return true }

func (Issue) unit() string { return "microseconds" }

// Price implements Coster.
func (Issue) Price(pr *plan.Problem, k *plan.Kernel, _ Phase) Price {
	d := pr.Device
	if r := unlaunchable(pr, k, pr.Limits.ThreadsPerBlock, k.SharedBytes); r != (Reason{}) {
		return Price{Reject: r}
	}
	cycles, busy := issuing(pr, k)
	compute, traffic := cycles/(float64(d.SMs)*d.ClockHz*busy)*1e6, traffic(pr, k)
	return Price{
		Cost:     max(compute, traffic) + Unhidden*min(compute, traffic) + LaunchMicroseconds,
		Terms:    []Term{{"compute", compute}, {"traffic", traffic}, {"launch", LaunchMicroseconds}},
		Launches: true,
	}
}

// issuing is the cycles for which one SM would issue the instructions of a kernel, or serve its requests, and the part of all SMs' rate
// that they reach: SMs without a block, and SMs with too few warps to hide latency, issue less.
func issuing(pr *plan.Problem, k *plan.Kernel) (cycles, busy float64) {
	d, tiles := pr.Device, float64(k.Tiles())
	issued, requests := instructions.For(pr).Block(k)
	busy = min(1, tiles/float64(d.SMs)) * min(1, resident(k, d.MaxThreadsPerSM)/plan.FullOccupancy)
	return tiles * max(issued/plan.SchedulersPerSM, requests), max(busy, 1e-3)
}

// traffic is the time in which the buffers of a kernel go once through DRAM, in microseconds; 0 where no bandwidth is
// known, as of devices behind OpenCL.
func traffic(pr *plan.Problem, k *plan.Kernel) float64 {
	if pr.Device.DRAMBandwidth <= 0 {
		return 0
	}
	return bytes(pr, k) / max(pr.Device.DRAMBandwidth*ReachedBandwidth, 1) * 1e6
}

// resident is the occupancy that the blocks of a kernel make, fewer than fit where there are not enough.
func resident(k *plan.Kernel, most int) float64 {
	return max(k.Occupancy.Occupancy, float64(k.ThreadsPerBlock())/float64(max(most, 1)))
}

// bytes is what a kernel reads and writes of buffers in global memory, each once.
func bytes(pr *plan.Problem, k *plan.Kernel) float64 {
	total := pr.BufferBytes(k.Out.Func, -1)
	var few [fewBuffers][2]int
	for _, b := range buffersRead(few[:0], pr, k) {
		total += pr.BufferBytes(b[0], b[1])
	}
	return total + columnBytes(pr, k, 0)
}

// columnBytes is what members in global memory are written and read, but for what of each a cache still holds: by every stage once, as if each was a kernel, since
// the blocks that run at a time hold more of them than the L2 does.
func columnBytes(pr *plan.Problem, k *plan.Kernel, held float64) float64 {
	sum := 0.0
	for i := range k.Members {
		m := &k.Members[i]
		if m.Where != plan.AtBlockGlobal {
			continue
		}
		size := pr.BufferBytes(m.Func, -1)
		read := max(0, size-held)
		sum += size*float64(len(m.Nests)) + read
		for j := range m.Nests {
			if pr.StageReads(m.Func, j, m.Func) {
				sum += read
			}
		}
	}
	return sum
}

// fewBuffers is more than most kernels read.
const fewBuffers = 8

// buffersRead lists the Funcs and inputs that a kernel reads of global memory: each a Func, or -1 and an input; out has room for them.
func buffersRead(out [][2]int, pr *plan.Problem, k *plan.Kernel) [][2]int {
	for n := range k.Nests() {
		out = pr.AppendSources(out, k, n)
	}
	return out
}

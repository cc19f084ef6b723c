package coster

import (
	"fmt"

	"gowarp/autoscheduler/instructions"
	"gowarp/internal/plan"
)

// Issue is the time of a kernel, in cycles of an SM, as the larger of two bounds: that of the
// instructions which its warps issue, and that of the bytes which it must move between DRAM and
// the SMs once. Tiles of registers differ in little else. It knows no latency but that of too few
// warps to hide any.
type Issue struct{}

// The model's constants, each of a whole device.
const (
	issuePerCycle = 4     // warp instructions an SM issues a cycle: a scheduler has one, there are four
	hidingWarps   = 16    // warps an SM needs so that one is ready at each scheduler every cycle, at 4 cycles an operation
	launchCycles  = 5000  // some 3 us between dependent launches
	defaultClock  = 1.5e9 // Hz, where the device's is not known
	defaultBytes  = 3e11  // bytes/s, likewise
)

// Name implements Coster.
func (Issue) Name() string { return "issue" }

// Price implements Coster.
func (Issue) Price(pr *plan.Problem, k *plan.Kernel, ph Phase) Price {
	a := analysis{pr: pr, k: k}
	if p := a.check(ph); p != nil {
		return *p
	}
	d := pr.Device
	clock, bandwidth := d.ClockHz, d.DRAMBandwidth
	if clock == 0 {
		clock = defaultClock
	}
	if bandwidth == 0 {
		bandwidth = defaultBytes
	}
	tiles := float64(k.Tiles())
	sms := min(tiles, float64(d.SMs))
	warps := float64((k.ThreadsPerBlock()+plan.WarpLanes-1)/plan.WarpLanes) * min(float64(k.Occupancy.ActiveBlocks), (tiles+sms-1)/sms)
	issued := k.Issued
	if issued == 0 {
		issued = instructions.New(pr).Block(k)
	}
	issue := tiles * issued / (sms * issuePerCycle * min(1, warps/hidingWarps))
	move := compulsoryBytes(pr, k) / bandwidth * clock
	return Price{
		Cost:     max(issue, move) + launchCycles,
		Terms:    []Term{{"issue", issue}, {"DRAM", move}, {"launch", launchCycles}},
		Reject:   a.inefficient,
		Launches: true,
	}
}

// compulsoryBytes is what a kernel reads from outside and writes, each byte once.
func compulsoryBytes(pr *plan.Problem, k *plan.Kernel) float64 {
	sum := pr.BufferBytes(k.Out.Func, -1)
	seen := map[string]bool{}
	read := func(n *plan.Nest) {
		ex := expand(pr, n)
		for i := range ex.Loads {
			t := &ex.Loads[i]
			if _, in := placeOf(k, t.Func); in || t.Func == k.Out.Func && t.Func >= 0 {
				continue
			}
			if key := fmt.Sprint(t.Func, t.Input); !seen[key] {
				seen[key] = true
				sum += pr.BufferBytes(t.Func, t.Input)
			}
		}
	}
	read(&k.Out)
	for i := range k.Members {
		for j := range k.Members[i].Nests {
			read(&k.Members[i].Nests[j])
		}
	}
	return sum
}

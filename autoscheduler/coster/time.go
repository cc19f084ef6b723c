package coster

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"gowarp/autoscheduler/instructions"
	"gowarp/internal/plan"
	"gowarp/occupancy"
)

// Time prices a kernel by the seconds that it takes: the longest of the times for which it keeps a part of the
// device busy (each a Bound in a file of its own), a part of all others, which the longest does not hide wholly, and
// its launch. Nothing is weighted, so that kernels and groups can be compared and added. It knows Layouts and data
// sheets, or what a bundle measured.
type Time struct {
	Machine *Machine // what was measured of the device; nil: its data sheet
}

// Name implements Coster.
func (Time) Name() string { return "time" }

func (Time) tellsPoints() bool { return true }

func (Time) countsInstructions() bool { return true }

func (Time) unit() string { return "seconds" }

// machine is the device as this prices it.
func (c Time) machine(d *occupancy.Device) Machine {
	if c.Machine != nil {
		return *c.Machine
	}
	return MachineOf(d)
}

// errs: the bounds are data sheets', or microbenchmarks'. Of whole kernels it errs by more, but alike of those that are alike.
func (Time) errs() float64 { return .05 }

// NotHidden is the part of all other bounds that the longest does not hide, between units that work side by side all the time (0) and units that wait for each other (1). Of .2, .3,
// .5 and .7 an H100's times of 2,381 kernels are met best by .3 (RATIONALE.md, "What an H100 says").
const NotHidden = .3

// Bound is a time below which a kernel cannot be, in seconds, for one thing that it needs.
type Bound struct {
	Name string
	Of   func(x *timed) float64
}

// Bounds are all of them.
var Bounds = []Bound{
	{"issue", issueBound}, {"float units", floatBound}, {"double units", doubleBound}, {"integer units", integerBound}, {"special units", specialBound},
	{"load/store", loadStoreBound}, {"L2", l2Bound}, {"DRAM", dramBound}, {"atomics", atomicsBound}, {"latency", latencyBound},
}

// timed is a kernel with what the bounds ask of it.
type timed struct {
	pr  *plan.Problem
	k   *plan.Kernel   // its blocks, threads and occupancy
	all []*plan.Kernel // what runs in it: k alone, but for launches of several
	m   Machine
	w   instructions.Work // of one block

	blocks     float64 // see resident; 0 where nobody has asked
	reads      float64 // see dramReads
	readsKnown bool
	least      bool // of all thread blocks: buffers are read once
}

// NotHiddenTerm is the name of the part of a price that is NotHidden of all bounds but the longest.
const NotHiddenTerm = "not hidden"

// allTimed are those that nothing is priced with, kept for their memory: a search prices ten thousand kernels.
var allTimed = sync.Pool{New: func() any { return &timed{all: make([]*plan.Kernel, 1)} }}

// Price implements Coster. The unit is the second.
func (c Time) Price(pr *plan.Problem, k *plan.Kernel, _ Phase) Price {
	if r := unlaunchable(pr, k, pr.Limits.ThreadsPerBlock, k.SharedBytes); r != (Reason{}) {
		return Price{Reject: r}
	}
	x := allTimed.Get().(*timed)
	x.pr, x.k, x.all[0], x.m, x.readsKnown, x.blocks = pr, k, k, c.machine(pr.Device), false, 0
	instructions.For(pr).WorkInto(&x.w, k)
	p := x.price()
	x.pr, x.k, x.all[0] = nil, nil, nil
	allTimed.Put(x)
	return p
}

func (x *timed) price() Price {
	// The longest first: the terms up to the launch add up, what follows did not bind.
	const adding = 3
	terms := make([]Term, adding, adding+len(Bounds))
	for _, b := range Bounds {
		terms = append(terms, Term{b.Name, b.Of(x)})
	}
	longest := slices.MaxFunc(terms[adding:], func(a, b Term) int { return cmp.Compare(a.Value, b.Value) })
	others := slices.DeleteFunc(terms[adding:], func(t Term) bool { return t.Name == longest.Name })
	beside := 0.0
	for _, t := range others {
		beside += t.Value
	}
	terms = terms[:adding+len(others)]
	terms[0], terms[1], terms[2] = longest, Term{NotHiddenTerm, NotHidden * beside}, Term{"launch", x.m.LaunchSeconds * float64(x.k.Launches())}
	cost := 0.0
	for _, t := range terms[:adding] {
		cost += t.Value
	}
	return Price{Cost: cost, Terms: terms, Launches: true}
}

// perSM is the seconds for which the busiest SM is busy, if each block keeps it so for so many cycles: blocks come whole.
func (x *timed) perSM(cycles float64) float64 {
	return x.waves(x.m.SMs) * cycles / x.m.ClockHz
}

// resident is how many blocks an SM holds at a time; several bounds ask.
func (x *timed) resident() float64 {
	if x.blocks == 0 {
		x.blocks = x.k.Resident(x.pr)
	}
	return x.blocks
}

// waves is how many blocks follow each other where so many run at a time, of all launches.
func (x *timed) waves(atATime float64) float64 {
	launches := float64(x.k.Launches())
	return launches * math.Ceil(float64(x.k.Tiles())/launches/atATime)
}

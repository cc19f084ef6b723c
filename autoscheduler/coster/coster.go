// Package coster prices kernels. A coster is a file of its own and cites what it
// computes. It sees Layouts only, so what is priced is what will be emitted.
package coster

import (
	"fmt"

	"gowarp/internal/plan"
)

// Phase says what a price is for.
type Phase uint8

// The phases.
const (
	Grouping Phase = iota // is a merge worth it?
	Final                 // which tile, once the groups stand?
)

// Price is what a kernel costs, and whether it is rejected.
type Price struct {
	Cost   float64 // in the coster's own units; lower is better
	Terms  []Term  // what it is made of, for explanations
	Reject Reason  // not empty: the kernel is invalid, and why
	// Launches says of a rejected kernel that a device can run it all the same: it is
	// only inefficient. Such a kernel is taken where there is no better, and has a Cost.
	Launches bool
	Faults   int // how many rules a rejected kernel breaks that launches
}

// Valid reports whether the kernel is not rejected.
func (p *Price) Valid() bool { return p.Reject.format == "" }

// Reason is why a kernel is rejected. It is put into words only where somebody reads them:
// most candidates of a search are rejected, and words would be a tenth of its time.
type Reason struct {
	format  string // of numbers and text, by explicit indices: %[1]d to %[4]d, %[5]s
	numbers [4]int64
	text    string
}

// NewReason is a reason with up to four numbers, %[1]d to %[4]d, and a text, %[5]s.
func NewReason(format, text string, numbers ...int64) Reason {
	r := Reason{format: format, text: text}
	copy(r.numbers[:], numbers)
	return r
}

func (r Reason) String() string {
	if r.format == "" {
		return ""
	}
	return fmt.Sprintf(r.format, r.numbers[0], r.numbers[1], r.numbers[2], r.numbers[3], r.text)
}

// unlaunchable is why a device cannot run a kernel with so much shared memory, the zero Reason
// if it can.
func unlaunchable(pr *plan.Problem, k *plan.Kernel, mostThreads, shared int64) Reason {
	switch threads := k.ThreadsPerBlock(); {
	case threads > mostThreads:
		return NewReason("%[1]d threads a block, %[2]d are the most", "", threads, mostThreads)
	case shared > pr.Limits.SharedBytes:
		return NewReason("%[1]d B of shared memory a block, %[2]d are the most", "", shared, pr.Limits.SharedBytes)
	case k.Occupancy.ActiveBlocks == 0:
		return NewReason("no block fits an SM (%[5]s)", k.Occupancy.Limiters.String())
	}
	return Reason{}
}

// Term is a named part of a price.
type Term struct {
	Name  string
	Value float64
}

// Coster prices one kernel.
type Coster interface {
	Name() string
	Price(pr *plan.Problem, k *plan.Kernel, ph Phase) Price
}

// BlockRefuser is a coster that rejects some kernels for their thread block alone.
type BlockRefuser interface {
	// RefusesBlock reports whether Price rejects every kernel with this thread block.
	RefusesBlock(pr *plan.Problem, block [3]int64, ph Phase) bool
}

// TellsPoints reports whether a coster knows what several points a thread, side by side, save. Those
// of papers price every point alike.
func TellsPoints(c Coster) bool {
	t, ok := c.(interface{ tellsPoints() bool })
	return ok && t.tellsPoints()
}

// CountsInstructions reports whether a coster counts what a thread executes, and so knows that what its points have in common is computed once, be it in place a
// hundred times. To those of papers each of them is work.
func CountsInstructions(c Coster) bool {
	t, ok := c.(interface{ countsInstructions() bool })
	return ok && t.countsInstructions()
}

// Unit is that of a coster's costs; none where they only compare.
func Unit(c Coster) string {
	u, ok := c.(interface{ unit() string })
	if !ok {
		return ""
	}
	return u.unit()
}

// Errs is the part of a kernel's cost by which a coster is known to err, and more: candidates that differ by less cost the same. 0 for those that are
// taken at their word.
func Errs(c Coster) float64 {
	e, ok := c.(interface{ errs() float64 })
	if !ok {
		return 0
	}
	return e.errs()
}

// FinalDiffers reports whether a coster refuses in the final pass what it prices while grouping, so that a group may then cost far more than was thought.
func FinalDiffers(c Coster) bool {
	t, ok := c.(interface{ finalDiffers() bool })
	return ok && t.finalDiffers()
}

// ByName are the costers that the parameter cost may name.
var ByName = named(Listing1{}, Listing1Prose{}, Issue{}, Time{}, Algorithm2{}, Algorithm2Fitted{})

func named(all ...Coster) map[string]Coster {
	m := map[string]Coster{}
	for _, c := range all {
		m[c.Name()] = c
	}
	return m
}

// Package grouping decides which Funcs are computed together. A grouping is a file
// of its own; it works with any coster and any strategies through a Searcher.
package grouping

import (
	"slices"

	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// Grouping partitions the Funcs that are not inlined.
type Grouping interface {
	Name() string
	// Group returns the groups by ascending id of their outputs, and what it did
	// on the way, for explanations.
	Group(s *search.Searcher, in Inliner) ([]*plan.Group, []Merge, error)
}

// Inliner lets a grouping have more Funcs computed where they are read, and others not.
type Inliner interface {
	// Inline changes the searcher's problem so that the Func is inlined. Until one of the answers is called nothing else
	// may be asked of it: keep says by how much all is cheaper for it, undo takes it back. Both are nil where it cannot be.
	Inline(id int) (keep func(gain float64), undo func())
	// Store does the opposite of Inline in the same way: the Func is stored. Both are nil too where it is seen to cost more.
	Store(id int) (keep func(gain float64), undo func())
}

// ByName are the groupings that the parameter grouping may name.
var ByName = map[string]Grouping{Auto{}.Name(): Auto{}, Greedy{}.Name(): Greedy{}, DPFusion{}.Name(): DPFusion{},
	Interval{}.Name(): Interval{}, PolyMageAuto{}.Name(): PolyMageAuto{}, None{}.Name(): None{}}

// Merge is one step: a producer's group went into a consumer's, or at the end did not
// and why.
type Merge struct {
	Producer, Consumer int   // outputs of the groups; Consumer is -1 for several
	With               []int // outputs of the groups that went with the producer's in the same step
	Gain               float64
	Cost               float64 // of the merged group
	Refused            string
}

// singles makes one group of every Func that is not inlined.
func singles(pr *plan.Problem) []*plan.Group {
	groups := make([]*plan.Group, len(pr.P.Funcs))
	for id := range pr.P.Funcs {
		if !pr.Inlined[id] {
			groups[id] = pr.NewGroup(id, nil)
		}
	}
	return groups
}

// remaining are the groups that there are, by ascending id of their outputs.
func remaining(groups []*plan.Group) []*plan.Group {
	return slices.DeleteFunc(slices.Clone(groups), func(g *plan.Group) bool { return g == nil })
}

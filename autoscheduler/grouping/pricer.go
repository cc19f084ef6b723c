package grouping

import (
	"encoding/binary"
	"math"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// pricer prices groups of a problem, each once.
type pricer struct {
	s     *search.Searcher
	known map[string]*plan.Group // nil where it is refused
	left  int                    // groups that may still be priced
}

func newPricer(s *search.Searcher) *pricer {
	return &pricer{s: s, known: map[string]*plan.Group{}, left: math.MaxInt}
}

// group is that of an output and members, in any order; nil where it is refused or may not be priced any more.
func (p *pricer) group(out int, members []int) *plan.Group {
	members = slices.Sorted(slices.Values(members))
	key := keyOf(out, members)
	if g, ok := p.known[key]; ok {
		return g
	}
	if p.left <= 0 {
		return nil
	}
	p.left--
	var priced *plan.Group
	g := p.s.Problem.NewGroup(out, members)
	if a := p.s.BestOfEach([]*plan.Group{g}, coster.Grouping, nil)[0]; a.Valid() {
		g.Cost = a.Cost
		priced = g
	}
	p.known[key] = priced
	return priced
}

// note keeps a group that was priced elsewhere.
func (p *pricer) note(g *plan.Group) {
	p.known[keyOf(g.Out, g.Members)] = g
}

func keyOf(out int, members []int) string {
	key := binary.AppendVarint(nil, int64(out))
	for _, m := range members {
		key = binary.AppendVarint(key, int64(m))
	}
	return string(key)
}

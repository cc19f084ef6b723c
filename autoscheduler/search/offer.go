package search

import (
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
	"gowarp/internal/workers"
)

// offer is a strategy set to run a group, with its candidates for one stage; or why it cannot.
type offer struct {
	prepared strategy.Prepared
	choices  []plan.Choice
	err      error
	tried    []tried // what came of the choices, if they were tried before their turn
	beaten   bool    // all choices cost more than one of another strategy
}

// inTurn calls try with what each strategy offers, in their order. Tiles of warps, of which one after the other is counted until they are hopeless, are prepared beside all that is done for the
// others, if they come last. Candidates that cost more than another, and within so much of it, need not be tried; below 0 all are.
func (s *Searcher) inTurn(g *plan.Group, stage int, ph coster.Phase, o strategy.Options, strategies []strategy.Strategy, within float64, try func(*offer)) {
	if ph == coster.Grouping {
		strategies = slices.DeleteFunc(slices.Clone(strategies), func(st strategy.Strategy) bool {
			skips, ok := st.(strategy.GroupingSkipper)
			return ok && !skips.WhileGrouping()
		})
	}
	ofWarps := func(st strategy.Strategy) bool { return strategy.OfWarps(st.Name()) }
	first := slices.IndexFunc(strategies, ofWarps)
	if first < 0 || slices.ContainsFunc(strategies[first:], func(st strategy.Strategy) bool { return !ofWarps(st) }) {
		first = len(strategies)
	}
	last := make([]offer, len(strategies)-first)
	parts := []func(){
		func() {
			offers := make([]offer, first)
			for i, st := range strategies[:first] {
				offers[i] = s.offer(g, stage, ph, o, st)
			}
			s.coarser(offers, g, stage, ph)
			if within >= 0 {
				s.spare(offers, g, stage, ph, within)
			}
			for i := range offers {
				try(&offers[i])
			}
		},
		func() {
			for i, st := range strategies[first:] {
				last[i] = s.offer(g, stage, ph, o, st)
			}
		},
	}
	if len(last) == 0 {
		parts = parts[:1]
	}
	workers.Each(len(parts), func(i int) { parts[i]() })
	for i := range last {
		try(&last[i])
	}
}

func (s *Searcher) offer(g *plan.Group, stage int, ph coster.Phase, o strategy.Options, st strategy.Strategy) (of offer) {
	if of.prepared, of.err = st.Prepare(s.Problem, g, o); of.err == nil {
		of.choices = s.choices(g, stage, st.Name(), of.prepared, s.Effort.Step(ph))
	}
	return of
}

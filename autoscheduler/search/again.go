package search

import (
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
)

// Choices are how the kernels of a layout are run.
func (f *Found) Choices() []plan.Choice {
	out := make([]plan.Choice, len(f.Layout.Kernels))
	for i, k := range f.Layout.Kernels {
		out[i] = k.Choice
	}
	return out
}

// Again is a group whose kernels are run in these ways, the best that were found before something that it computes or its regions changed; nil where one of them is no way to run it any more. Nothing is searched, and nothing counts as a candidate.
func (s *Searcher) Again(g *plan.Group, ways []plan.Choice, ph coster.Phase) *Found {
	if len(ways) == 0 || s.Options.Nesting == strategy.NestSevere { // a choice does not say whether members are in the threads
		return nil
	}
	out := &Found{Layout: &plan.Layout{}}
	for stage, way := range ways {
		at := slices.IndexFunc(s.Strategies, func(st strategy.Strategy) bool { return st.Name() == way.Strategy })
		if at < 0 {
			return nil
		}
		prepared, err := s.Strategies[at].Prepare(s.Problem, g, s.Options)
		if err != nil {
			return nil
		}
		k, err := prepared.Kernel(stage, way)
		if err != nil || legality.Check(s.Problem, k) != nil {
			return nil
		}
		p := s.Coster.Price(k.View(s.Problem), k, ph)
		if !p.Valid() {
			return nil
		}
		out.add(ranked{k, p})
	}
	return out
}

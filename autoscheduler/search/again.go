package search

import (
	"slices"

	"gowarp/autoscheduler/coster"
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
		t := s.try(&offer{prepared: prepared}, stage, way, ph)
		if t.err != nil || !t.price.Valid() {
			return nil
		}
		out.add(ranked{t.kernel, t.price})
	}
	return out
}

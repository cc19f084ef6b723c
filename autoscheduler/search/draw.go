package search

import (
	"errors"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
)

// Draw is one of the layouts of a stage that are legal and launch, whatever they cost: a strategy that can
// run the group, each as likely, then one of its choices, each as likely. intN draws a number below n.
func (s *Searcher) Draw(g *plan.Group, stage int, o strategy.Options, intN func(n int) int) (*plan.Kernel, error) {
	type way struct {
		prepared strategy.Prepared
		choices  []plan.Choice
	}
	var ways []way
	why := errors.New("no strategy offers a choice")
	for _, st := range withOtherwise(s.Strategies) {
		prepared, err := st.Prepare(s.Problem, g, o)
		if err != nil {
			why = err
			continue
		}
		if c := s.choices(g, stage, st.Name(), prepared, strategy.StepOfTwo); len(c) > 0 {
			ways = append(ways, way{prepared, slices.Clone(c)})
		}
	}
	for len(ways) > 0 {
		i := intN(len(ways))
		w := &ways[i]
		// Those that are refused are drawn no more: that leaves the legal ones equally likely.
		for len(w.choices) > 0 {
			j := intN(len(w.choices))
			k, err := s.take(w.prepared, stage, w.choices[j])
			if err == nil {
				return k, nil
			}
			why = err
			last := len(w.choices) - 1
			w.choices[j] = w.choices[last]
			w.choices = w.choices[:last]
		}
		ways = slices.Delete(ways, i, i+1)
	}
	return nil, why
}

// take lays out a choice, if it is legal and launches.
func (s *Searcher) take(prepared strategy.Prepared, stage int, c plan.Choice) (*plan.Kernel, error) {
	k, err := prepared.Kernel(stage, c)
	if err == nil {
		err = legality.Check(s.Problem, k)
	}
	if err != nil {
		return nil, err
	}
	s.Evaluated++
	if p := s.Coster.Price(k.View(s.Problem), k, coster.Final); !p.Valid() && !p.Launches {
		return nil, rejected{p.Reject}
	}
	return k, nil
}

// withOtherwise are strategies, and behind them those for what they cannot do.
func withOtherwise(strategies []strategy.Strategy) []strategy.Strategy {
	return slices.Concat(strategies, slices.DeleteFunc(slices.Clone(strategy.Otherwise), func(st strategy.Strategy) bool { return slices.Contains(strategies, st) }))
}

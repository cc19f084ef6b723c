package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
)

// Named reports whether somebody has asked for ways that leave no choice but what they cannot do.
func (s *Searcher) Named() bool {
	return !slices.ContainsFunc(s.Strategies, func(st strategy.Strategy) bool { return slices.Contains(strategy.Otherwise, st) })
}

// AsAsked reports whether a kernel is done in one of the searched ways, and not in one of those for what they cannot do.
func (s *Searcher) AsAsked(k *plan.Kernel) bool {
	return slices.ContainsFunc(s.Strategies, func(st strategy.Strategy) bool { return st.Name() == k.Strategy })
}

// WhyNot says why one stage of a group's output is not run in any of the searched ways. It decides nothing.
func (s *Searcher) WhyNot(g *plan.Group, stage int) error {
	if len(g.Members) == 0 && len(s.Problem.P.Funcs[g.Out].Stages) == 1 {
		if why := s.aloneFor(g.Out); why != nil {
			return why
		}
	}
	why := s.whyNone(s.Problem, g, stage)
	if why == nil {
		why = errors.New("no tile of it fits")
	}
	return why
}

// aloneFor says why a Func that could share a kernel with a producer has none with it, nil if there is none to share it with.
func (s *Searcher) aloneFor(out int) error {
	pr := s.Problem
	var stored, inlined []int
	for id := out - 1; id >= 0; id-- {
		f := &pr.P.Funcs[id]
		switch {
		case pr.Host[id] != "" || f.Output || f.Extern != nil:
		case pr.Inlined[id]:
			if _, in := slices.BinarySearch(pr.Expand[pr.StageIndex(out, 0)].Inlined, id); in {
				inlined = append(inlined, id)
			}
		case pr.Reads(out, id):
			stored = append(stored, id)
		}
	}
	for _, id := range append(stored, inlined...) {
		with := pr
		if pr.Inlined[id] {
			with = pr.Staging([]int{id}, []int{out})
		}
		label := pr.P.Funcs[id].Label
		why := s.whyNone(with, with.NewGroup(out, []int{id}), 0)
		switch {
		case why == nil && pr.Inlined[id]:
			continue // there is nothing to say against it; it is cheaper where it is read
		case why == nil:
			return fmt.Errorf("%s could be computed with it, and costs less by itself", label)
		case strings.HasPrefix(why.Error(), label):
			return why
		}
		return fmt.Errorf("with %s: %w", label, why)
	}
	return nil
}

// whyNone is what is in the way of all searched ways to run a group's stage, nil if nothing is.
func (s *Searcher) whyNone(pr *plan.Problem, g *plan.Group, stage int) error {
	var reasons []string
	for _, st := range s.Strategies {
		why := s.whyNot(pr, g, stage, st)
		if why == nil {
			return nil
		}
		reasons = append(reasons, strings.TrimPrefix(why.Error(), st.Name()+": "))
	}
	return errors.New(strings.Join(slices.Compact(reasons), "; "))
}

func (s *Searcher) whyNot(pr *plan.Problem, g *plan.Group, stage int, st strategy.Strategy) error {
	prepared, err := st.Prepare(pr, g, s.Options)
	if err != nil {
		return err
	}
	choices := s.choices(g, stage, st.Name(), prepared, strategy.StepOfTwo)
	if r, ok := prepared.(strategy.Refuser); ok && len(choices) == 0 {
		return r.Refusal(stage)
	}
	why := errors.New("no tile of it fits")
	for _, c := range choices {
		k, err := prepared.Kernel(stage, c)
		if err == nil {
			err = legality.Check(pr, k)
		}
		if err == nil {
			p := s.Coster.Price(k.View(pr), k, coster.Final)
			if p.Valid() || p.Launches {
				return nil
			}
			err = rejected{p.Reject}
		}
		why = err
	}
	return why
}

package autoscheduler

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/internal/plan"
)

// drawPasses stand for passes where a schedule is drawn: what decides draws, the rest is the same.
var drawPasses = []pass{
	{"check", nil, checkInput},
	{"analyse", []string{"check"}, analyse},
	{"inline", []string{"analyse"}, inline},
	{"inline more", []string{"inline"}, drawInlined},
	{"dims", []string{"inline more"}, chooseDims},
	{"tile-bounds", []string{"dims"}, tileBounds},
	{"group", []string{"inline more", "tile-bounds"}, drawGroups},
	{"tile", []string{"group"}, drawTiles},
	{"legality", []string{"tile"}, checkLegality},
	{"emit", []string{"legality"}, emit},
}

// drawing is what a draw is made by. The shares are drawn first, so that schedules with much fusion and
// with none, and such that compute much again and little, are all frequent.
type drawing struct {
	rng    *rand.Rand
	more   float64 // the share of stored Funcs that are inlined after all
	merges float64 // the share of possible merges that are made
}

// Draw is a schedule at random out of all that the passes can make, whatever it costs: which Funcs are
// inlined, which are computed together, by which strategy, with which tile. It is legal as every other is, and the
// same for the same seed and number. Of the parameters those that choose are not heeded (fusion, grouping,
// tiling, cost).
//
// Strategies are equally likely for a kernel, and so are the choices of one, which are those that its
// search would try: strategies of warps and windows offer the best of theirs by their own account.
func Draw(p *halideir.Pipeline, params Params, seed, number uint64) (*Result, error) {
	if params.Schedule != "" {
		return nil, ErrReplayed
	}
	// issue knows all strategies, and prices what listing 1 rejects.
	params.Fusion, params.Grouping, params.Tiling, params.Cost = "nested", "greedy", "all", coster.Issue{}.Name()
	s, err := newState(p, params)
	if err != nil {
		return nil, err
	}
	d := &drawing{rng: rand.New(rand.NewPCG(seed, number))}
	s.drawing = d
	// Half of all schedules inline what the pass does, a quarter less, a quarter more.
	switch d.rng.IntN(4) {
	case 0:
		for id := range p.Funcs {
			if d.rng.IntN(2) == 0 {
				s.tried.stored = append(s.tried.stored, id)
			}
		}
	case 1:
		d.more = 0.25
	}
	d.merges = float64(d.rng.IntN(5)) / 4
	if err := s.runTable(drawPasses); err != nil {
		return nil, err
	}
	return &Result{Schedule: s.out, Problem: s.problem, Groups: s.groups, Found: s.found, Notes: s.notes, Evaluated: s.searcher.Evaluated}, nil
}

// drawInlined inlines more than the pass before.
func drawInlined(s *state) error {
	for id := len(s.p.Funcs) - 1; id >= 0; id-- {
		if s.problem.Inlined[id] || len(s.p.Funcs[id].Types) != 1 || s.notInlinable(id) != "" || s.drawing.rng.Float64() >= s.drawing.more {
			continue
		}
		if s.tryInline(id) == "" {
			s.inlines[id] = InlineReason{Inlined: true, Why: "drawn"}
		}
	}
	s.problem.Kept = plan.NewKept() // what was worked out with them in memory
	return nil
}

// drawGroups merges at random: a group into the only one that reads it, as Greedy does, as often as was drawn.
func drawGroups(s *state) error {
	s.searcher = &search.Searcher{Problem: s.problem, Coster: s.coster, Strategies: s.strategies, Options: s.options}
	groups := map[int]*plan.Group{}
	var outs []int
	for id := range s.p.Funcs {
		if !s.problem.Inlined[id] {
			groups[id] = s.problem.NewGroup(id, nil)
			outs = append(outs, id)
		}
	}
	s.drawing.rng.Shuffle(len(outs), func(i, j int) { outs[i], outs[j] = outs[j], outs[i] })
	// A pair is asked once; a merge may make new pairs, where it leaves a group one reader of two.
	asked := map[[2]int]bool{}
	for changed := true; changed; {
		changed = false
		for _, producer := range outs {
			consumer, ok := s.soleReader(groups, producer)
			if !ok || asked[[2]int{producer, consumer}] {
				continue
			}
			asked[[2]int{producer, consumer}] = true
			if s.drawing.rng.Float64() >= s.drawing.merges {
				continue
			}
			merged := s.problem.NewGroup(consumer, slices.Concat([]int{producer}, groups[producer].Members, groups[consumer].Members))
			if _, err := s.drawKernel(merged, 0); err != nil {
				continue
			}
			delete(groups, producer)
			groups[consumer] = merged
			changed = true
		}
	}
	slices.Sort(outs)
	for _, id := range outs {
		if g := groups[id]; g != nil {
			s.groups = append(s.groups, g)
		}
	}
	return nil
}

// soleReader is the only other group that reads a group's output, if the two may share a kernel.
func (s *state) soleReader(groups map[int]*plan.Group, producer int) (int, bool) {
	pr := s.problem
	if groups[producer] == nil || s.p.Funcs[producer].Output || pr.Host[producer] != "" || pr.Apart[producer] {
		return 0, false
	}
	var readers []int
	for out, g := range groups {
		if out != producer && slices.ContainsFunc(append([]int{out}, g.Members...), func(fn int) bool { return pr.Reads(fn, producer) }) {
			readers = append(readers, out)
		}
	}
	if len(readers) != 1 {
		return 0, false
	}
	c := readers[0]
	return c, pr.Host[c] == "" && !pr.Apart[c] && len(s.p.Funcs[c].Stages) == 1
}

// drawTiles draws a layout for every kernel.
func drawTiles(s *state) error {
	for _, g := range s.groups {
		if s.problem.Host[g.Out] != "" {
			f, err := s.searcher.Best(g, coster.Final)
			if err != nil {
				return err
			}
			s.found = append(s.found, f)
			continue
		}
		f := &search.Found{Layout: &plan.Layout{}}
		for stage := range s.p.Funcs[g.Out].Stages {
			k, err := s.drawKernel(g, stage)
			if err != nil {
				return err
			}
			price := s.coster.Price(k.View(s.problem), k, coster.Final)
			f.Layout.Kernels = append(f.Layout.Kernels, k)
			f.Prices = append(f.Prices, price)
			f.Cost += price.Cost
		}
		s.found = append(s.found, f)
	}
	return nil
}

// drawKernel draws a layout, with nested fusion or without.
func (s *state) drawKernel(g *plan.Group, stage int) (*plan.Kernel, error) {
	nestings := []strategy.Nesting{strategy.NestNever, strategy.NestAlways}
	if s.drawing.rng.IntN(2) == 0 {
		slices.Reverse(nestings)
	}
	var err error
	for _, n := range nestings {
		var k *plan.Kernel
		if k, err = s.searcher.Draw(g, stage, strategy.Options{Nesting: n}, s.drawing.rng.IntN); err == nil {
			return k, nil
		}
	}
	return nil, fmt.Errorf("autoscheduler: nothing to draw for %s: %w", s.p.Funcs[g.Out].Label, err)
}

package grouping

import (
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
	"gowarp/internal/workers"
)

// Greedy merges the producer's group into its consumer's that gains most, until no
// merge gains (Mullapudi et al. 2016, as used by Sioutas et al. 2020, section 4.2).
// A candidate is a group whose output is read by one other group only. What several groups
// read is then computed again in all of them where that is cheaper (see duplicate), what was inlined is stored where that is (see store),
// and the merging goes on.
type Greedy struct{}

// Name implements Grouping.
func (Greedy) Name() string { return "greedy" }

// Group implements Grouping.
func (Greedy) Group(s *search.Searcher, in Inliner) ([]*plan.Group, []Merge, error) {
	st, err := newState(s)
	if err != nil {
		return nil, nil, err
	}
	merges := st.merge()
	for st.duplicate(in) || st.store(in) || st.recompute(in) {
		merges = append(merges, st.merge()...)
	}
	merges = append(merges, st.refusals()...)
	return remaining(st.groups), merges, nil
}

// merge makes the merge that gains most until none gains.
func (st *state) merge() []Merge {
	var merges []Merge
	for best := st.best(); best != nil; best = st.best() {
		merges = append(merges, Merge{Producer: best.producer, With: best.with, Consumer: best.merged.Out, Gain: best.gain, Cost: best.merged.Cost})
		st.apply(best)
	}
	return merges
}

// copy is a state that may be merged on without a change to this one. What was priced is shared.
func (st *state) copy() *state {
	c := *st
	c.groups, c.of, c.next, c.asked, c.settled, c.stores = slices.Clone(st.groups), slices.Clone(st.of), slices.Clone(st.next), slices.Clone(st.asked), slices.Clone(st.settled), slices.Clone(st.stores)
	return &c
}

// cost is that of all groups.
func (st *state) cost() float64 {
	sum := 0.0
	for _, g := range remaining(st.groups) {
		sum += g.Cost
	}
	return sum
}

// faults is how many rules the groups break.
func (st *state) faults() int {
	n := 0
	for _, g := range remaining(st.groups) {
		n += g.Faults
	}
	return n
}

// refusals says of every group that is left, outputs apart, why it was not merged.
func (st *state) refusals() []Merge {
	st.priceCandidates()
	var out []Merge
	for id, g := range st.groups {
		if g == nil || st.s.Problem.P.Funcs[id].Output {
			continue
		}
		m := Merge{Producer: id, Consumer: -1, Refused: "several kernels read it"}
		if c := st.next[id]; c.consumer >= 0 {
			m.Consumer, m.Gain, m.Refused = c.consumer, c.gain, c.why
		}
		out = append(out, m)
	}
	return out
}

type state struct {
	s       *search.Searcher
	groups  []*plan.Group // by output; nil where merged away or inlined
	of      []int         // Func -> output of its group; -1 for inlined Funcs
	readers [][]int       // Func -> Funcs that load it, inlined ones looked through
	reads   [][]int       // the inverse: Func -> Funcs that it loads
	next    []*candidate  // by producer: its merge, once priced, as long as neither group changes
	asked   []bool        // by Func: computing it in its readers does not gain, as long as their groups do not change
	settled []bool        // by Func: whether to store it was asked, or computing it in its readers gained: it is not asked again
	stores  []int         // by output of a group: how many Funcs that it computes where they are read were tried stored
	phase   coster.Phase  // for which groups are priced in which a Func is computed again: that of the present prices
}

// newState has a group of every Func that is not inlined, priced.
func newState(s *search.Searcher) (*state, error) {
	pr := s.Problem
	st := &state{s: s, groups: singles(pr), of: make([]int, len(pr.P.Funcs)), readers: readers(pr), next: make([]*candidate, len(pr.P.Funcs)), asked: make([]bool, len(pr.P.Funcs)), settled: make([]bool, len(pr.P.Funcs)), stores: make([]int, len(pr.P.Funcs))}
	for id, g := range st.groups {
		st.of[id] = -1
		if g != nil {
			st.of[id] = id
		}
	}
	if err := st.priceEach(remaining(st.groups)); err != nil {
		return nil, err
	}
	st.reads = inverse(st.readers)
	return st, nil
}

// candidate is a merge that was priced. merged is nil where it is not possible; consumer is -1
// where there is not one to merge with.
type candidate struct {
	producer int
	with     []int // merged with it: its partial results
	consumer int
	merged   *plan.Group
	gain     float64
	why      string // not merged: why
}

// noteFound has a group know what was found for it.
func noteFound(g *plan.Group, f *search.Found) {
	g.Cost, g.Faults, g.Ways = f.Cost, f.Faults(), f.Choices()
}

// priceEach prices groups, an error where there is no way to run one of them.
func (st *state) priceEach(groups []*plan.Group) error {
	for i, a := range st.s.BestOfEach(groups, coster.Grouping, func(a *search.Answer) bool { return a.Err == nil }) {
		if a.Err != nil {
			return a.Err
		}
		noteFound(groups[i], a.Found)
	}
	return nil
}

// priceAgain prices groups that are there already and something was changed in, and adds what each then costs less to a gain: 0 where one of them cannot be run.
func (st *state) priceAgain(gain float64, again []*plan.Group) float64 {
	for i, a := range st.s.BestOfEach(again, st.phase, (*search.Answer).Valid) {
		if !a.Valid() {
			return 0
		}
		noteFound(again[i], a.Found)
		gain += st.groups[again[i].Out].Cost - a.Cost
	}
	return gain
}

// kept makes a change of how a Func is computed, and keeps it if it gains. The gain is asked for once the change is made.
func kept(change func(int) (func(float64), func()), id int, gain func() float64) bool {
	keep, undo := change(id)
	if keep == nil {
		return false
	}
	if n := gain(); n > 0 {
		keep(n)
		return true
	}
	undo()
	return false
}

// gainAsRun is what groups gain that are there already and something was changed in, run in the ways that they were, if they can be.
func (st *state) gainAsRun(again []*plan.Group) (gain float64, ok bool) {
	found := make([]*search.Found, len(again))
	workers.Until(len(again), func(i int) bool {
		found[i] = st.s.Again(again[i], st.groups[again[i].Out].Ways, st.phase)
		return found[i] != nil
	})
	for i, f := range found {
		if f == nil {
			return 0, false
		}
		gain += st.groups[again[i].Out].Cost - f.Cost
	}
	return gain, true
}

// hopelessLoss is the loss in the ways that groups are run in, as a part of what the kernel costs that is asked about, from where on other ways to run them are not looked for.
const hopelessLoss = 1. / 3

// gainUnlessHopeless is priceAgain, but 0 where the groups, run in the ways that they were, lose too much of what the kernel costs that is asked about.
func (st *state) gainUnlessHopeless(gain float64, again []*plan.Group, asked *plan.Group) float64 {
	if asRun, ok := st.gainAsRun(again); ok && gain+asRun < -hopelessLoss*asked.Cost {
		return 0
	}
	return st.priceAgain(gain, again)
}

// best is the candidate that gains most; ties go to the lowest producer.
func (st *state) best() *candidate {
	st.priceCandidates()
	var best *candidate
	for id, g := range st.groups {
		if g == nil {
			continue
		}
		if c := st.next[id]; c.merged != nil && c.gain > 0 && (best == nil || c.gain > best.gain) {
			best = c
		}
	}
	return best
}

// priceCandidates finds, for each group, the merge into the only one that reads it, which is priced once as long as neither
// changes.
func (st *state) priceCandidates() {
	var open []*candidate
	var merged []*plan.Group
	trees := map[*plan.Group][]int{}
	for id, g := range st.groups {
		if g == nil || st.next[id] != nil {
			continue
		}
		c := &candidate{producer: id, consumer: -1}
		st.next[id] = c
		consumer, ok := st.soleGroup(id)
		if !ok {
			continue
		}
		c.consumer = consumer
		if c.why = unmergeable(st.s.Problem, id, consumer); c.why != "" {
			continue
		}
		p, q := st.groups[id], st.groups[consumer]
		open = append(open, c)
		merged = append(merged, st.s.Problem.NewGroup(consumer, slices.Concat([]int{id}, p.Members, q.Members)))
		if tree := st.tree(id); len(tree) > 0 {
			open = append(open, c)
			merged = append(merged, st.s.Problem.NewGroup(consumer, slices.Concat([]int{id}, tree, p.Members, q.Members)))
			trees[merged[len(merged)-1]] = tree
		}
	}
	for i, a := range st.s.BestOfEach(merged, coster.Grouping, nil) {
		c, g := open[i], merged[i]
		switch {
		case c.merged != nil && (a.Err != nil || !a.Found.Valid()): // without its partial results it can be
		case a.Err != nil:
			c.why = a.Err.Error()
		case !a.Found.Valid():
			c.why = a.Reject
		default:
			g.Cost, g.Ways = a.Cost, a.Choices()
			gain := -g.Cost
			for _, was := range st.within(g) {
				gain += was.Cost
			}
			if c.merged == nil || gain > c.gain {
				c.merged, c.with, c.gain = g, trees[g], gain
				c.why = "one kernel costs more than two"
			}
		}
	}
}

// within are the groups of which a new one is made.
func (st *state) within(g *plan.Group) (of []*plan.Group) {
	for _, fn := range append(slices.Clone(g.Members), g.Out) {
		if was := st.groups[fn]; was != nil {
			of = append(of, was)
		}
	}
	return of
}

// tree is the partial results of a reduction that it alone reads, and theirs, with the members of their kernels. Each is a kernel of its own as long as the reduction is one, since nothing is computed in a Func with updates; in the kernel of
// its reader they may be together.
func (st *state) tree(id int) (all []int) {
	if len(st.s.Problem.P.Funcs[id].Stages) == 1 {
		return nil
	}
	for of := []int{id}; len(of) > 0; {
		var next []int
		for _, fn := range of {
			for _, r := range st.reads[fn] {
				g := st.groups[r]
				if g == nil || slices.Contains(all, r) || st.s.Problem.P.Funcs[r].Output || st.s.Problem.Host[r] != "" || !st.partial(g) {
					continue
				}
				if only, ok := st.soleGroup(r); !ok || only != st.of[fn] {
					continue
				}
				next = append(next, g.Members...)
				next = append(next, r)
			}
		}
		all = append(all, next...)
		of = next
	}
	return all
}

// partial reports whether a group is of partial results.
func (st *state) partial(g *plan.Group) bool {
	return slices.ContainsFunc(append(slices.Clone(g.Members), g.Out), func(fn int) bool { return st.s.Problem.P.Funcs[fn].Partial })
}

// soleGroup is the only group that reads a Func, but for the one that it is the output of.
func (st *state) soleGroup(id int) (int, bool) {
	groups := st.readingGroups(id)
	if st.s.Problem.P.Funcs[id].Output || len(groups) != 1 {
		return 0, false
	}
	return groups[0], true
}

// readingGroups are the groups that read a Func, by their outputs, but for the one that it is the output of.
func (st *state) readingGroups(id int) []int {
	var out []int
	for _, r := range st.readers[id] {
		if g := st.of[r]; g >= 0 && g != id && !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	return out
}

// unmergeable says why a merge is out of the question before anything is priced: what
// runs on the host stays alone, and no other Func is computed inside one with updates.
func unmergeable(pr *plan.Problem, producer, consumer int) string {
	switch {
	case pr.Host[producer] != "":
		return pr.Host[producer]
	case pr.Host[consumer] != "":
		return "its reader runs on the host"
	case len(pr.P.Funcs[consumer].Stages) != 1:
		return "its reader has updates: several kernels"
	}
	return ""
}

func (st *state) apply(c *candidate) {
	// What was priced with either group is out of date, and a producer that both read may now
	// have one reader instead of two.
	for _, m := range c.merged.Members {
		st.groups[m], st.next[m] = nil, nil
	}
	st.adopt(c.merged)
}

// adopt notes a group whose members may have been in others.
func (st *state) adopt(g *plan.Group) {
	for _, m := range g.Members {
		st.of[m] = g.Out
	}
	st.groups[g.Out] = g
	st.outdate(g)
}

// outdate forgets what was priced with a group before it changed.
func (st *state) outdate(g *plan.Group) {
	st.next[g.Out] = nil
	for _, fn := range append([]int{g.Out}, g.Members...) {
		for _, producer := range st.reads[fn] {
			st.next[st.of[producer]], st.asked[producer] = nil, false
		}
	}
}

// inverse turns Func -> readers into Func -> what it reads.
func inverse(readers [][]int) [][]int {
	out := make([][]int, len(readers))
	for producer, fns := range readers {
		for _, fn := range fns {
			out[fn] = append(out[fn], producer)
		}
	}
	return out
}

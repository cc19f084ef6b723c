package grouping

import (
	"slices"

	"gowarp/autoscheduler/search"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// store gives Funcs that are computed where they are read a kernel of their own after all, where all kernels together then cost less:
// the clamps of a boundary condition, say, once a pixel instead of once for each of a hundred places that read it. The pass that
// inlines cannot know that, for it comes before the groups, and what only moves data is hardly ever worth it. It reports whether there was any.
func (st *state) store(in Inliner) bool {
	changed := false
	places := placesOf(st.s.Problem)
	for id := len(st.groups) - 1; id >= 0; id-- { // consumers first: what they compute is then in one place
		if !st.s.Problem.Inlined[id] || st.settled[id] || !st.worthStoring(id, places[id]) {
			continue
		}
		keep, undo := in.Store(id)
		if keep == nil {
			continue
		}
		st.settled[id] = true
		for _, at := range places[id] {
			st.stores[st.of[at.fn]]++
		}
		alone := st.s.Problem.NewGroup(id, nil)
		reads := readers(st.s.Problem)
		if st.readsMembers(id, reads) || st.priceEach([]*plan.Group{alone}) != nil {
			undo()
			continue
		}
		var again []*plan.Group
		for _, g := range remaining(st.groups) {
			if reading(reads[id], g) {
				again = append(again, st.s.Problem.NewGroup(g.Out, g.Members))
			}
		}
		gain := -alone.Cost
		for i, a := range st.s.BestOfEach(again, st.phase, (*search.Answer).Valid) {
			if !a.Valid() {
				gain = 0
				break
			}
			again[i].Cost, again[i].Faults = a.Cost, a.Faults()
			gain += st.groups[again[i].Out].Cost - a.Cost
		}
		if gain <= 0 {
			undo()
			continue
		}
		keep(gain)
		changed = true
		st.stored(alone, again)
		places = placesOf(st.s.Problem)
	}
	return changed
}

// mostStores is how many Funcs are tried stored at most of those that one kernel computes where they are read: each takes all that a kernel of
// hundreds of them costs to price, once more. The programs have 14 in all their kernels together at most.
const mostStores = 16

// place is a stored stage that computes an inlined Func, and how often: at so many places for each of its points.
type place struct {
	fn, stage int
	calls     int64
}

// placesOf are those of each inlined Func.
func placesOf(pr *plan.Problem) [][]place {
	at := make([][]place, len(pr.P.Funcs))
	for fn := range pr.P.Funcs {
		if pr.Inlined[fn] {
			continue
		}
		for stage := range pr.P.Funcs[fn].Stages {
			here := place{fn: fn, stage: stage}
			for _, c := range pr.Expand[pr.StageIndex(fn, stage)].Calls {
				if n := len(at[c.Func]); n == 0 || at[c.Func][n-1].fn != fn || at[c.Func][n-1].stage != stage {
					at[c.Func] = append(at[c.Func], here)
				}
				at[c.Func][len(at[c.Func])-1].calls++
			}
		}
	}
	return at
}

// worthStoring reports whether it is worth asking what a kernel of its own gains for an inlined Func: whether some point of it may be computed
// more than once, as long as its readers' kernels were not asked too often.
func (st *state) worthStoring(id int, at []place) bool {
	points, computed := st.points(id, 0), int64(0)
	for _, p := range at {
		g := st.groups[st.of[p.fn]]
		switch {
		case st.stores[g.Out] >= mostStores:
			return false
		case g.Out == p.fn:
			computed += p.calls * st.points(p.fn, p.stage)
		case slices.ContainsFunc(g.Grow.Funcs[p.fn], func(d bounds.Growth) bool { return !d.Known || d.Dim < 0 || d.Num != 1 || d.Den != 1 || d.Lo != d.Hi }):
			return true // of members of which tiles overlap some points are computed again
		default:
			computed += p.calls * st.points(g.Out, 0)
		}
	}
	return computed > points
}

// points is how many a stage has at the estimates; 0 where that is not known.
func (st *state) points(fn, stage int) int64 {
	box, err := st.s.Problem.Regions.Loops(st.s.Problem.P, fn, stage)
	if err != nil {
		return 0
	}
	return box.Points()
}

// readsMembers reports whether a Func reads one that has no kernel of its own.
func (st *state) readsMembers(id int, readers [][]int) bool {
	for producer, fns := range readers {
		if slices.Contains(fns, id) && st.of[producer] != producer {
			return true
		}
	}
	return false
}

// reading reports whether a group has one of the Funcs.
func reading(readers []int, g *plan.Group) bool { return slices.ContainsFunc(readers, g.Has) }

// stored notes that a Func has a kernel of its own, which these groups read.
func (st *state) stored(alone *plan.Group, again []*plan.Group) {
	st.readers = readers(st.s.Problem)
	st.reads = inverse(st.readers)
	st.groups[alone.Out], st.of[alone.Out], st.next[alone.Out] = alone, alone.Out, nil
	st.asked[alone.Out] = true
	for _, q := range again {
		st.groups[q.Out] = q
		st.outdate(q)
	}
	st.outdate(alone)
}

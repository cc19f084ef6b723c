package grouping

import (
	"slices"

	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// store gives Funcs that are computed where they are read a kernel of their own after all, where all kernels together then cost less:
// the clamps of a boundary condition, say, once a pixel instead of once for each of a hundred places that read it. The pass that
// inlines cannot know that, for it comes before the groups, and what only moves data is hardly ever worth it. It reports whether there was any.
func (st *state) store(in Inliner) bool {
	changed := false
	for id := len(st.groups) - 1; id >= 0; id-- { // consumers first: what they compute is then in one place
		if !st.s.Problem.Inlined[id] || st.settled[id] {
			continue
		}
		sites := st.s.Problem.Sites(id)
		if !st.worthStoring(id, sites) {
			continue
		}
		var alone *plan.Group
		var again []*plan.Group
		if !kept(in.Store, id, func() float64 {
			st.settled[id] = true
			for _, at := range sites {
				if at.Calls > 0 {
					st.stores[st.of[at.Func]]++
				}
			}
			alone = st.s.Problem.NewGroup(id, nil)
			reads := readers(st.s.Problem)
			if st.readsMembers(id, reads) || st.priceEach([]*plan.Group{alone}) != nil {
				return 0
			}
			for _, g := range remaining(st.groups) {
				if reading(reads[id], g) {
					again = append(again, st.s.Problem.NewGroup(g.Out, g.Members))
				}
			}
			return st.gainUnlessHopeless(-alone.Cost, again, alone)
		}) {
			continue
		}
		changed = true
		st.stored(alone, again)
	}
	return changed
}

// mostStores is how many Funcs are tried stored at most of those that one kernel computes where they are read: each takes all that a kernel of
// hundreds of them costs to price, once more. The programs have 14 in all their kernels together at most.
const mostStores = 16

// worthStoring reports whether it is worth asking what a kernel of its own gains for an inlined Func: whether some point of it may be computed
// more than once, as long as its readers' kernels were not asked too often.
func (st *state) worthStoring(id int, sites []plan.Site) bool {
	points, computed := st.points(id, 0), int64(0)
	for _, at := range sites {
		g := st.groups[st.of[at.Func]]
		switch {
		case at.Calls == 0: // constants there
		case st.stores[g.Out] >= mostStores:
			return false
		case g.Out == at.Func:
			computed += at.Calls * st.points(at.Func, at.Stage)
		case slices.ContainsFunc(g.Grow.Funcs[at.Func], func(d bounds.Growth) bool { return !d.Known || d.Dim < 0 || d.Num != 1 || d.Den != 1 || d.Lo != d.Hi }):
			return true // of members of which tiles overlap some points are computed again
		default:
			computed += at.Calls * st.points(g.Out, 0)
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

package grouping

import (
	"slices"

	"gowarp/autoscheduler/search"
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
		keep, undo := in.Store(id)
		if keep == nil {
			continue
		}
		st.settled[id] = true
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
	}
	return changed
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

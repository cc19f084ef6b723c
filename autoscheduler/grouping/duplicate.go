package grouping

import (
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
)

// duplicate computes Funcs that other groups read in each of those, where all their kernels together then cost less: one
// kernel and what it writes and the others read of it against computing it again. The pass that inlines cannot know that,
// for it comes before the groups. What one group alone reads, and is not merged with it, is asked too by costs that count
// instructions: a reduction that reads it for all channels at once computes it once. It reports whether there was any.
func (st *state) duplicate(in Inliner) bool {
	changed, fewest := false, 2
	if coster.CountsInstructions(st.s.Coster) {
		fewest = 1
	}
	for id := len(st.groups) - 1; id >= 0; id-- { // consumers first, as they are inlined
		g := st.groups[id]
		if g == nil || len(g.Members) > 0 || st.asked[id] {
			continue
		}
		outs := st.readingGroups(id)
		if len(outs) < fewest {
			continue
		}
		st.asked[id] = true
		keep, undo := in.Inline(id)
		if keep == nil {
			continue
		}
		again := make([]*plan.Group, len(outs))
		for i, out := range outs {
			again[i] = st.s.Problem.NewGroup(out, st.groups[out].Members)
		}
		gain := st.priceAgain(g.Cost, again)
		if gain <= 0 {
			undo()
			continue
		}
		keep(gain)
		changed = true
		st.inlined(id, again)
	}
	return changed
}

// inlined notes that a Func is computed in its readers, which are in these groups.
func (st *state) inlined(id int, again []*plan.Group) {
	st.groups[id], st.of[id] = nil, -1
	st.settled[id] = true
	if pr := st.s.Problem; len(pr.P.Funcs[id].Types) == 1 {
		st.reread(append(slices.Clone(st.readers[id]), id))
	} else { // others may be inlined with it, which nothing reads any more
		st.readers = readers(pr)
		st.reads = inverse(st.readers)
	}
	for _, q := range again {
		st.groups[q.Out] = q
		st.outdate(q)
	}
}

package grouping

import (
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
)

// duplicate computes Funcs that other groups read in each of those, where all their kernels together then cost less: one
// kernel and what it writes and the others read of it against computing it again. The pass that inlines cannot know that,
// for it comes before the groups. What one group alone reads, and is not merged with it, is asked too by costs that count
// instructions: a reduction that reads it for all channels at once computes it once. By those, a Func with members is asked too where it reads one of them alone, which is
// the kernel's then. It reports whether there was any.
func (st *state) duplicate(in Inliner) bool {
	changed, fewest := false, 2
	counts := coster.CountsInstructions(st.s.Coster)
	if counts {
		fewest = 1
	}
	for id := len(st.groups) - 1; id >= 0; id-- { // consumers first, as they are inlined
		g := st.groups[id]
		if g == nil || len(g.Members) > 0 && !counts || st.asked[id] {
			continue
		}
		outs := st.readingGroups(id)
		if len(outs) < fewest {
			continue
		}
		rest, ok := st.without(g)
		if !ok {
			continue
		}
		st.asked[id] = true
		again := make([]*plan.Group, len(outs))
		together := false // what is left of the group is in its reader's too
		if !kept(in.Inline, id, func() float64 {
			for i, out := range outs {
				again[i] = st.s.Problem.NewGroup(out, st.groups[out].Members)
			}
			gain := 0.0
			if rest == nil || st.priceEach([]*plan.Group{rest}) == nil {
				gain = g.Cost
				if rest != nil {
					gain -= rest.Cost
				}
				gain = st.gainUnlessHopeless(gain, again, g)
			}
			if rest == nil || len(outs) > 1 {
				return gain
			}
			// With what is left in it too, the reader's kernel may gain where it does not with a kernel more (a softmax's exponentials, behind the greatest value of a row).
			one := []*plan.Group{st.s.Problem.NewGroup(outs[0], slices.Concat([]int{rest.Out}, rest.Members, st.groups[outs[0]].Members))}
			if all := st.priceAgain(g.Cost, one); all > gain {
				together, again, gain = true, one, all
			}
			return gain
		}) {
			continue
		}
		changed = true
		st.inlined(id, again)
		if rest != nil && !together {
			st.left(rest)
		}
	}
	return changed
}

// without is the group that is left of one without its output: that of the only member which the output reads, which all others are for. It is nil if there are none, and there may be none where the
// output reads several.
func (st *state) without(g *plan.Group) (rest *plan.Group, ok bool) {
	var read []int
	for _, m := range g.Members {
		if slices.Contains(st.reads[g.Out], m) {
			read = append(read, m)
		}
	}
	if len(read) != 1 {
		return nil, len(g.Members) == 0
	}
	others := slices.DeleteFunc(slices.Clone(g.Members), func(m int) bool { return m == read[0] })
	return st.s.Problem.NewGroup(read[0], others), true
}

// left notes that a group has a kernel of its own, whose output was inlined.
func (st *state) left(rest *plan.Group) {
	st.of[rest.Out] = rest.Out
	st.adopt(rest)
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
		st.adopt(q)
	}
}

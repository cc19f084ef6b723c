package grouping

import (
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
)

// largeShare is how much of what all groups cost one has to cost for its members to be asked one by one.
const largeShare = .02

// recompute computes members of a kernel where they are read instead, where the kernel then costs less. A merge keeps a Func in memory of the block or the warp, which was better than a
// kernel of its own for it; that to compute it again is better still nobody has asked: the pass that inlines comes before the groups, and duplicate asks those that have kernels. Only costs that
// count instructions know what neighbouring points share, and kernels that are a small part of all are left. It reports whether there was any.
func (st *state) recompute(in Inliner) bool {
	if !coster.CountsInstructions(st.s.Coster) {
		return false
	}
	changed, all := false, st.cost()
	for id := len(st.of) - 1; id >= 0; id-- { // consumers first, as they are inlined
		out := st.of[id]
		if out < 0 || out == id || st.asked[id] {
			continue
		}
		if reader, ok := st.soleGroup(id); !ok || reader != out {
			continue
		}
		g := st.groups[out]
		if len(g.Ways) == 0 || g.Cost < all*largeShare {
			continue
		}
		st.asked[id] = true
		again := make([]*plan.Group, 1)
		if !kept(in.Inline, id, func() float64 {
			again[0] = st.s.Problem.NewGroup(out, slices.DeleteFunc(slices.Clone(g.Members), func(m int) bool { return m == id }))
			if asRun, ok := st.gainAsRun(again); ok && asRun <= 0 { // other ways to run it are looked for only where it gains in those that it has
				return 0
			}
			return st.priceAgain(0, again)
		}) {
			continue
		}
		changed = true
		st.inlined(id, again)
	}
	return changed
}

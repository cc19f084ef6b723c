package autoscheduler

import (
	"slices"

	"gowarp/halideir"
	"gowarp/internal/plan"
)

// onePiece reports whether the loops of a kernel are one piece of code each. Halide marks what is likely inside an image and not at its edge (clamps and choices of boundary
// conditions), and makes code of its own for the blocks in which it always holds. Where a kernel computes no such thing, all that code of their own saves them is the tests
// of the tails, and the kernel stands in the code several times for it. Those tests cost little where each thread makes them once: not of a special case for whole groups of
// points, whose last group begins earlier, nor in the loops of members, reductions and scans.
func (s *state) onePiece(k *plan.Kernel) bool {
	n := &k.Out
	if !k.OneTest(s.p) || s.marked(n.Func, n.Stage) {
		return false
	}
	view := k.View(s.problem)
	return !slices.ContainsFunc(view.ExpandOf(n).Inlined, func(id int) bool { return s.marked(id, 0) })
}

// marked reports whether a definition says that something is likely.
func (s *state) marked(fn, stage int) bool {
	f := &s.p.Funcs[fn]
	if stage >= len(f.Stages) {
		return false // extern
	}
	st, any := &f.Stages[stage], false
	visit := func(_ halideir.NodeID, n *halideir.Node) {
		any = any || n.IsLikely()
	}
	s.p.Walk(visit, st.Values...)
	s.p.Walk(visit, st.Args...)
	s.p.Walk(visit, st.Predicate)
	return any
}

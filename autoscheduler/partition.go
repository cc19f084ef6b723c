package autoscheduler

import (
	"gowarp/halideir"
	"gowarp/internal/plan"
)

// hasInterior reports whether a kernel computes something that is simpler inside an image than at its edge: Halide marks what is likely there (clamps
// and choices of boundary conditions), and makes code of its own for the blocks in which it always holds. Where there is no such
// thing, all that code of their own saves them is the tests of the tails, and the kernel stands in the code several times for it. (Of a special
// case for whole groups of points that is no small thing: whether its group is the last, which begins earlier, each thread would test.)
func (s *state) hasInterior(k *plan.Kernel) bool {
	view := k.View(s.problem)
	found := func(fn, stage int) bool {
		if s.marked(fn, stage) {
			return true
		}
		for _, id := range view.Expand[view.StageIndex(fn, stage)].Inlined {
			if s.marked(id, 0) {
				return true
			}
		}
		return false
	}
	for i := range k.Members {
		for j := range k.Members[i].Nests {
			if n := &k.Members[i].Nests[j]; found(n.Func, n.Stage) {
				return true
			}
		}
	}
	return found(k.Out.Func, k.Out.Stage)
}

// marked reports whether a definition says that something is likely.
func (s *state) marked(fn, stage int) bool {
	f := &s.p.Funcs[fn]
	if stage >= len(f.Stages) {
		return false // extern
	}
	st, any := &f.Stages[stage], false
	visit := func(_ halideir.NodeID, n *halideir.Node) {
		any = any || n.Op == halideir.OpCall && (n.Name == "likely" || n.Name == "likely_if_innermost")
	}
	s.p.Walk(visit, st.Values...)
	s.p.Walk(visit, st.Args...)
	s.p.Walk(visit, st.Predicate)
	return any
}

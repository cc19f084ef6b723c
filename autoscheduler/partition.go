package autoscheduler

import (
	"math"
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

// mostLikely is how many things that are likely Halide may find in a kernel before it takes ever longer to make code of its own of them: with 6,400
// half a minute by a chain, with 400 two seconds, most of which LLVM takes; with 4,584, minima of maxima of selects, over a minute (random window 30). mostLooks is how often it may look at a load for them.
const mostLikely, mostLooks = 2_500, 1e6

// findable reports whether Halide finds what is likely in a kernel in no time. It looks 2^n times at what is n deep in minima: where both
// sides of a Min hold something likely it looks at each side twice (visit of Min in FindSimplifications, PartitionLoops.cpp of Halide 21; not at
// those of a Max), and its simplifier nests minima as deep as they go. One of 25 neighbours is looked at millions of times.
func (s *state) findable(k *plan.Kernel) bool {
	view := k.View(s.problem)
	var all likely
	for n := range k.Nests() {
		f := &s.p.Funcs[n.Func]
		if n.Stage >= len(f.Stages) {
			continue // extern
		}
		l := likelies{
			p: s.p, inlined: view.ExpandOf(n).Inlined, of: map[halideir.NodeID]likely{},
			shifted: slices.ContainsFunc(n.Unrolled, func(u plan.Use) bool { return u.Tail == plan.ShiftInwards }),
		}
		straight, _ := n.Straight()
		points := float64(straight.PointsPerThread())
		for _, v := range f.Stages[n.Stage].Values {
			at := l.in(v)
			all.found, all.looks = all.found+points*at.found, all.looks+points*at.looks
		}
	}
	return all.found <= mostLikely && all.looks <= mostLooks
}

// likelies finds what is likely in expressions, as Halide does, through what is inlined there.
type likelies struct {
	p       *halideir.Pipeline
	inlined []int
	shifted bool // points that are shifted inwards begin at a place that is likely: every load holds it
	of      map[halideir.NodeID]likely
}

// likely is how often something likely is found in an expression, and how often a load there is looked at.
type likely struct {
	found, looks float64
	any          bool // something likely is there
	bare         bool // outside of every Min, Max and select
}

func (l *likelies) in(id halideir.NodeID) likely {
	if id == halideir.NoNode {
		return likely{}
	}
	if have, ok := l.of[id]; ok {
		return have
	}
	n := &l.p.Nodes[id]
	var sum likely
	both := len(n.Args) > 0
	add := func(at likely) {
		sum.found, sum.looks = math.Min(math.MaxFloat32, sum.found+at.found), math.Min(math.MaxFloat32, sum.looks+at.looks)
		sum.any, sum.bare, both = sum.any || at.any, sum.bare || at.bare, both && at.any
	}
	for _, a := range n.Args {
		add(l.in(a))
	}
	switch {
	case n.IsLikely():
		sum.found, sum.any, sum.bare = sum.found+1, true, true
	case n.Op == halideir.OpMin && both && !sum.bare:
		sum.found, sum.looks = 2*sum.found, 2*sum.looks
	case n.Op == halideir.OpMin, n.Op == halideir.OpMax, n.Op == halideir.OpSelect:
		sum.bare = false
	case n.ReadsFunc() && slices.Contains(l.inlined, n.Func):
		add(l.in(l.p.Funcs[n.Func].Stages[0].Values[n.Out]))
	case n.ReadsBuffer():
		sum.looks, sum.any = sum.looks+1, sum.any || l.shifted
	}
	l.of[id] = sum
	return sum
}

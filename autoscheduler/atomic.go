package autoscheduler

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/rfactor"
	"gowarp/internal/plan"
)

// atomicUpdate reports whether the update can be made of atomic operations that every GPU
// of the API has and that give the same result in any order: a 32-bit integer to which
// something is added. Floats would depend on the order; other operations become a
// compare-and-swap loop in Halide 21, which reads the old value a second time without
// protection. Halide 21 has no atomics for Metal, Direct3D and WebGPU. apart is whether Halide sees
// the addition by itself (disjoint); else it takes a lowering pass (schedule.AtomicAddition).
func atomicUpdate(pr *plan.Problem, f *halideir.Func, st *halideir.Stage) (is, apart bool) {
	p := pr.P
	proven := st.Associative && st.Commutative
	if p.Target.API != "cuda" && p.Target.API != "opencl" || !proven && st.Restated == nil || len(f.Types) != 1 {
		return false, false
	}
	t := f.Types[0]
	if t.Bits != 32 || t.Lanes > 1 || t.Code != halideir.Int && t.Code != halideir.UInt {
		return false, false
	}
	v := &p.Nodes[st.Values[0]]
	if proven && v.Op == halideir.OpAdd {
		apart = selfLoad(p, f, st, v.Args[0]) && disjoint(pr, st.Args, v.Args[1]) || selfLoad(p, f, st, v.Args[1]) && disjoint(pr, st.Args, v.Args[0])
	}
	// Of places that are loops there are partial results, which do not wait for each other.
	if apart || !slices.ContainsFunc(st.Args, func(id halideir.NodeID) bool { return p.Nodes[id].Op != halideir.OpVar }) {
		return apart, apart
	}
	// Under lets, which Halide puts around what an author uses twice, or a difference, in which Halide proves nothing.
	sum := &p.Nodes[pr.Access.Canonical(st.Values[0])]
	adds, subtracts := sum.Op == halideir.OpAdd, sum.Op == halideir.OpSub
	return (adds || subtracts) && sameLoad(pr, f, st, sum.Args[0]) || adds && sameLoad(pr, f, st, sum.Args[1]), false
}

// atomic reports whether the update is made of atomic operations: in the papers' modes only as Halide does it by itself, and where nobody checks that the pass has had it see an addition.
func (s *state) atomic(pr *plan.Problem, f *halideir.Func, st *halideir.Stage) bool {
	is, apart := atomicUpdate(pr, f, st)
	return is && (apart || s.passAdds())
}

// passAdds reports whether a lowering pass may make an addition of an update (schedule.AtomicAddition): somebody checks that it has.
func (s *state) passAdds() bool {
	return s.params.Mode == "gowarp" && s.params.Check != "0" && !s.tried.unadded
}

// addsNothing reports whether an addition may be of 0, by a choice: the pass leaves out the operation then.
func addsNothing(pr *plan.Problem, st *halideir.Stage) bool {
	sum := &pr.P.Nodes[pr.Access.Canonical(st.Values[0])]
	return sum.Op == halideir.OpAdd && slices.ContainsFunc(sum.Args, func(id halideir.NodeID) bool {
		n := &pr.P.Nodes[pr.Access.Canonical(id)]
		if n.Op != halideir.OpSelect {
			return false
		}
		or := &pr.P.Nodes[pr.Access.Canonical(n.Args[2])]
		return (or.Op == halideir.OpInt || or.Op == halideir.OpUint) && or.Int == 0
	})
}

// disjoint reports whether what is added has surely no work in common with the place that it is
// added to. What both compute Halide 21 computes once, in a let around the store, and then no
// longer sees an addition there: it makes a compare-and-swap loop.
func disjoint(pr *plan.Problem, place []halideir.NodeID, added halideir.NodeID) bool {
	type parts struct {
		work           map[halideir.NodeID]bool // all but constants and variables
		loads, inlined bool
	}
	of := func(roots ...halideir.NodeID) parts {
		out := parts{work: map[halideir.NodeID]bool{}}
		pr.P.Walk(func(id halideir.NodeID, n *halideir.Node) {
			if len(n.Args) == 0 && n.Op != halideir.OpCall && !(n.Op == halideir.OpVar && n.Kind == halideir.VarLet) {
				return
			}
			out.work[pr.Access.Canonical(id)] = true
			if n.ReadsBuffer() {
				out.loads = true
				out.inlined = out.inlined || n.Call == halideir.CallHalide && pr.Inlined[n.Func]
			}
		}, roots...)
		return out
	}
	a, p := of(added), of(place...)
	if len(a.work) == 0 {
		return true
	}
	// Two loads may be one once Funcs are in place, and so may anything inside those.
	if a.loads && p.loads || a.inlined || p.inlined {
		return false
	}
	for id := range a.work {
		if p.work[id] {
			return false
		}
	}
	return true
}

// sameLoad reports whether an expression is the point that the stage stores, however that is said.
func sameLoad(pr *plan.Problem, f *halideir.Func, st *halideir.Stage, id halideir.NodeID) bool {
	n := &pr.P.Nodes[pr.Access.Canonical(id)]
	return n.ReadsFunc() && n.Func == f.ID && rfactor.SamePlaces(pr.P, st, n)
}

// selfLoad reports whether an expression is the point that the stage stores, said the same way: Halide 21 has to see that too.
func selfLoad(p *halideir.Pipeline, f *halideir.Func, st *halideir.Stage, id halideir.NodeID) bool {
	n := &p.Nodes[id]
	return n.Op == halideir.OpCall && n.Call == halideir.CallHalide && n.Func == f.ID && slices.Equal(n.Args, st.Args)
}

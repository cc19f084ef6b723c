// Package rfactor is what Halide's Stage::rfactor makes of a pipeline, as data: a reduction
// split into partial results, which may be computed side by side, and a reduction of those. It does
// not decide which reduction is worth it.
package rfactor

import (
	"slices"

	"gowarp/halideir"
)

// Reduction is an update f(x, …) = f(x, …) op value.
type Reduction struct {
	Op    halideir.Op
	Self  int             // position of the Func's own value among the operands
	Value halideir.NodeID // the other operand
	// Lets are what stands around both in the definition, the outermost first: names for parts of Value.
	Lets []halideir.NodeID
	// Scatter says that some arguments are computed, as the bin of a histogram: each partial result then has all places along them.
	Scatter bool
}

// associative are the operators that both Halide's prover and this package know. Those of
// floats are associative but for rounding; minimum and maximum are so without exception.
var associative = []halideir.Op{halideir.OpAdd, halideir.OpMul, halideir.OpMin, halideir.OpMax, halideir.OpAnd, halideir.OpOr}

// Of is the reduction that an update stage is, if it is one that Apply can factor: of one value, of which Halide has
// shown that any order gives the same, over a whole domain, into the point of the stage's own loops or, in a scatter, into one that is
// computed for each point of the domain.
func Of(p *halideir.Pipeline, fn, stage int) (Reduction, bool) {
	f := &p.Funcs[fn]
	st := &f.Stages[stage]
	if stage == 0 || len(f.Types) != 1 || len(st.RVars) == 0 || !st.Associative || !st.Commutative || st.Predicate != halideir.NoNode {
		return Reduction{}, false
	}
	scatter := false
	for k, a := range st.Args {
		own := OwnPlace(p, a, k)
		if !own && reads(p, a, fn) {
			return Reduction{}, false
		}
		scatter = scatter || !own
	}
	v := &p.Nodes[st.Values[0]]
	var lets []halideir.NodeID
	for id := st.Values[0]; v.Op == halideir.OpLet; v = &p.Nodes[id] {
		if scatter || reads(p, v.Args[0], fn) {
			return Reduction{}, false
		}
		lets = append(lets, id)
		id = v.Args[1]
	}
	if !slices.Contains(associative, v.Op) {
		return Reduction{}, false
	}
	for self := range 2 {
		n := &p.Nodes[v.Args[self]]
		if n.Op != halideir.OpCall || n.Call != halideir.CallHalide || n.Func != fn || len(n.Args) != len(st.Args) {
			continue
		}
		same := true
		for k, a := range n.Args {
			same = same && (a == st.Args[k] || OwnPlace(p, a, k) && OwnPlace(p, st.Args[k], k))
		}
		r := Reduction{Op: v.Op, Self: self, Value: v.Args[1-self], Lets: lets, Scatter: scatter}
		if same && !reads(p, r.Value, fn) {
			return r, true
		}
	}
	return Reduction{}, false
}

// OwnPlace reports whether an index is the Func's own argument in that place.
func OwnPlace(p *halideir.Pipeline, id halideir.NodeID, k int) bool {
	n := &p.Nodes[id]
	return n.Op == halideir.OpVar && n.Kind == halideir.VarDim && n.Index == k
}

func reads(p *halideir.Pipeline, root halideir.NodeID, fn int) (found bool) {
	p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		found = found || n.Op == halideir.OpCall && n.Call == halideir.CallHalide && n.Func == fn
	}, root)
	return found
}

// Scatters reports whether a Func holds partial results of a scatter.
func Scatters(p *halideir.Pipeline, f *halideir.Func) bool {
	if !f.Partial || len(f.Stages) != 2 {
		return false
	}
	for k, a := range f.Stages[1].Args {
		if !OwnPlace(p, a, k) {
			return true
		}
	}
	return false
}

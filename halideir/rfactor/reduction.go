// Package rfactor is what Halide's Stage::rfactor makes of a pipeline, as data: a reduction
// split into partial results, which may be computed side by side, and a reduction of those. It does
// not decide which reduction is worth it.
package rfactor

import (
	"slices"

	"gowarp/halideir"
)

// Reduction is an update f(x, …) = {f(x, …)[0] op value, f(x, …)[1] op value, …}.
type Reduction struct {
	Values []Operation // one for each of the Func's; none of an ArgExtreme
	// ArgExtreme is set for the least or greatest with its place, whose values hang on each other.
	ArgExtreme *halideir.ArgExtreme
	// Scatter says that some arguments are computed, as the bin of a histogram: each partial result then has all places along them.
	Scatter bool
}

// Operation is what a reduction does to one of the Func's values. None hangs on another's.
type Operation struct {
	Kept  bool // nothing
	Op    halideir.Op
	Bits  string          // of bits, which Halide's prover knows no operators of: the intrinsic, of which != is one for bools
	Self  int             // position of the Func's own value among the operands
	Other halideir.NodeID // the other operand
	// Lets are what stands around both in the definition, the outermost first: names for parts of Other.
	Lets []halideir.NodeID
}

// associative are the operators that both Halide's prover and this package know. Those of
// floats are associative but for rounding; minimum and maximum are so without exception.
var associative = []halideir.Op{halideir.OpAdd, halideir.OpMul, halideir.OpMin, halideir.OpMax, halideir.OpAnd, halideir.OpOr}

// bits are the intrinsics that combine bits. Halide's prover does not know them, but the bridge restates what it does not know.
var bits = []string{"bitwise_and", "bitwise_or", "bitwise_xor"}

// Of is the reduction that an update stage is, if it is one that Apply can factor: the least or greatest with its place, or one of values that do not hang on each other, of which Halide has
// shown that any order gives the same or which are restated, into the point of the stage's own loops or, in a scatter, into one that is
// computed for each point of the domain. Conditions of the domain that load something have to be part of the restated values.
func Of(p *halideir.Pipeline, fn, stage int) (Reduction, bool) {
	f := &p.Funcs[fn]
	st := &f.Stages[stage]
	if stage == 0 || len(st.RVars) == 0 || ConditionReadsResult(p, fn, st) || ConditionReads(p, st) && st.Restated == nil {
		return Reduction{}, false
	}
	if st.ArgExtreme != nil {
		return Reduction{ArgExtreme: st.ArgExtreme}, true
	}
	if st.Restated == nil && !Proven(st) {
		return Reduction{}, false
	}
	values := st.Values
	if st.Restated != nil {
		values = st.Restated
	}
	var r Reduction
	for k, a := range st.Args {
		own := OwnPlace(p, a, k)
		if !own && reads(p, a, fn) {
			return Reduction{}, false
		}
		r.Scatter = r.Scatter || !own
	}
	changes := false
	for out := range f.Types {
		o, ok := operation(p, fn, st, values[out], out)
		if !ok || r.Scatter && o.Kept {
			return Reduction{}, false
		}
		r.Values = append(r.Values, o)
		changes = changes || !o.Kept
	}
	return r, changes
}

// Proven reports whether Halide has shown that an update's operators give the same in any order, as it is written.
func Proven(st *halideir.Stage) bool { return st.Associative && st.Commutative }

// AsWritten reports whether Halide's rfactor takes an update as it is written.
func AsWritten(p *halideir.Pipeline, st *halideir.Stage) bool {
	return st.ArgExtreme == nil && !ConditionReads(p, st) && Proven(st)
}

// ConditionReadsResult reports whether a condition of a stage's domain reads the Func itself.
func ConditionReadsResult(p *halideir.Pipeline, fn int, st *halideir.Stage) bool {
	return st.Predicate != halideir.NoNode && reads(p, st.Predicate, fn)
}

// ConditionReads reports whether a condition of a stage's domain reads something.
func ConditionReads(p *halideir.Pipeline, st *halideir.Stage) bool {
	_, loading := conditions(p, st)
	return loading
}

// conditions are those of a stage's domain that load nothing, and whether there are others.
func conditions(p *halideir.Pipeline, st *halideir.Stage) (simple []halideir.NodeID, loading bool) {
	if st.Predicate == halideir.NoNode {
		return nil, false
	}
	left := []halideir.NodeID{st.Predicate}
	for len(left) > 0 {
		id := left[len(left)-1]
		left = left[:len(left)-1]
		if n := &p.Nodes[id]; n.Op == halideir.OpAnd {
			left = append(left, n.Args[1], n.Args[0])
			continue
		}
		if p.ReadsBuffer(id) {
			loading = true
		} else {
			simple = append(simple, id)
		}
	}
	return simple, loading
}

// operation is what an update does to one of the Func's values, which it gives as value.
func operation(p *halideir.Pipeline, fn int, st *halideir.Stage, value halideir.NodeID, out int) (o Operation, ok bool) {
	v := &p.Nodes[value]
	for id := value; v.Op == halideir.OpLet; v = &p.Nodes[id] {
		if reads(p, v.Args[0], fn) {
			return o, false
		}
		o.Lets = append(o.Lets, id)
		id = v.Args[1]
	}
	if isOld(p, fn, st, v, out) {
		o.Kept = true
		return o, true
	}
	switch {
	case slices.Contains(associative, v.Op):
	case v.Op == halideir.OpCall && v.Call == halideir.CallPureIntrinsic && slices.Contains(bits, v.Name) && len(v.Args) == 2:
		o.Bits = v.Name
	case v.Op == halideir.OpNE && p.Nodes[v.Args[0]].Type.IsBool():
		o.Bits = "bitwise_xor"
	default:
		return o, false
	}
	o.Op = v.Op
	for o.Self = range 2 {
		o.Other = v.Args[1-o.Self]
		if isOld(p, fn, st, &p.Nodes[v.Args[o.Self]], out) && !reads(p, o.Other, fn) {
			return o, true
		}
	}
	return o, false
}

// isOld reports whether an expression is the value that the point had before the update.
func isOld(p *halideir.Pipeline, fn int, st *halideir.Stage, n *halideir.Node, out int) bool {
	return n.ReadsFunc() && n.Func == fn && n.Out == out && SamePlaces(p, st, n)
}

// AnyOrder reports whether a reduction of values of these types gives the same to the last bit in whatever order: all but
// sums and products of floats do.
func (r *Reduction) AnyOrder(types []halideir.Type) bool {
	for i, o := range r.Values {
		if types[i].IsFloat() && !o.Kept && o.Op != halideir.OpMin && o.Op != halideir.OpMax {
			return false
		}
	}
	return true
}

// OwnPlace reports whether an index is the Func's own argument in that place.
func OwnPlace(p *halideir.Pipeline, id halideir.NodeID, k int) bool {
	n := &p.Nodes[id]
	return n.Op == halideir.OpVar && n.Kind == halideir.VarDim && n.Index == k
}

// SamePlaces reports whether a read by an update of its own Func is of the place that it stores: each index is the same expression, whatever names Halide gave to what is in it twice, or the Func's own argument.
func SamePlaces(p *halideir.Pipeline, st *halideir.Stage, read *halideir.Node) bool {
	if len(read.Args) != len(st.Args) {
		return false
	}
	var lets map[string]halideir.NodeID
	for k, at := range st.Args {
		a := read.Args[k]
		if a == at || OwnPlace(p, a, k) && OwnPlace(p, at, k) {
			continue
		}
		if lets == nil {
			lets = p.Lets(append(st.Roots(), st.Restated...)...)
		}
		if !p.Alike(a, at, lets) {
			return false
		}
	}
	return true
}

func reads(p *halideir.Pipeline, root halideir.NodeID, fn int) (found bool) {
	p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		found = found || n.ReadsFunc() && n.Func == fn
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

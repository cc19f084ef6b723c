package instructions

import (
	"fmt"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// Invariants is how many values every turn of the loops around a thread's points finds the same, beside what members keep in registers, and how many turns there are. The compiler computes them
// before the first turn and holds them through all: over colours, whatever does not depend on the colour.
func (e *Estimator) Invariants(k *plan.Kernel, n *plan.Nest) (values int, turns int64) {
	loops, turns := e.around(n)
	if loops == 0 {
		return 0, 1
	}
	return remember(e, askedInvariants, k, n, func() int { return e.invariants(k, n, loops) }), turns
}

// around is which loops there are around a thread's points, and how often they turn together. Colours that are unrolled are among them: the code goes through all points for one after the other.
func (e *Estimator) around(n *plan.Nest) (loops uint64, turns int64) {
	turns = 1
	for _, u := range n.Serial {
		if u.Extent > 1 && (!u.Unroll || e.pr.P.Funcs[n.Func].Stages[n.Stage].Loops[u.Loop].Arg >= 0) {
			loops |= access.LoopBit(u.Loop)
			turns *= u.Extent
		}
	}
	return loops, turns
}

func (e *Estimator) invariants(k *plan.Kernel, n *plan.Nest, turn uint64) int {
	st := &e.pr.P.Funcs[n.Func].Stages[n.Stage]
	turns := make([]bool, len(e.pr.P.Funcs[n.Func].Args))
	for l, loop := range st.Loops {
		if loop.Arg >= 0 && turn&access.LoopBit(l) != 0 {
			turns[loop.Arg] = true
		}
	}
	w := &invariantWalk{pr: e.pr, k: k, inPlace: map[string]held{}}
	of := w.values(st, turns)
	shifts := Shifts(n)
	// What is loaded alone, or by what a Func in place computes, neighbouring points share.
	places := map[key]bool{}
	ex := e.pr.ExpandOf(n)
	for i := range ex.Loads {
		t := &ex.Loads[i]
		if where, in := k.PlaceOf(t.Func); in && where == plan.AtThread || movesAny(t.Index, turn) {
			continue
		}
		for _, s := range shifts {
			places[placeKey(t.Func, t.Input, t.Out, t.Index, s)] = true
		}
	}
	return len(shifts)*(of.computed+of.looked) + min(len(shifts)*of.loaded, len(places)) + e.invariantAddresses(k, n, shifts, turn)
}

// Registers of addresses that every turn of a thread's loops finds the same, two for each number of 64 bits. Of a buffer of which the thread goes through several rows those are where it begins, how far its rows are
// apart and where it is read a row further; of many rows LLVM makes three and five times that distance beside them. Where there is one row they are in the address itself.
const (
	manyRows       = 4
	severalRowsNum = 3
	manyRowsNum    = 5
)

// invariantAddresses is how many registers those are, of all buffers in global memory that are read or written at places that move with the loops.
func (e *Estimator) invariantAddresses(k *plan.Kernel, n *plan.Nest, shifts []Shift, turn uint64) int {
	rows := map[key]map[key]bool{} // of each buffer
	row := func(fn, input, out int, idx []access.Index, points []Shift) {
		if k.OnChip(fn) || len(idx) < 2 || !movesAny(idx, turn) {
			return
		}
		buffer := placeKey(fn, input, out, nil, nil)
		if rows[buffer] == nil {
			rows[buffer] = map[key]bool{}
		}
		for _, s := range points {
			rows[buffer][placeKey(fn, input, out, rest(idx), s)] = true
		}
	}
	for _, some := range e.kinds(n, shifts) {
		for i := range some.ex.Loads {
			t := &some.ex.Loads[i]
			row(t.Func, t.Input, t.Out, t.Index, some.points)
		}
	}
	row(n.Func, -1, 0, e.pr.Access.Stage(n.Func, n.Stage).Store, shifts)
	words := 0
	for _, of := range rows {
		switch {
		case len(of) > manyRows:
			words += 2 * manyRowsNum
		case len(of) > 1:
			words += 2 * severalRowsNum
		}
	}
	return words
}

func movesAny(idx []access.Index, loops uint64) bool {
	for d := range idx {
		if moves(&idx[d], loops) {
			return true
		}
	}
	return false
}

// invariantWalk counts what does not turn and is an operand of what does.
type invariantWalk struct {
	pr      *plan.Problem
	k       *plan.Kernel
	inPlace map[string]held // of Funcs in place, by which of their arguments turn: all that is counted in them
}

// held are the values of a point that every turn finds the same.
type held struct {
	computed int
	loaded   int // or in a Func in place
	looked   int // places that data say, which no two points share
}

// mostInvariants is enough for any thread: definitions in place of each other multiply.
const mostInvariants = 1 << 16

// values counts in a stage's values, of which some arguments turn.
func (w *invariantWalk) values(st *halideir.Stage, turns []bool) (all held) {
	p := w.pr.P
	lets := p.Lets(st.Values...)
	known, counted, data := map[halideir.NodeID]bool{}, map[halideir.NodeID]bool{}, map[halideir.NodeID]bool{}
	var byData func(id halideir.NodeID) bool // whether anything that is loaded is in an expression
	byData = func(id halideir.NodeID) bool {
		does, ok := data[id]
		if ok || id == halideir.NoNode {
			return does
		}
		n := &p.Nodes[id]
		if of, let := lets[n.Name]; let && n.Op == halideir.OpVar && n.Kind == halideir.VarLet {
			does = byData(of)
		} else {
			does = n.ReadsBuffer() || slices.ContainsFunc(n.Args, byData)
		}
		data[id] = does
		return does
	}
	var turning func(id halideir.NodeID) bool
	turning = func(id halideir.NodeID) bool {
		if id == halideir.NoNode {
			return false
		}
		if does, ok := known[id]; ok {
			return does
		}
		known[id] = false // a let of its own name
		n := &p.Nodes[id]
		does := n.Op == halideir.OpVar && n.Kind == halideir.VarDim && turns[n.Index]
		if of, ok := lets[n.Name]; ok && n.Op == halideir.OpVar && n.Kind == halideir.VarLet {
			does = turning(of)
		}
		of := make([]bool, len(n.Args))
		for i, a := range n.Args {
			of[i] = turning(a)
			does = does || of[i]
		}
		known[id] = does
		switch {
		case !does:
		case n.ReadsBuffer(): // what does not turn of an index is no value, but for a place that data say
			for i, a := range n.Args {
				if !of[i] && !counted[a] && byData(a) {
					counted[a] = true
					all.looked++
				}
			}
			if n.ReadsFunc() && w.pr.Inlined[n.Func] {
				in := w.placed(n.Func, of)
				all.loaded, all.looked = min(all.loaded+in.computed+in.loaded, mostInvariants), min(all.looked+in.looked, mostInvariants)
			}
		default:
			for i, a := range n.Args {
				if !of[i] && !counted[a] {
					counted[a] = true
					c, l := w.value(a, lets)
					all.computed, all.loaded = all.computed+c, all.loaded+l
				}
			}
		}
		return does
	}
	for _, v := range st.Values {
		turning(v)
	}
	return all
}

// placed is all that is counted in a Func in place.
func (w *invariantWalk) placed(fn int, turns []bool) held {
	which := fmt.Sprint(fn, turns)
	n, ok := w.inPlace[which]
	if !ok {
		n = w.values(&w.pr.P.Funcs[fn].Stages[0], turns)
		w.inPlace[which] = n
	}
	return n
}

// value counts one that does not turn, but for what is in a register anyway.
func (w *invariantWalk) value(id halideir.NodeID, lets map[string]halideir.NodeID) (computed, loaded int) {
	n := &w.pr.P.Nodes[id]
	switch {
	case n.Op == halideir.OpCast:
		return w.value(n.Args[0], lets)
	case n.Op == halideir.OpVar:
		if of, ok := lets[n.Name]; ok && n.Kind == halideir.VarLet && of != halideir.NoNode && w.pr.P.Nodes[of].Op != halideir.OpVar {
			return w.value(of, lets)
		}
		return 0, 0
	case n.Op == halideir.OpCall && n.Call == halideir.CallHalide:
		if where, in := w.k.PlaceOf(n.Func); in && where == plan.AtThread {
			return 0, 0
		}
		return 0, 1
	case n.Op == halideir.OpCall && n.Call == halideir.CallImage:
		return 0, 1
	case len(n.Args) == 0: // a constant
		return 0, 0
	}
	return 1, 0
}

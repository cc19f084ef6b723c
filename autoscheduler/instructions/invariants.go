package instructions

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// Invariants is how many values every turn of the loops around a thread's points finds the same, beside what members keep in registers, and how many turns there are. The compiler computes them
// before the first turn and holds them through all: over colours, whatever does not depend on the colour. Where all turns stand in the code, a row of points takes them before the next row does.
func (e *Estimator) Invariants(k *plan.Kernel, n *plan.Nest) (values int, turns int64) {
	loops, turns, inRows := e.around(n)
	if loops == 0 {
		return 0, 1
	}
	return remember(e, askedInvariants, k, n, func() int { return e.invariants(k, n, loops, inRows) }), turns
}

// around is which loops there are around a thread's points, how often they turn together, and whether they do so around each row of them: colours that stand in the code.
func (e *Estimator) around(n *plan.Nest) (loops uint64, turns int64, inRows bool) {
	turns, inRows = 1, true
	for _, u := range n.Serial {
		if u.Extent > 1 && (!u.Unroll || e.pr.P.Funcs[n.Func].Stages[n.Stage].Loops[u.Loop].Arg >= 0) {
			loops |= access.LoopBit(u.Loop)
			turns *= u.Extent
			inRows = inRows && u.Unroll
		}
	}
	return loops, turns, inRows
}

func (e *Estimator) invariants(k *plan.Kernel, n *plan.Nest, turn uint64, inRows bool) int {
	w := &invariantWalk{pr: e.pr, k: k, turn: turn, seen: map[key]bool{}}
	w.nest(n)
	ex := e.pr.ExpandOf(n)
	count := func(unrolled []plan.Use, shifts []Shift) int {
		places := map[key]bool{} // what is loaded alone, or computed of neighbours, neighbouring points share
		for i := range ex.Loads {
			t := &ex.Loads[i]
			if w.inThread(t.Func) || movesAny(t.Index, turn) {
				continue
			}
			for _, s := range shifts {
				places[placeKey(t.Func, t.Input, t.Out, t.Index, s)] = true
			}
		}
		return w.computed.points(unrolled) + min(w.loaded.points(unrolled), len(places))
	}
	shifts := Shifts(n)
	values := count(n.Unrolled, shifts)
	if inRows && len(n.Unrolled) > 1 {
		row := count(n.Unrolled[:1], slices.DeleteFunc(slices.Clone(shifts), func(s Shift) bool {
			return slices.ContainsFunc(n.Unrolled[1:], func(u plan.Use) bool { return s.of(u.Loop) != 0 })
		}))
		values = row + (values-row)/RunAhead
	}
	return min(values, mostInvariants) + e.invariantAddresses(k, n, shifts, turn)
}

// RunAhead: ptxas goes from row to row of a thread's points, and runs ahead: of what it holds besides what one row of points needs, about a third is there at
// once (harris uncapped, 1x4, 1x8, 2x4 and 2x8 points: 54, 64, 64 and 96 registers; by this 53, 61, 64 and 74).
const RunAhead = 3

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
		if k.OnChip(fn) || len(idx) < 2 || !movesAny(idx, turn) || slices.ContainsFunc(rest(idx), func(i access.Index) bool { return i.DataDependent && moves(&i, turn) }) {
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

// invariantWalk collects the values that do not turn and are operands of what does: each once, wherever it stands.
type invariantWalk struct {
	pr   *plan.Problem
	k    *plan.Kernel
	turn uint64
	seen map[key]bool // values that are collected, and Funcs in place with what they are given
	from int          // Funcs in place that were gone into

	computed variants // and places that data say, which no two points share either
	loaded   variants // or of a Func in place, or in one that is read at neighbours
}

// variants are values by the loops that they hang on: points along others share them.
type variants map[uint64]int

func (v *variants) add(loops uint64) {
	if *v == nil {
		*v = variants{}
	}
	(*v)[loops]++
}

// points is how many values all points have along these loops.
func (v variants) points(unrolled []plan.Use) (sum int) {
	for loops, n := range v {
		for _, u := range unrolled {
			if loops&access.LoopBit(u.Loop) != 0 {
				n *= int(u.Extent)
			}
		}
		sum = min(sum+n, mostInvariants)
	}
	return sum
}

const (
	mostInvariants = 1 << 16 // enough for any thread
	mostInPlace    = 1 << 10 // Funcs in place that are gone into: those in place of each other multiply
)

// operand is what an expression is, in the variables of the stage that the thread runs, and the loops that it hangs on.
type operand struct {
	is    key
	loops uint64
	data  bool // something loaded is in it
}

// nest collects in a stage.
func (w *invariantWalk) nest(n *plan.Nest) {
	st := &w.pr.P.Funcs[n.Func].Stages[n.Stage]
	args, domain := make([]operand, len(w.pr.P.Funcs[n.Func].Args)), make([]operand, len(st.RVars))
	for l, loop := range st.Loops {
		of := operand{is: key(0).and(int64(l)), loops: access.LoopBit(l)}
		switch {
		case loop.Arg >= 0:
			args[loop.Arg] = of
		case loop.RVar >= 0:
			domain[loop.RVar] = of
		}
	}
	w.stage(st, args, domain, false)
}

// stage collects in a stage's values, given what its variables are. In one that is read at neighbours, neighbouring points may share all of them.
func (w *invariantWalk) stage(st *halideir.Stage, args, domain []operand, neighbours bool) {
	p := w.pr.P
	lets := p.Lets(st.Values...)
	known := map[halideir.NodeID]operand{}
	var walk func(id halideir.NodeID) operand
	walk = func(id halideir.NodeID) operand {
		if o, ok := known[id]; ok || id == halideir.NoNode {
			return o
		}
		known[id] = operand{} // a let of its own name
		n := &p.Nodes[id]
		let, bound := lets[n.Name]
		var o operand
		switch {
		case n.Op == halideir.OpVar && n.Kind == halideir.VarDim:
			o = args[n.Index]
		case n.Op == halideir.OpVar && n.Kind == halideir.VarRVar:
			o = domain[n.Index]
		case n.Op == halideir.OpVar && n.Kind == halideir.VarLet && bound:
			o = walk(let)
		case len(n.Args) == 0:
			o.is = key(1).and(int64(w.pr.Access.Canonical(id)))
		default:
			o = w.operation(n, lets, neighbours, walk)
		}
		known[id] = o
		return o
	}
	for _, v := range st.Values {
		walk(v)
	}
}

// operation is what an expression with operands is, whose own are collected if it turns and they do not.
func (w *invariantWalk) operation(n *halideir.Node, lets map[string]halideir.NodeID, neighbours bool, walk func(halideir.NodeID) operand) operand {
	o := operand{is: key(2).and(int64(n.Op)).and(int64(n.Func)).and(int64(n.Input)).and(int64(n.Out)).and(int64(n.Type.Code)).and(int64(n.Type.Bytes())), data: n.ReadsBuffer()}
	for _, c := range []byte(n.Name) {
		o.is = o.is.and(int64(c))
	}
	of := make([]operand, len(n.Args))
	for i, a := range n.Args {
		of[i] = walk(a)
		o.is, o.loops, o.data = o.is.and(int64(of[i].is)), o.loops|of[i].loops, o.data || of[i].data
	}
	if o.loops&w.turn == 0 {
		return o
	}
	own := true // each value in a Func in place is of one point
	for i, a := range n.Args {
		switch still := of[i].loops&w.turn == 0; {
		case !still:
		case n.ReadsBuffer(): // what does not turn of an index is no value, but for a place that data say
			own = own && w.pr.P.Nodes[a].Op == halideir.OpVar && w.pr.P.Nodes[a].Kind == halideir.VarDim
			if of[i].data && w.first(of[i].is) {
				w.computed.add(of[i].loops)
			}
		default:
			w.value(a, of[i], lets, neighbours)
		}
	}
	if n.ReadsFunc() && w.pr.Inlined[n.Func] && w.from < mostInPlace {
		placed := key(3).and(int64(n.Func))
		for _, a := range of {
			placed = placed.and(int64(a.is))
		}
		if w.first(placed) {
			w.from++
			w.stage(&w.pr.P.Funcs[n.Func].Stages[0], of, nil, neighbours || !own)
		}
	}
	return o
}

// first reports whether it is asked for the first time.
func (w *invariantWalk) first(is key) bool {
	if w.seen[is] {
		return false
	}
	w.seen[is] = true
	return true
}

// value collects one that does not turn, but for what is in a register anyway.
func (w *invariantWalk) value(id halideir.NodeID, of operand, lets map[string]halideir.NodeID, neighbours bool) {
	n := &w.pr.P.Nodes[id]
	switch {
	case n.Op == halideir.OpCast:
		w.value(n.Args[0], of, lets, neighbours)
	case n.Op == halideir.OpVar:
		if let, ok := lets[n.Name]; ok && n.Kind == halideir.VarLet && let != halideir.NoNode && w.pr.P.Nodes[let].Op != halideir.OpVar {
			w.value(let, of, lets, neighbours)
		}
	case len(n.Args) == 0: // a constant
	case n.ReadsFunc() && w.inThread(n.Func):
	case !w.first(of.is):
	case n.ReadsBuffer() || neighbours:
		w.loaded.add(of.loops)
	default:
		w.computed.add(of.loops)
	}
}

// inThread reports whether a thread keeps a Func.
func (w *invariantWalk) inThread(fn int) bool {
	where, in := w.k.PlaceOf(fn)
	return in && where == plan.AtThread
}

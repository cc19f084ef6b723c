// Package scan finds updates each of whose iterations takes what the one before has stored and combines it with values of its own: sums, minima and maxima of all that
// comes before, and recurrences of the first order. 32 iterations of those can be computed at once (Kogge and Stone 1973).
package scan

import (
	"math"

	"gowarp/halideir"
	"gowarp/halideir/access"
)

// Scan is such an update.
type Scan struct {
	Loop int // the loop that it runs along, a position in the stage's Loops
	// Linear says that what the iteration before has stored is multiplied: f(r) = a f(r - 1) + b(r), with an a that is the same everywhere.
	Linear bool
	// AnyOrder reports that results are the same to the bit in whatever order they are combined: of integers. Minima of floats are so but for NaNs and zeros with a sign.
	AnyOrder bool
}

// Of is the scan that an update is, if it is one: along one variable of its domain, whose other loops are of arguments at their own places, without a condition. What is known to
// grow, times a literal above 1, is none: powers of it overflow.
func Of(p *halideir.Pipeline, a *access.Analysis, fn, stage int) (Scan, bool) {
	f := &p.Funcs[fn]
	st, at := &f.Stages[stage], a.Stage(fn, stage)
	if stage == 0 || at == nil || len(f.Types) != 1 || st.Predicate != halideir.NoNode || !exchanged(f.Types[0]) {
		return Scan{}, false
	}
	along, dim := -1, -1
	for l := range st.Loops {
		switch {
		case st.Loops[l].Arg >= 0:
			if !at.Store[st.Loops[l].Arg].IsLoop(l) {
				return Scan{}, false
			}
		case along >= 0:
			return Scan{}, false
		default:
			along = l
		}
	}
	if along < 0 {
		return Scan{}, false
	}
	for k := range at.Store {
		x := &at.Store[k]
		if !x.DependsOn(along) {
			if st.Loops[max(x.Loop, 0)].Arg != k || !x.IsLoop(x.Loop) {
				return Scan{}, false
			}
			continue
		}
		if dim >= 0 || x.Kind != access.Affine || x.Loop != along || x.Den != 1 || x.Num*x.Num != 1 || x.Clamped {
			return Scan{}, false
		}
		dim = k
	}
	if dim < 0 {
		return Scan{}, false
	}
	w := walker{p: p, a: a, of: f.Types[0], earlier: map[halideir.NodeID]bool{}, seen: map[halideir.NodeID]bool{}}
	for i := range at.Loads {
		l := &at.Loads[i]
		if l.Func != fn {
			continue
		}
		if l.InAddress || !steps(at.Store, l.Index, dim) {
			return Scan{}, false
		}
		if l.Index[dim].Offset != at.Store[dim].Offset {
			w.earlier[a.Canonical(l.Node)] = true
		}
	}
	return w.scan(st.Values[0], along)
}

// exchanged reports whether lanes exchange values of a type.
func exchanged(t halideir.Type) bool {
	if t.IsFloat() {
		return t.Bits == 32 && t.Code == halideir.Float
	}
	return (t.Code == halideir.Int || t.Code == halideir.UInt) && t.Bits > 1 && t.Bits <= 32
}

// steps reports whether something is read where it is stored, or where the iteration before along a dimension was. Of places with something in them that only a run knows (the last
// column less r) it is taken to be the same in both: the lowering pass sees whether it is.
func steps(store, read []access.Index, dim int) bool {
	for k := range store {
		s, r := &store[k], &read[k]
		if r.Kind != access.Affine || r.Loop != s.Loop || r.Num != s.Num || r.Den != 1 || r.Clamped || r.Estimated != s.Estimated {
			return false
		}
		if off := s.Offset - r.Offset; off != 0 && (k != dim || off != s.Num) {
			return false
		}
	}
	return true
}

// walker reads the value of an update.
type walker struct {
	p       *halideir.Pipeline
	a       *access.Analysis
	of      halideir.Type
	earlier map[halideir.NodeID]bool // loads of what the iteration before has stored, as they are canonical
	seen    map[halideir.NodeID]bool // nodes, by whether such a load is in them
}

func (w *walker) scan(root halideir.NodeID, along int) (Scan, bool) {
	s := Scan{Loop: along, AnyOrder: !w.of.IsFloat()}
	if n := w.node(root); n.Op == halideir.OpMin || n.Op == halideir.OpMax {
		a, b := n.Args[0], n.Args[1]
		return s, w.before(a) && !w.has(b) || w.before(b) && !w.has(a)
	}
	times, ok := w.sum(root)
	s.Linear = times != 1
	return s, ok && !(math.Abs(times) > 1)
}

// sum reports whether a value is one in which what comes before stands once, alone or times something, and times what: NaN if nobody knows before a run.
func (w *walker) sum(id halideir.NodeID) (times float64, ok bool) {
	if w.before(id) {
		return 1, true
	}
	n := w.node(id)
	if len(n.Args) != 2 || n.Type != w.of {
		return 0, false
	}
	a, b := n.Args[0], n.Args[1]
	if w.has(a) == w.has(b) {
		return 0, false
	}
	with, without := a, b
	if w.has(b) {
		with, without = b, a
	}
	times, ok = w.sum(with)
	switch n.Op {
	case halideir.OpAdd:
		return times, ok
	case halideir.OpSub:
		if with == b {
			return -times, ok && n.Type.IsFloat()
		}
		return times, ok
	case halideir.OpMul:
		return times * w.number(without), ok && n.Type.IsFloat() && w.uniform(without)
	}
	return 0, false
}

// number is a literal's value, or what it comes to with others; NaN for all else.
func (w *walker) number(id halideir.NodeID) float64 {
	n := w.node(id)
	if n.Op == halideir.OpFloat {
		return n.Float
	}
	if len(n.Args) != 2 {
		return math.NaN()
	}
	a, b := w.number(n.Args[0]), w.number(n.Args[1])
	switch n.Op {
	case halideir.OpAdd:
		return a + b
	case halideir.OpSub:
		return a - b
	case halideir.OpMul:
		return a * b
	case halideir.OpDiv:
		return a / b
	}
	return math.NaN()
}

// node is what a value is, with what names stand for in their place.
func (w *walker) node(id halideir.NodeID) *halideir.Node { return &w.p.Nodes[w.a.Canonical(id)] }

// before reports whether a value is what the iteration before has stored.
func (w *walker) before(id halideir.NodeID) bool { return w.earlier[w.a.Canonical(id)] }

func (w *walker) has(id halideir.NodeID) bool {
	if has, ok := w.seen[id]; ok {
		return has
	}
	has := w.before(id)
	for _, a := range w.node(id).Args {
		has = has || w.has(a)
	}
	w.seen[id] = has
	return has
}

// uniform reports whether a value is the same for all iterations and places: of constants and parameters.
func (w *walker) uniform(id halideir.NodeID) bool {
	switch n := w.node(id); n.Op {
	case halideir.OpVar:
		return n.Kind == halideir.VarScalar
	case halideir.OpLoad:
		return false
	case halideir.OpCall:
		if n.Call != halideir.CallPureIntrinsic {
			return false
		}
	}
	for _, a := range w.node(id).Args {
		if !w.uniform(a) {
			return false
		}
	}
	return true
}

package halideir

import "math/bits"

// EvalRange bounds the value of an integer expression in which some operands are known
// only when the program runs, as the elements of a buffer are: those take any value of their type. An
// end that nothing bounds is not ok. Where EvalInt knows the value, both ends are it.
func (p *Pipeline) EvalRange(id NodeID, env Env) (lo, hi int64, okLo, okHi bool) {
	if id < 0 || int(id) >= len(p.Nodes) || !p.Nodes[id].Type.IsInt() || p.Nodes[id].Type.Lanes > 1 {
		return 0, 0, false, false
	}
	e := ranger{p: p, env: env, memo: map[NodeID]span{}, lets: p.Lets(id)}
	r := e.eval(id, maxRangeDepth)
	return r.lo, r.hi, r.lo > -unbounded, r.hi < unbounded
}

// maxRangeDepth bounds the recursion; what lies deeper is unknown.
const maxRangeDepth = 1000

// unbounded is an end that nothing bounds. Sums of two such do not overflow.
const unbounded = 1 << 61

// span is the range of a value.
type span struct{ lo, hi int64 }

var anything = span{-unbounded, unbounded}

func (s span) point() bool { return s.lo == s.hi }

// clip makes ends beyond what is counted in unbounded.
func (s span) clip() span { return span{max(s.lo, -unbounded), min(s.hi, unbounded)} }

type ranger struct {
	p    *Pipeline
	env  Env
	memo map[NodeID]span
	lets map[string]NodeID
}

func (e *ranger) eval(id NodeID, depth int) span {
	if id == NoNode || depth == 0 {
		return anything
	}
	if s, ok := e.memo[id]; ok {
		return s
	}
	n := &e.p.Nodes[id]
	s := anything
	if v, ok := e.p.EvalInt(id, e.env); ok {
		s = span{v, v}
	} else if n.Type.IsInt() {
		s = e.node(n, depth-1)
		// Arithmetic wraps around in narrow and unsigned types; beyond int32 it is
		// undefined in Halide, so nothing is said of its values but what they are made of.
		if t := ofType(n.Type); (n.Type.Bits < 32 || n.Type.Code == UInt) && (s.lo < t.lo || s.hi > t.hi) {
			s = t
		}
	}
	s = s.clip()
	e.memo[id] = s
	return s
}

func (e *ranger) node(n *Node, depth int) span {
	arg := func(i int) span { return e.eval(n.Args[i], depth) }
	switch n.Op {
	case OpVar:
		if n.Kind == VarLet {
			if v, ok := e.lets[n.Name]; ok {
				return e.eval(v, depth)
			}
		}
	case OpLet:
		return arg(1)
	case OpAdd:
		a, b := arg(0), arg(1)
		return span{a.lo + b.lo, a.hi + b.hi}
	case OpSub:
		a, b := arg(0), arg(1)
		return span{a.lo - b.hi, a.hi - b.lo}
	case OpMul:
		return arg(0).times(arg(1))
	case OpDiv:
		a, b := arg(0), arg(1)
		if b.point() && b.lo > 0 {
			return span{over(a.lo, b.lo), over(a.hi, b.lo)}
		}
	case OpMod:
		if b := arg(1); b.point() && b.lo > 0 {
			return span{0, b.lo - 1} // Euclidean
		}
	case OpMin:
		a, b := arg(0), arg(1)
		return span{min(a.lo, b.lo), min(a.hi, b.hi)}
	case OpMax:
		a, b := arg(0), arg(1)
		return span{max(a.lo, b.lo), max(a.hi, b.hi)}
	case OpSelect:
		a, b := arg(1), arg(2)
		return span{min(a.lo, b.lo), max(a.hi, b.hi)}
	case OpCast:
		// A cast that can lose something can give anything of its type.
		if from := e.p.Nodes[n.Args[0]].Type; from.IsInt() {
			if s, t := arg(0), ofType(n.Type); s.lo >= t.lo && s.hi <= t.hi {
				return s
			}
		}
	}
	return anything
}

// times bounds a product by those of the ends.
func (s span) times(t span) span {
	r := span{unbounded, -unbounded}
	for _, a := range [2]int64{s.lo, s.hi} {
		for _, b := range [2]int64{t.lo, t.hi} {
			v := product(a, b)
			r = span{min(r.lo, v), max(r.hi, v)}
		}
	}
	return r
}

// product is unbounded where it may not fit; nothing times something unbounded is nothing.
func product(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	v := int64(unbounded)
	if hi == 0 && lo < unbounded {
		v = int64(lo)
	}
	if (a < 0) != (b < 0) {
		return -v
	}
	return v
}

// over divides an end by a positive number, rounding down.
func over(end, d int64) int64 {
	if end <= -unbounded || end >= unbounded {
		return end
	}
	q, _ := DivEuclid(end, d)
	return q
}

// ofType is the range of an integer type.
func ofType(t Type) span {
	switch {
	case t.Bits >= 64:
		return anything
	case t.Code == UInt:
		return span{0, 1<<t.Bits - 1}
	}
	return span{-1 << (t.Bits - 1), 1<<(t.Bits-1) - 1}
}

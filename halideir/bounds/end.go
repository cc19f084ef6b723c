package bounds

import "gowarp/halideir"

// End is one end of a required interval as a function of one loop of the
// consumer:
//
//	floor((Num*v + C) / Den)
//
// where v is the consumer's lower bound of that loop, or its upper bound when
// AtHi is set. Loop is -1 for an end that does not move with any loop; its value
// is then C.
type End struct {
	Loop int
	AtHi bool
	Num  int64
	Den  int64
	C    int64
	Trust
}

// Trust is what a number is good for beyond the estimates.
type Trust struct {
	// Fixed says that it comes from literals alone. One that is not Fixed holds only for
	// the estimated sizes and parameters: nothing may be stored by it.
	Fixed bool
	// Loose says that a clamp was looked through or a division bounded. Halide's own interval
	// arithmetic may not come to it, and where small tiles lie beyond a clamp's range it may be
	// less than what is read: it is good for prices, and nothing may be stored by it.
	Loose bool
}

func (t Trust) and(u Trust) Trust { return Trust{t.Fixed && u.Fixed, t.Loose || u.Loose} }

func constEnd(c int64, t Trust) End { return End{Loop: -1, Den: 1, C: c, Trust: t} }

// At is the end's value for the consumer's interval [lo, hi] of its loop.
func (e End) At(lo, hi int64) int64 {
	if e.Loop < 0 {
		return e.C
	}
	v := lo
	if e.AtHi {
		v = hi
	}
	return FloorDiv(e.Num*v+e.C, e.Den)
}

// side is the end of an interval that an expression stands for: the lower end
// may be rounded down, the upper end up, and stay sound.
type side bool

const (
	lower side = false
	upper side = true
)

// fitter turns Halide's box expressions into Ends. Clamps against bounds that do
// not move with the loops are looked through: a clamp is monotone and
// never stretches, so the interval without it is at least as long.
type fitter struct {
	p    *halideir.Pipeline
	st   *halideir.Stage // the consumer: its reduction loops are constants
	lets map[string]halideir.NodeID
	deep int
	left int // visits that are left
}

// What the fitter follows: Halide's box expressions have a few dozen nodes at most, but
// lets that use themselves twice can make a tree of any size.
const (
	maxFitDepth  = 200
	maxFitVisits = 4096
)

// maxCoefficient keeps products of two coefficients, and sums of such, inside int64.
const maxCoefficient = 1 << 30

func (e End) small() bool {
	return abs(e.Num) <= maxCoefficient && abs(e.C) <= maxCoefficient && e.Den <= maxCoefficient
}

// fit returns the End that bounds the expression from the given side, or false
// when the expression has no such form.
func (f *fitter) fit(id halideir.NodeID, s side) (End, bool) {
	if f.left--; id == halideir.NoNode || f.deep > maxFitDepth || f.left < 0 {
		return End{}, false
	}
	e, ok := f.node(id, s)
	return e, ok && e.small()
}

func (f *fitter) node(id halideir.NodeID, s side) (End, bool) {
	f.deep++
	defer func() { f.deep-- }()
	n := &f.p.Nodes[id]
	switch n.Op {
	case halideir.OpInt:
		return constEnd(n.Int, Trust{Fixed: true}), true
	case halideir.OpUint:
		return constEnd(n.Int, Trust{Fixed: true}), n.Int >= 0
	case halideir.OpVar:
		return f.fitVar(id, n, s)
	case halideir.OpAdd, halideir.OpSub:
		return f.fitSum(n, s)
	case halideir.OpMul:
		return f.fitMul(n, s)
	case halideir.OpDiv:
		return f.fitDiv(n, s)
	case halideir.OpMod:
		return f.fitMod(n, s)
	case halideir.OpMin, halideir.OpMax:
		return f.fitMinMax(n, s)
	case halideir.OpSelect:
		a, okA := f.fit(n.Args[1], s)
		b, okB := f.fit(n.Args[2], s)
		if !okA || !okB {
			return End{}, false
		}
		e, ok := outermost(a, b, s)
		e.Loose = true
		return e, ok
	case halideir.OpCast:
		from := f.p.Nodes[n.Args[0]].Type
		wide := n.Type.Bits >= 32 && (n.Type.Code == halideir.Int || n.Type.Code == halideir.UInt)
		if wide && (from.Code == halideir.Int || from.Code == halideir.UInt) {
			return f.fit(n.Args[0], s)
		}
	case halideir.OpLet:
		old, had := f.lets[n.Name]
		if f.lets == nil {
			f.lets = map[string]halideir.NodeID{}
		}
		f.lets[n.Name] = n.Args[0]
		e, ok := f.fit(n.Args[1], s)
		delete(f.lets, n.Name)
		if had {
			f.lets[n.Name] = old
		}
		return e, ok
	case halideir.OpCall:
		if n.IsLikely() && len(n.Args) == 1 {
			return f.fit(n.Args[0], s)
		}
	}
	return f.fitEstimate(id)
}

// literal reports whether an expression is a plain number.
func (f *fitter) literal(id halideir.NodeID) bool {
	return id != halideir.NoNode && f.p.Nodes[id].Op == halideir.OpInt
}

// fitEstimate gives the constant that the expression has at the estimates.
func (f *fitter) fitEstimate(id halideir.NodeID) (End, bool) {
	v, ok := f.p.EvalInt(id, halideir.Env{})
	return constEnd(v, Trust{}), ok
}

func (f *fitter) fitVar(id halideir.NodeID, n *halideir.Node, s side) (End, bool) {
	switch n.Kind {
	case halideir.VarLo, halideir.VarHi:
		if l := f.st.Loops[n.Index]; l.Arg < 0 {
			iv, ok := RVarRange(f.p, f.st, l.RVar)
			c := iv.Lo
			if n.Kind == halideir.VarHi {
				c = iv.Hi
			}
			rv := &f.st.RVars[l.RVar]
			return constEnd(c, Trust{Fixed: f.literal(rv.Min) && f.literal(rv.Extent)}), ok
		}
		return End{Loop: n.Index, AtHi: n.Kind == halideir.VarHi, Num: 1, Den: 1, Trust: Trust{Fixed: true}}, true
	case halideir.VarLet:
		if v, ok := f.lets[n.Name]; ok {
			return f.fit(v, s)
		}
		return End{}, false
	}
	return f.fitEstimate(id)
}

func (f *fitter) fitSum(n *halideir.Node, s side) (End, bool) {
	sign, side2 := int64(1), s
	if n.Op == halideir.OpSub {
		sign, side2 = -1, !s
	}
	a, okA := f.fit(n.Args[0], s)
	b, okB := f.fit(n.Args[1], side2)
	if !okA || !okB {
		return End{}, false
	}
	if sign < 0 {
		if b, okB = scale(b, -1, side2); !okB {
			return End{}, false
		}
	}
	t := a.Trust.and(b.Trust)
	switch {
	case b.Loop < 0:
		a.C += b.C * a.Den
		a.Trust = t
		return a, true
	case a.Loop < 0:
		b.C += a.C * b.Den
		b.Trust = t
		return b, true
	case a.Loop != b.Loop || a.AtHi != b.AtHi:
		return End{}, false
	case a.Den == 1 || b.Den == 1:
		// floor(p/d) + q is floor((p + d*q)/d) for an integer q.
		if a.Den == 1 {
			a, b = b, a
		}
		e := End{Loop: a.Loop, AtHi: a.AtHi, Den: a.Den, Num: a.Num + b.Num*a.Den, C: a.C + b.C*a.Den, Trust: t}
		return still(e), true
	}
	return End{}, false
}

// still turns an end whose slope cancelled into a constant.
func still(e End) End {
	if e.Loop >= 0 && e.Num == 0 {
		return constEnd(FloorDiv(e.C, e.Den), e.Trust)
	}
	return e
}

// scale multiplies an end by k. For Den > 1 the product is not of the form any
// more; the result is the tightest one on the given side of the product. s is
// the side from which e itself was bounded.
func scale(e End, k int64, s side) (End, bool) {
	switch {
	case k == 0:
		return constEnd(0, e.Trust), true
	case e.Loop < 0:
		e.C *= k
		return e, true
	case e.Den == 1:
		e.Num *= k
		e.C *= k
		return e, true
	}
	// k*floor(a/d) lies in [k*(a-d+1)/d, k*a/d] for k > 0, mirrored for k < 0.
	result := s
	if k < 0 {
		result = !s
	}
	slack := int64(0)
	if (k > 0) == (result == lower) {
		slack = -k * (e.Den - 1)
	}
	e.Num *= k
	e.C = e.C*k + slack
	e.Loose = true
	return e, true
}

func (f *fitter) fitMul(n *halideir.Node, s side) (End, bool) {
	x, y := n.Args[0], n.Args[1]
	k, ok := f.constant(y)
	if !ok {
		x = y
		if k, ok = f.constant(n.Args[0]); !ok {
			return End{}, false
		}
	}
	inner := s
	if k.C < 0 {
		inner = !s
	}
	e, ok := f.fit(x, inner)
	if !ok {
		return End{}, false
	}
	e.Trust = e.Trust.and(k.Trust)
	return scale(e, k.C, inner)
}

// constant fits an expression that moves with no loop.
func (f *fitter) constant(id halideir.NodeID) (End, bool) {
	e, ok := f.fit(id, lower)
	return e, ok && e.Loop < 0
}

func (f *fitter) fitDiv(n *halideir.Node, s side) (End, bool) {
	k, ok := f.constant(n.Args[1])
	if !ok || k.C <= 0 {
		return End{}, false
	}
	e, ok := f.fit(n.Args[0], s)
	if !ok {
		return End{}, false
	}
	e.Trust = e.Trust.and(k.Trust)
	if e.Loop < 0 {
		return constEnd(FloorDiv(e.C, k.C), e.Trust), true
	}
	e.Den *= k.C // floor(floor(a/d)/k) = floor(a/(d*k))
	return e, true
}

func (f *fitter) fitMod(n *halideir.Node, s side) (End, bool) {
	k, ok := f.constant(n.Args[1])
	if !ok || k.C <= 0 {
		return End{}, false
	}
	k.Loose = true
	if s == lower {
		return constEnd(0, k.Trust), true
	}
	return constEnd(k.C-1, k.Trust), true
}

func (f *fitter) fitMinMax(n *halideir.Node, s side) (End, bool) {
	a, okA := f.fit(n.Args[0], s)
	b, okB := f.fit(n.Args[1], s)
	moves := func(e End, ok bool) bool { return ok && e.Loop >= 0 }
	switch {
	case moves(a, okA) && moves(b, okB):
		// An upper end that is a min may be bounded by either; take the one
		// that is lower where they are comparable, else the first.
		inner := (n.Op == halideir.OpMin) == (s == upper)
		if !inner {
			return outermost(a, b, s)
		}
		if e, ok := innermost(a, b, s); ok {
			return e, true
		}
		a.Loose = true
		return a, true
	case moves(a, okA): // b is a clamp, whatever it is
		a.Loose = true
		return a, true
	case moves(b, okB):
		b.Loose = true
		return b, true
	case okA && okB:
		c := min(a.C, b.C)
		if n.Op == halideir.OpMax {
			c = max(a.C, b.C)
		}
		return constEnd(c, a.Trust.and(b.Trust)), true
	}
	return End{}, false
}

// sameSlope reports whether the two ends keep their distance as the loop moves.
func sameSlope(a, b End) bool {
	return a.Loop == b.Loop && (a.Loop < 0 || a.AtHi == b.AtHi && a.Num*b.Den == b.Num*a.Den)
}

// common brings two ends of the same slope to one denominator. With
// floor((n*v+c)/d) = floor((k*n*v+k*c)/(k*d)) nothing is lost.
func common(a, b End) (End, End) {
	ka, kb := b.Den, a.Den
	a.Num, a.C, a.Den = a.Num*ka, a.C*ka, a.Den*ka
	b.Num, b.C, b.Den = b.Num*kb, b.C*kb, b.Den*kb
	return a, b
}

// outermost is the smaller of two lower ends, or the larger of two upper ones.
func outermost(a, b End, s side) (End, bool) { return pick(a, b, s == upper) }

// innermost is the larger of two lower ends, or the smaller of two upper ones.
func innermost(a, b End, s side) (End, bool) { return pick(a, b, s == lower) }

func pick(a, b End, larger bool) (End, bool) {
	if !sameSlope(a, b) {
		return End{}, false
	}
	t := a.Trust.and(b.Trust)
	r := a
	if a.Den != b.Den {
		a, b = common(a, b)
		r = a
	}
	if (b.C > a.C) == larger {
		r = b
	}
	r.Trust = t
	return reduce(r), true
}

// reduce removes a common factor of all three numbers.
func reduce(e End) End {
	g := halideir.GCD(halideir.GCD(e.Num, abs(e.C)), e.Den)
	if e.Loop >= 0 && g > 1 {
		e.Num, e.C, e.Den = e.Num/g, e.C/g, e.Den/g
	}
	return e
}

// FloorDiv is the quotient rounded down, for b other than 0.
func FloorDiv(a, b int64) int64 {
	if b == 1 { // nearly always, and a division takes 20 times as long
		return a
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func abs(a int64) int64 { return max(a, -a) }

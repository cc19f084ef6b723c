package access

import (
	"slices"

	"gowarp/halideir"
)

// IndexKind says how an index moves with the loops.
type IndexKind uint8

// The kinds of index.
const (
	Unknown  IndexKind = iota // data dependent, of several loops, or not affine
	Constant                  // the same for all points
	Affine                    // floor((Num*loop + Offset)/Den) of one loop
)

func (k IndexKind) String() string { return [...]string{"unknown", "constant", "affine"}[k] }

// Index is one index of a load as a function of the stage's loops.
type Index struct {
	Kind IndexKind
	// Loop is the loop of an Affine index, a position in the stage's Loops; -1
	// otherwise.
	Loop int
	// The index is floor((Num*loop + Offset)/Den); a Constant is Offset. Num is
	// not 0 and Den is positive for Affine.
	Num, Den, Offset int64
	// Sum has the terms of an Unknown index that is the sum of several loops, each times a
	// number, and Offset: x + r.x. Of one that is not, or has more terms, all are zero.
	Sum [3]Term
	// Clamped reports a clamp that was looked through: at the borders the index
	// is another. The taps at the borders are fewer, never more.
	Clamped bool
	// Likely reports that all such clamps are a boundary condition's, whose inside is marked likely: where Halide partitions loops, the interior has none.
	Likely bool
	// Beyond tells places that are so far behind a clamp, by an index of a definition in another one's, from those that are as far and were clamped elsewhere: clamp(x + 1) - 1 is not clamp(x). 0 for none, else a hash of the steps.
	Beyond uint64
	// Estimated reports that Num or Offset holds an estimate of a parameter or
	// of an input's bounds.
	Estimated bool
	// Scaled reports that Num itself may, so that at a run it may be 0.
	Scaled bool
	// DataDependent reports that the index hangs on loaded values.
	DataDependent bool
	// FromData reports that it hangs on others than those of tables (Analysis.Table).
	FromData bool
	// Loops has the bit of every loop that the index hangs on, also through
	// loaded values; loops from 64 on share the last bit.
	Loops uint64
}

// AlsoClamped takes over that an index which this one is made of is clamped.
func (x *Index) AlsoClamped(o *Index) {
	if !o.Clamped {
		return
	}
	x.Likely = (x.Likely || !x.Clamped) && o.Likely
	x.Clamped = true
}

// Term is a loop times a number.
type Term struct {
	Loop int
	Num  int64
}

// IsSum reports whether the index is the sum of the Terms and Offset.
func (x *Index) IsSum() bool { return x.Kind == Unknown && x.Sum[0].Num != 0 }

// Anywhere reports whether no loops give the place.
func (x *Index) Anywhere() bool { return x.Kind == Unknown && !x.IsSum() }

// Terms are those of an index that is a sum of loops times numbers, and Offset; ok is false of any other.
func (x *Index) Terms() (terms []Term, ok bool) {
	switch {
	case x.Kind == Constant:
		return nil, true
	case x.Kind == Affine:
		return []Term{{x.Loop, x.Num}}, x.Den == 1
	case !x.IsSum():
		return nil, false
	}
	n := 0
	for n < len(x.Sum) && x.Sum[n].Num != 0 {
		n++
	}
	return x.Sum[:n], true
}

// AddSum is factor*x + y with the terms that it then has, ok false where it is no sum of few terms. What else holds of the
// two is for the caller to join.
func AddSum(x Index, factor int64, y Index) (sum Index, ok bool) {
	xs, okX := x.Terms()
	ys, okY := y.Terms()
	if !okX || !okY {
		return Index{}, false
	}
	var all []Term
	for _, t := range xs {
		all = append(all, Term{t.Loop, t.Num * factor})
	}
	for _, t := range ys {
		if i := slices.IndexFunc(all, func(a Term) bool { return a.Loop == t.Loop }); i >= 0 {
			all[i].Num += t.Num
		} else {
			all = append(all, t)
		}
	}
	all = slices.DeleteFunc(all, func(t Term) bool { return t.Num == 0 })
	slices.SortFunc(all, func(a, b Term) int { return a.Loop - b.Loop })
	sum = Index{Kind: Unknown, Loop: -1, Den: 1, Offset: x.Offset*factor + y.Offset}
	for _, t := range append(all, Term{Num: sum.Offset}) {
		if t.Num > formLimit || t.Num < -formLimit {
			return Index{}, false
		}
	}
	switch {
	case len(all) == 0:
		sum.Kind = Constant
	case len(all) == 1:
		sum.Kind, sum.Loop, sum.Num = Affine, all[0].Loop, all[0].Num
	case len(all) > len(sum.Sum):
		return Index{}, false
	default:
		copy(sum.Sum[:], all)
	}
	return sum, true
}

// IsLoop reports whether the index is exactly the value of a loop.
func (x Index) IsLoop(loop int) bool {
	return x.Kind == Affine && x.Loop == loop && x.Num == 1 && x.Den == 1 && x.Offset == 0 && !x.Clamped
}

// Exact reports whether the index is a loop times a number, which is the same in every run, and a number; or a number.
func (x *Index) Exact() bool {
	return (x.Kind == Affine && x.Den == 1 || x.Kind == Constant) && !x.Clamped && !x.Estimated && !x.DataDependent
}

// Apart is how far the index is from another one at the same iteration, whichever that is; ok is false where that is not known.
func (x *Index) Apart(o *Index) (distance int64, ok bool) {
	return x.Offset - o.Offset, x.Exact() && o.Exact() && x.Kind == o.Kind && x.Loop == o.Loop && x.Num == o.Num
}

// DependsOn reports whether the index may change with the loop.
func (x *Index) DependsOn(loop int) bool { return x.Loops&LoopBit(loop) != 0 }

// LoopBit is the bit of a loop in Index.Loops.
func LoopBit(loop int) uint64 { return 1 << min(loop, 63) }

// formLimit keeps products of coefficients far inside int64; beyond it an
// index is Unknown.
const formLimit = 1 << 30

// form is an Index in the making, with what the border cases need to know.
type form struct {
	Index
	likely bool // marked likely: the branch that the interior takes
}

func unknown(parts ...form) form {
	f := form{Index: Index{Loop: -1, Den: 1}}
	for _, p := range parts {
		f.inherit(p)
	}
	return f
}

func constantForm(v int64) form {
	return form{Index: Index{Kind: Constant, Loop: -1, Den: 1, Offset: v}}.checked()
}

// inherit takes over what holds of the whole if it holds of a part.
func (f *form) inherit(p form) {
	f.AlsoClamped(&p.Index)
	f.Estimated = f.Estimated || p.Estimated
	f.Scaled = f.Scaled || p.Scaled
	f.DataDependent = f.DataDependent || p.DataDependent
	f.FromData = f.FromData || p.FromData
	f.Loops |= p.Loops
}

// checked reduces the fraction and gives up on huge coefficients.
func (f form) checked() form {
	if f.Kind == Affine && f.Num == 0 {
		f.Kind, f.Loop = Constant, -1
	}
	if f.Kind == Constant && f.Den != 1 {
		f.Offset, _ = halideir.DivEuclid(f.Offset, f.Den)
		f.Den = 1
	}
	for _, v := range []int64{f.Num, f.Den, f.Offset} {
		if v > formLimit || v < -formLimit {
			return unknown(f)
		}
	}
	if f.Kind == Affine && f.Den > 1 {
		// floor((4x+3)/2) = 2x+1: the offset may be floored once Num divides.
		if g := halideir.GCD(f.Num, f.Den); g > 1 {
			f.Num /= g
			f.Offset, _ = halideir.DivEuclid(f.Offset, g)
			f.Den /= g
		}
	}
	return f
}

// combine is x + sign*y.
func combine(x, y form, sign int64) form {
	if x.Kind == Unknown || y.Kind == Unknown || x.Kind == Affine && y.Kind == Affine && x.Loop != y.Loop {
		return addition(y, sign, x)
	}
	if sign < 0 {
		y = negate(y)
	}
	if x.Den > 1 && y.Den > 1 {
		return unknown(x, y)
	}
	if x.Den < y.Den {
		x, y = y, x
	}
	f := x
	f.inherit(y)
	f.Kind = max(x.Kind, y.Kind)
	f.Loop = max(x.Loop, y.Loop)
	f.Num += y.Num * x.Den
	f.Offset += y.Offset * x.Den
	f.likely = x.likely || y.likely
	return f.checked()
}

// addition is factor*x + y of several loops.
func addition(x form, factor int64, y form) form {
	f := unknown(x, y)
	sum, ok := AddSum(x.Index, factor, y.Index)
	if !ok || sum.Kind != Unknown { // loops that cancel out stay unknown: what reads the kind need not know of it
		return f
	}
	f.Sum, f.Offset = sum.Sum, sum.Offset
	f.likely = x.likely || y.likely
	return f
}

// negate uses -floor(a/d) = floor((-a + d - 1)/d).
func negate(x form) form {
	x.Num, x.Offset = -x.Num, -x.Offset+x.Den-1
	return x
}

func multiply(x, y form) form {
	if x.Kind == Constant {
		x, y = y, x
	}
	if y.Kind == Constant && x.IsSum() {
		f := addition(x, y.Offset, constantForm(0))
		f.inherit(y)
		return f
	}
	if y.Kind != Constant || x.Kind == Unknown || x.Den != 1 {
		return unknown(x, y)
	}
	f := x
	f.inherit(y)
	f.Scaled = f.Scaled || y.Estimated
	f.Num *= y.Offset
	f.Offset *= y.Offset
	f.likely = x.likely || y.likely
	return f.checked()
}

// divide uses floor(floor(a/d)/e) = floor(a/(d*e)) for positive e.
func divide(x, y form) form {
	if y.Kind != Constant || y.Offset <= 0 || x.Kind == Unknown {
		return unknown(x, y)
	}
	f := x
	f.inherit(y)
	f.Den *= y.Offset
	return f.checked()
}

// clamp is min or max: against a constant the other side is looked through.
func clamp(x, y form, larger bool) form {
	if x.Kind == Constant && y.Kind == Constant {
		f := x
		f.inherit(y)
		if larger == (y.Offset > x.Offset) {
			f.Offset = y.Offset
		}
		return f
	}
	if sameValue(x, y) {
		return x
	}
	if x.Kind == Constant {
		x, y = y, x
	}
	if y.Kind != Constant || x.Anywhere() {
		return unknown(x, y)
	}
	f := x
	f.inherit(y)
	f.AlsoClamped(&Index{Clamped: true, Likely: x.likely})
	return f
}

// choose is a select. Of the borders' and the interior's branch of a boundary
// condition, the interior's is marked likely.
func choose(condition, x, y form) form {
	switch {
	case sameValue(x, y):
		return x
	case condition.Kind == Constant && !condition.Estimated:
		if condition.Offset != 0 {
			return x
		}
		return y
	case condition.DataDependent:
		return unknown(condition, x, y)
	}
	if y.likely && !x.likely {
		x, y = y, x
	}
	if x.likely && !y.likely && (x.Kind != Unknown || x.IsSum()) {
		x.inherit(condition)
		x.inherit(y)
		x.AlsoClamped(&Index{Clamped: true, Likely: true})
		return x
	}
	return unknown(condition, x, y)
}

func sameValue(x, y form) bool {
	return x.Kind != Unknown && x.Kind == y.Kind && x.Loop == y.Loop && x.Num == y.Num && x.Den == y.Den && x.Offset == y.Offset
}

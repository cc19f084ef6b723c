package scan_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/scan"
	"gowarp/internal/irtest"
)

// leaves are what a definition is made of.
type leaves struct{ own, before, in, scalar irtest.Expr }

// row is a Func with an update along x, by the place that it writes to and what of it is read as the iteration before.
func row(t halideir.Type, extent int64, place func(r irtest.Expr) irtest.Expr, earlier func(r irtest.Expr) irtest.Expr, def func(b *irtest.Builder, l leaves) irtest.Expr) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", t, 64, 8)
	estimate := any(1)
	if t.IsFloat() {
		estimate = 0.5
	}
	scalar := b.Scalar("w", t, estimate)
	f := b.Func("f", []string{"x", "y"}, t, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]) })
	f.Update([]irtest.RVar{{Name: "r$x", Min: 1, Extent: extent}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		at := place(r[0])
		return []irtest.Expr{at, v[1]}, def(b, leaves{f.At(at, v[1]), f.At(earlier(r[0]), v[1]), in.At(r[0], v[1]), scalar})
	})
	b.Output(f, 64, 8)
	return b.Build()
}

func here(r irtest.Expr) irtest.Expr   { return r }
func before(r irtest.Expr) irtest.Expr { return r.Sub(1) }

func of(p *halideir.Pipeline) (scan.Scan, bool) { return scan.Of(p, access.Analyze(p), 0, 1) }

// TestRandomScans: of a random definition that is taken for a scan the value is a sum of what comes before times one number and the rest, or its minimum or maximum with the rest, by what
// it computes of random values.
func TestRandomScans(t *testing.T) {
	scans := 0
	rapid.Check(t, func(t *rapid.T) {
		var build func(l leaves, depth int) irtest.Expr
		build = func(l leaves, depth int) irtest.Expr {
			if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
				return []irtest.Expr{l.own, l.before, l.in, l.scalar}[rapid.IntRange(0, 3).Draw(t, "which")]
			}
			a, b := build(l, depth-1), build(l, depth-1)
			switch rapid.SampledFrom([]string{"add", "add", "sub", "mul", "min", "max"}).Draw(t, "op") {
			case "add":
				return a.Add(b)
			case "sub":
				return a.Sub(b)
			case "mul":
				return a.Mul(b)
			case "min":
				return a.Min(b)
			}
			return a.Max(b)
		}
		p := row(irtest.F32, 60, here, before, func(_ *irtest.Builder, l leaves) irtest.Expr { return build(l, 3) })
		s, ok := of(p)
		if !ok {
			return
		}
		scans++
		number := rapid.Float64Range(-8, 8)
		scalar := number.Draw(t, "scalar")
		value := func(own, before, in float64) float64 {
			return evaluate(p, p.Funcs[0].Stages[1].Values[0], own, before, in, scalar)
		}
		times := value(0, 1, 0) - value(0, 0, 0)
		for range 8 {
			own, x, y, in := number.Draw(t, "own"), number.Draw(t, "before"), number.Draw(t, "other"), number.Draw(t, "in")
			a, b := value(own, x, in), value(own, y, in)
			root := p.Nodes[p.Funcs[0].Stages[1].Values[0]].Op
			switch {
			case root == halideir.OpMin:
				if want := math.Min(x, value(own, math.Inf(1), in)); a != want {
					t.Fatalf("%v, the least of %v and the rest is %v", a, x, want)
				}
			case root == halideir.OpMax:
				if want := math.Max(x, value(own, math.Inf(-1), in)); a != want {
					t.Fatalf("%v, the greatest of %v and the rest is %v", a, x, want)
				}
			case math.Abs(a-b-times*(x-y)) > 1e-9*(1+math.Abs(a)+math.Abs(b)):
				t.Fatalf("%v and %v of %v and %v, not %v times", a, b, x, y, times)
			case !s.Linear && math.Abs(times-1) > 1e-9:
				t.Fatalf("times %v, and it is said to be a sum", times)
			case s.AnyOrder:
				t.Fatal("sums of floats in any order")
			}
		}
	})
	if scans < 5 {
		t.Errorf("%d scans among the definitions: too few to say anything", scans)
	}
}

// evaluate is the value of a definition.
func evaluate(p *halideir.Pipeline, id halideir.NodeID, own, before, in, scalar float64) float64 {
	n := &p.Nodes[id]
	arg := func(k int) float64 { return evaluate(p, n.Args[k], own, before, in, scalar) }
	switch n.Op {
	case halideir.OpAdd:
		return arg(0) + arg(1)
	case halideir.OpSub:
		return arg(0) - arg(1)
	case halideir.OpMul:
		return arg(0) * arg(1)
	case halideir.OpMin:
		return math.Min(arg(0), arg(1))
	case halideir.OpMax:
		return math.Max(arg(0), arg(1))
	case halideir.OpVar:
		return scalar
	}
	switch {
	case !n.ReadsFunc():
		return in
	case p.Nodes[n.Args[0]].Op == halideir.OpSub:
		return before
	}
	return own
}

// TestPlaces: whether it is a scan by where it stores and what it reads.
func TestPlaces(t *testing.T) {
	sum := func(_ *irtest.Builder, l leaves) irtest.Expr { return l.own.Add(l.before) }
	for name, c := range map[string]struct {
		t              halideir.Type
		place, earlier func(r irtest.Expr) irtest.Expr
		want           bool
	}{
		"forwards":         {irtest.F32, here, before, true},
		"integers":         {irtest.I32, here, before, true},
		"bytes":            {irtest.U8, here, before, true},
		"upwards":          {irtest.F32, func(r irtest.Expr) irtest.Expr { return r.Mul(-1).Add(62) }, func(r irtest.Expr) irtest.Expr { return r.Mul(-1).Add(63) }, true},
		"the one after":    {irtest.F32, here, func(r irtest.Expr) irtest.Expr { return r.Add(1) }, false},
		"two before":       {irtest.F32, here, func(r irtest.Expr) irtest.Expr { return r.Sub(2) }, false},
		"every other":      {irtest.F32, func(r irtest.Expr) irtest.Expr { return r.Mul(2) }, func(r irtest.Expr) irtest.Expr { return r.Mul(2).Sub(2) }, false},
		"one for all":      {irtest.F32, func(r irtest.Expr) irtest.Expr { return r.Sub(r) }, func(r irtest.Expr) irtest.Expr { return r.Sub(r).Add(1) }, false},
		"clamped":          {irtest.F32, here, func(r irtest.Expr) irtest.Expr { return r.Sub(1).Max(0) }, false},
		"64 bits":          {halideir.Type{Code: halideir.Float, Bits: 64, Lanes: 1}, here, before, false},
		"where it is read": {irtest.F32, here, here, false},
	} {
		s, ok := of(row(c.t, 32, c.place, c.earlier, sum))
		if ok != c.want {
			t.Errorf("%s: %v, want %v", name, ok, c.want)
		}
		if ok && (s.AnyOrder == c.t.IsFloat() || s.Linear) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

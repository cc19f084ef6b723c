package halideir_test

import (
	"testing"

	"gowarp/halideir"
	_ "gowarp/internal/fixedseed"
	"gowarp/internal/irtest"

	"pgregory.net/rapid"
)

// TestEvalRange: clamps, types and arithmetic bound what only a run knows.
func TestEvalRange(t *testing.T) {
	b := irtest.New()
	wide, narrow := b.Input("wide", irtest.I32, 9), b.Input("narrow", irtest.U8, 9)
	var at []irtest.Expr
	f := b.Func("f", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
		w, n := wide.At(0), narrow.At(0).Cast(irtest.I32)
		at = []irtest.Expr{
			w, w.Max(0).Min(32), w.Max(3), n, n.Mul(-2).Add(5), n.Div(16), w.Mod(7), n.Sub(n), narrow.At(0).Add(10), w.Cast(irtest.I16).Cast(irtest.I32), w.Mul(0), n.Sub(9).Mul(n.Sub(3)),
		}
		e := at[0]
		for _, a := range at[1:] {
			e = e.Add(a.Cast(irtest.I32))
		}
		return e
	})
	b.Output(f, 9)
	p := b.Build()
	const open = 1 << 62
	for i, want := range [][2]int64{{-open, open}, {0, 32}, {3, open}, {0, 255}, {-505, 5}, {0, 15}, {0, 6}, {-255, 255}, {0, 255}, {-32768, 32767}, {0, 0}, {-9 * 252, 246 * 252}} {
		lo, hi, okLo, okHi := p.EvalRange(at[i].ID(), halideir.Env{})
		if !okLo {
			lo = -open
		}
		if !okHi {
			hi = open
		}
		if lo != want[0] || hi != want[1] {
			t.Errorf("expression %d: %d to %d, want %d to %d", i, lo, hi, want[0], want[1])
		}
	}
}

// TestEvalRangeHolds: with every unknown replaced by a value of its type, EvalInt gives a value
// in the range.
func TestEvalRangeHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// The same expression twice: over a loop whose value is unknown, and known.
		b := irtest.New()
		in := b.Input("in", irtest.I32, 9)
		var root irtest.Expr
		f := b.Func("f", []string{"x"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
			pool := []irtest.Expr{v[0], v[0].Min(40).Max(-3), v[0].Cast(irtest.U8).Cast(irtest.I32)}
			for range rapid.IntRange(1, 12).Draw(t, "nodes") {
				a, c := rapid.SampledFrom(pool).Draw(t, "a"), rapid.SampledFrom(pool).Draw(t, "b")
				k := rapid.IntRange(1, 9).Draw(t, "k")
				switch rapid.IntRange(0, 10).Draw(t, "op") {
				case 0:
					a = a.Add(c)
				case 1:
					a = a.Sub(c)
				case 2:
					a = a.Mul(k - 5)
				case 3:
					a = a.Div(k)
				case 4:
					a = a.Mod(k)
				case 5:
					a = a.Min(c)
				case 6:
					a = a.Max(c)
				case 7:
					a = a.Cast(irtest.I8).Cast(irtest.I32)
				case 8:
					a = a.Cast(irtest.U16).Add(k).Cast(irtest.I32)
				case 9:
					a = a.Max(0).Min(k)
				case 10:
					a = a.Mul(c)
				}
				pool = append(pool, a)
			}
			root = pool[len(pool)-1]
			return root.Add(in.At(0))
		})
		b.Output(f, 9)
		p := b.Build()
		lo, hi, okLo, okHi := p.EvalRange(root.ID(), halideir.Env{})
		for range 20 {
			x := rapid.Int64Range(-300, 300).Draw(t, "x")
			v, ok := p.EvalInt(root.ID(), halideir.Env{Dim: []int64{x}})
			if ok && (okLo && v < lo || okHi && v > hi) {
				t.Fatalf("at x = %d the value is %d, the range %d to %d (%v, %v)", x, v, lo, hi, okLo, okHi)
			}
		}
	})
}

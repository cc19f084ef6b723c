package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// TestNeverPartition: loops are one piece of code in a kernel of one definition that computes the same everywhere, and in none that computes, itself or by what is
// inlined, what is simpler inside. Special cases are in parts, and so are reductions. The papers' modes keep nothing whole.
func TestNeverPartition(t *testing.T) {
	pipeline := func(edge bool) *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1556, 1556)
		first := b.Func("first", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			x := v[0]
			if edge {
				x = x.Likely().Clamp(in.Bound(0, "min"), in.Bound(0, "max"))
			}
			return in.At(x, v[1])
		})
		stored := b.Func("stored", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			sum := first.At(v[0], v[1])
			for i := 1; i < 20; i++ { // dear to compute again
				sum = sum.Mul(first.At(v[0].Add(i), v[1])).Add(first.At(v[0], v[1].Add(i))).Call("sqrt_f32").Call("sqrt_f32")
			}
			return sum
		})
		turned := b.Func("turned", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return stored.At(v[1], v[0]).Add(stored.At(v[0], v[1])) })
		sum := b.Func("sum", []string{"x", "y"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
		sum.Update([]irtest.RVar{{Name: "r$x", Extent: 40}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			return []irtest.Expr{v[0], v[1]}, sum.At(v[0], v[1]).Add(turned.At(r[0], v[1]).Mul(turned.At(v[0], r[0])))
		})
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return sum.At(v[0], v[1]).Add(sum.At(v[1], v[0])) })
		b.Output(out, 1536, 1536)
		p := b.Build()
		forCUDA(p, 75)
		return p
	}
	for _, edge := range []bool{false, true} {
		p := pipeline(edge)
		s, err := Schedule(p, given(t, "gpu", "rtx2080ti"))
		if err != nil {
			t.Fatal(err)
		}
		of := func(name string) bool {
			return slices.ContainsFunc(s.Directives, func(d schedule.Directive) bool { return d.Do == schedule.NeverPartition && d.Name == name })
		}
		for name, want := range map[string]bool{"stored": !edge, "turned": true, "sum": false, "out": false} {
			if !slices.ContainsFunc(s.Kernels, func(k schedule.Kernel) bool { return k.Name == name }) {
				t.Errorf("edge %v: %s has no kernel: %v", edge, name, s.Kernels)
			}
			if of(name) != want {
				t.Errorf("edge %v: the loops of %s are one piece: %v\n%v", edge, name, !want, s.Directives)
			}
		}
		for _, mode := range []string{"autogpu", "polymage"} {
			s, err := Schedule(p, given(t, "gpu", "rtx2080ti", "mode", mode))
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(s.Directives, func(d schedule.Directive) bool { return d.Do == schedule.NeverPartition }) {
				t.Errorf("mode=%s keeps loops whole", mode)
			}
		}
	}
}

// TestMinimaInOnePiece: Halide looks for what is likely twice at each side of a minimum, so that the loops of a kernel with deep ones are one piece. At
// those of a maximum it does not.
func TestMinimaInOnePiece(t *testing.T) {
	for _, c := range []struct {
		terms      int
		edge, most bool // a boundary condition; maxima
		want       bool
	}{{5, true, false, false}, {25, true, false, true}, {25, true, true, false}, {25, false, false, true}} {
		b := irtest.New()
		in := b.Input("in", irtest.U8, 1540, 1540)
		first := b.Func("first", []string{"x", "y"}, irtest.U8, func(v []irtest.Expr) irtest.Expr {
			x := v[0]
			if c.edge {
				x = x.Likely().Clamp(in.Bound(0, "min"), in.Bound(0, "max"))
			}
			return in.At(x, v[1])
		})
		out := b.Func("out", []string{"x", "y"}, irtest.U8, func(v []irtest.Expr) irtest.Expr {
			all := first.At(v[0], v[1])
			for i := 1; i < c.terms; i++ {
				next := first.At(v[0].Add(i%5), v[1].Add(i/5))
				if c.most {
					all = all.Max(next)
				} else {
					all = all.Min(next)
				}
			}
			return all
		})
		b.Output(out, 1536, 1400)
		p := b.Build()
		forCUDA(p, 75)
		s, err := Schedule(p, given(t, "gpu", "rtx2080ti", "tiling", "block-window"))
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(s.Directives, func(d schedule.Directive) bool { return d.Do == schedule.NeverPartition && d.Name == "out" }); got != c.want {
			t.Errorf("%+v: the loops are one piece: %v", c, got)
		}
	}
}

package autoscheduler

import (
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// TestRegisters works the estimate of autoscheduler/strategy/registers.go by hand.
func TestRegisters(t *testing.T) {
	window := func(w, h int64) *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 4096, 4096)
		f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
		f.Update([]irtest.RVar{{Name: "r$x", Extent: w}, {Name: "r$y", Extent: h}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			return []irtest.Expr{v[0], v[1]}, f.At(v[0], v[1]).Add(in.At(v[0].Add(r[0]), v[1].Add(r[1])))
		})
		b.Output(f, 1536, 1536)
		return b.Build()
	}
	halves := func() *halideir.Pipeline { // a member at half the resolution, sized at run time
		b := irtest.New()
		in := b.Input("in", irtest.F32, 2048, 2048)
		g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return in.At(v[0], v[1]).Add(in.At(v[0].Add(1), v[1])).Add(in.At(v[0], v[1].Add(1))).Mul(in.At(v[0].Add(1), v[1].Add(1)))
		})
		f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(dx, dy int) irtest.Expr { return g.At(v[0].Div(2).Add(dx), v[1].Div(2).Add(dy)) }
			return at(0, 0).Add(at(1, 0)).Add(at(0, 1)).Mul(at(1, 1)).Add(at(-1, 0)).Mul(at(0, -1))
		})
		b.Output(f, 1536, 1536)
		return b.Build()
	}
	for _, c := range []struct {
		name   string
		p      *halideir.Pipeline
		kernel int
		want   int
	}{
		// A constant: nothing but 8.
		{"no load", window(3, 3), 0, 8},
		// An operation, two loads and two additions in an address, of which 4 count; 2 loads in 9 copies.
		{"3x3, unrolled by Halide", window(3, 3), 1, 8 + 4 + 2*9},
		{"7 of 7x100, unrolled by LLVM", window(7, 100), 1, 8 + 4 + 2*7},
		{"7x7, unrolled by LLVM, 98 taps of which 48 count", window(7, 7), 1, 8 + 4 + 48},
		{"100 are not unrolled", window(100, 3), 1, 8 + 4 + 2},
		// 6 loads, 2 divisions by 2; two dimensions of g at 9.
		{"a member sized at run time", halves(), 0, 8 + 4 + 6 + 2 + 2*9},
	} {
		r, err := Run(c.p, paperParams())
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, k := range r.Schedule.Kernels {
			got = append(got, k.Registers)
		}
		if c.kernel >= len(got) || got[c.kernel] != c.want {
			t.Errorf("%s: %v registers, want %d of kernel %d", c.name, got, c.want, c.kernel)
		}
	}
}

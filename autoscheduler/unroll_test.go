package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// TestUnroll: short loops inside a thread are unrolled where Halide knows how long they are,
// from the innermost on.
func TestUnroll(t *testing.T) {
	convolution := func(w, h int64) func(b *irtest.Builder) *irtest.Func {
		return func(b *irtest.Builder) *irtest.Func {
			in := b.Input("in", irtest.F32, 1600, 1600)
			f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
			f.Update([]irtest.RVar{{Name: "r$x", Extent: w}, {Name: "r$y", Extent: h}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
				return []irtest.Expr{v[0], v[1]}, f.At(v[0], v[1]).Add(in.At(v[0].Add(r[0]), v[1].Add(r[1])))
			})
			b.Output(f, 1536, 1536)
			return f
		}
	}
	colours := func(b *irtest.Builder) *irtest.Func {
		in := b.Input("in", irtest.F32, 1600, 1600, 3)
		f := b.Func("f", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1], v[2]).Mul(2.0) })
		b.Output(f, 1536, 1536, 3)
		return f
	}
	for _, c := range []struct {
		name  string
		build func(b *irtest.Builder) *irtest.Func
		bound bool
		want  []string
	}{
		{"3x3", convolution(3, 3), false, []string{"r.x", "r.y"}},
		{"4x4", convolution(4, 4), false, []string{"r.x", "r.y"}},
		{"3x5", convolution(3, 5), false, []string{"r.x"}},
		{"5x3: not around a loop", convolution(5, 3), false, nil},
		{"1x3", convolution(1, 3), false, []string{"r.y"}},
		{"channels as estimated", colours, false, nil},
		{"channels of a bound", colours, true, []string{"c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := irtest.New()
			f := c.build(b)
			if c.bound {
				f.Bound("c", 0, 3)
			}
			s, err := Schedule(b.Build(), paperParams())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range s.Directives {
				if d.Do == schedule.Unroll {
					got = append(got, d.Vars...)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("unrolled are %v, want %v", got, c.want)
			}
		})
	}
}

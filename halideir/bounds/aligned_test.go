package bounds_test

import (
	"testing"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/internal/irtest"
)

// TestAligned: the regions are those of a pipeline whose user aligns the Func; there are none where an input would have to be larger, at the estimates or at another size.
func TestAligned(t *testing.T) {
	pipeline := func(clamped bool, width int64, beside int64) (p *halideir.Pipeline, f int) {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 100, 80)
		stored := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			x, y := v[0], v[1]
			if clamped {
				x, y = x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max"))
			}
			return in.At(x, y)
		})
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return stored.At(v[0].Sub(beside), v[1]).Add(stored.At(v[0].Add(beside), v[1].Add(beside)))
		})
		b.Output(out, width, 77)
		return b.Build(), stored.ID
	}
	for _, c := range []struct {
		clamped       bool
		width, beside int64
		moduli        []int64
		want          bounds.Box // nil: there are none
	}{
		{true, 100, 3, []int64{2, 1}, bounds.Box{{-4, 103}, {0, 79}}},
		{true, 100, 3, []int64{4, 4}, bounds.Box{{-4, 103}, {0, 79}}},
		{true, 99, 3, []int64{8, 4}, bounds.Box{{-8, 103}, {0, 79}}},
		{true, 100, 0, []int64{1, 2}, nil}, // the input has a row that nobody reads: it is not asked for
		{true, 100, 0, []int64{2, 1}, bounds.Box{{0, 99}, {0, 76}}},
		{false, 94, 3, []int64{2, 1}, nil},
		{false, 100, 0, []int64{2, 1}, nil}, // whole at the estimate; of one point, or of 51, it is not
	} {
		p, f := pipeline(c.clamped, c.width, c.beside)
		r, err := bounds.Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Aligned(p, map[int][]int64{f: c.moduli})
		if (got == nil) != (c.want == nil) {
			t.Errorf("%+v: there are regions: %v", c, got != nil)
			continue
		}
		if got == nil {
			continue
		}
		for k := range c.want {
			if got.Funcs[f][k] != c.want[k] {
				t.Errorf("%+v: dimension %d is %v", c, k, got.Funcs[f][k])
			}
		}
		if before, err := bounds.Analyze(p); err != nil || before.Funcs[f][0] != r.Funcs[f][0] || len(p.Funcs[f].Bounds) > 0 {
			t.Error("the pipeline has changed")
		}
	}
}

package bounds

import (
	"slices"
	"testing"

	"gowarp/halideir"
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
		want          Box // nil: there are none
	}{
		{true, 100, 3, []int64{2, 1}, Box{{-4, 103}, {0, 79}}},
		{true, 100, 3, []int64{4, 4}, Box{{-4, 103}, {0, 79}}},
		{true, 99, 3, []int64{8, 4}, Box{{-8, 103}, {0, 79}}},
		{true, 100, 0, []int64{1, 2}, nil}, // the input has a row that nobody reads: it is not asked for
		{true, 100, 0, []int64{2, 1}, Box{{0, 99}, {0, 76}}},
		{false, 94, 3, []int64{2, 1}, nil},
		{false, 100, 0, []int64{2, 1}, nil}, // whole at the estimate; of another size, or from another place on, it is not
	} {
		p, f := pipeline(c.clamped, c.width, c.beside)
		r, err := Analyze(p)
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
		if before, err := Analyze(p); err != nil || before.Funcs[f][0] != r.Funcs[f][0] || len(p.Funcs[f].Bounds) > 0 {
			t.Error("the pipeline has changed")
		}
	}
}

// TestAlignedAnywhere: where a Func may begin at whole cells, no output of any size and at any place asks an input for more so. Another reader of the input may have to cover what a cell adds at both ends, not at one.
func TestAlignedAnywhere(t *testing.T) {
	pipeline := func(low, high int64) (p *halideir.Pipeline, f, out int) {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 400, 400)
		stored := b.Func("f", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], 0) })
		o := b.Func("out", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return stored.At(v[0].Sub(int64(3))).Add(stored.At(v[0].Add(int64(5)))).Add(in.At(v[0].Sub(low), 0)).Add(in.At(v[0].Add(high), 0))
		})
		b.Output(o, 64)
		return b.Build(), stored.ID, o.ID
	}
	for _, c := range []struct {
		low, high, modulus int64
		may                bool
	}{
		{0, 100, 2, false}, {100, 0, 2, false}, {100, 100, 2, true}, {4, 6, 2, true}, {4, 6, 4, false}, {6, 8, 4, true}, {9, 12, 8, false}, {10, 12, 8, true}, {0, 0, 2, false},
	} {
		p, f, out := pipeline(c.low, c.high)
		r, err := Analyze(p)
		if err != nil {
			t.Fatal(err)
		}
		moduli := map[int][]int64{f: {c.modulus}}
		if got := r.Aligned(p, moduli) != nil; got != c.may {
			t.Errorf("%+v: %v", c, got)
		}
		if !c.may {
			continue
		}
		for first := int64(-9); first < 9; first++ {
			for n := int64(1); n < 30; n++ {
				q := *p
				q.Funcs = slices.Clone(p.Funcs)
				q.Funcs[out].Estimates = []halideir.Estimate{{Var: "x", Min: first, Extent: n}}
				asked, err := Analyze(&q)
				if err != nil {
					t.Fatal(err)
				}
				if more, err := Analyze(withAligned(&q, moduli)); err != nil || !covers(asked.Inputs[0], more.Inputs[0]) {
					t.Fatalf("%+v: %d from %d on: %v is asked for, %v needed", c, n, first, more.Inputs[0], asked.Inputs[0])
				}
			}
		}
	}
}

package autoscheduler

import (
	"fmt"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// sortingNetwork is stages that sort 8 values of each of so many points, along the last dimension.
func sortingNetwork(points int64) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.I32, points, 8)
	at := func(x, c irtest.Expr) irtest.Expr { return in.At(x, c) }
	for i := range int64(8) {
		before := at
		f := b.Func(fmt.Sprint("stage_", i), []string{"x", "c"}, irtest.I32, func(v []irtest.Expr) irtest.Expr {
			x, c := v[0], v[1]
			even := c.Sub(i % 2).Mod(2).EQ(0)
			other := even.Select(c.Add(1), c.Sub(1)).Clamp(0, 7)
			return other.EQ(c).Select(before(x, c), even.Select(before(x, c).Min(before(x, other)), before(x, c).Max(before(x, other))))
		})
		at = func(x, c irtest.Expr) irtest.Expr { return f.At(x, c) }
	}
	out := b.Func("out", []string{"x", "c"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return at(v[0], v[1]).Mul(2) })
	b.Output(out, points, 8)
	out.Bound("c", 0, 8)
	return b.Build()
}

// TestHeld: a network along a dimension of 8 is one kernel, whose threads have all 8 values of each stage. Where there are too few points for threads of their own, and in the papers' modes, it is tiled as any other dimension.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		points int64
		params map[string]string
		held   bool
	}{
		{1 << 18, nil, true},
		{1 << 10, nil, false},
		{1 << 18, map[string]string{"mode": "autogpu"}, false},
	} {
		params, err := ParseParams(c.params)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(sortingNetwork(c.points), params)
		if err != nil {
			t.Fatal(err)
		}
		pr := r.Problem
		out := len(pr.P.Funcs) - 1
		if held := len(pr.Dims[pr.StageIndex(out, 0)].Held) > 0; held != c.held {
			t.Errorf("%d points, %v: held %v", c.points, c.params, held)
		}
		if !c.held {
			continue
		}
		if n := len(r.Groups); n != 1 {
			t.Fatalf("%d groups", n)
		}
		k := r.Found[0].Layout.Kernels[0]
		if len(k.Members) == 0 {
			t.Error("no stage is kept")
		}
		for i := range k.Members {
			if m := &k.Members[i]; m.Where != plan.AtThread || m.Extents[1] != 8 {
				t.Errorf("%s is computed at %v, %v of it", pr.P.Funcs[m.Func].Label, m.Where, m.Extents)
			}
		}
	}
}

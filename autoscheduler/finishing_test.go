package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// TestFinishing: a copy of a reduction's results, or what does little to them, is stored with the reduction in one kernel where it is read elsewhere than point by point or by several;
// where one reads it point by point, that one takes both; and what is no reduction is computed in its readers as ever.
func TestFinishing(t *testing.T) {
	type read func(f *irtest.Func, x, y irtest.Expr) irtest.Expr
	here := func(f *irtest.Func, x, y irtest.Expr) irtest.Expr { return f.At(x, y) }
	beside := func(f *irtest.Func, x, y irtest.Expr) irtest.Expr {
		sum := f.At(x.Sub(40), y)
		for i := range int64(12) {
			sum = sum.Add(f.At(x.Add(8*i), y.Add(i*i)))
		}
		return sum
	}
	for name, c := range map[string]struct {
		sums     bool
		finish   func(sum irtest.Expr) irtest.Expr
		read     read
		readers  int
		finishes bool
	}{
		"copy read by neighbours":  {true, func(s irtest.Expr) irtest.Expr { return s }, beside, 1, true},
		"relu read by neighbours":  {true, func(s irtest.Expr) irtest.Expr { return s.Max(int64(0)) }, beside, 1, true},
		"copy read point by point": {true, func(s irtest.Expr) irtest.Expr { return s }, here, 1, false},
		"copy read by two":         {true, func(s irtest.Expr) irtest.Expr { return s }, here, 2, true},
		"copy of no reduction":     {false, func(s irtest.Expr) irtest.Expr { return s }, beside, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := irtest.New()
			in := b.Input("in", irtest.F32, 2048, 2048)
			at := func(x, y irtest.Expr) irtest.Expr { // of which there is something everywhere
				return in.At(x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
			}
			f := b.Func("sum", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return at(v[0], v[1]) })
			if c.sums {
				f.Update([]irtest.RVar{{Name: "r$x", Extent: 50}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
					return v, f.At(v[0], v[1]).Add(at(v[0].Add(r[0]), v[1]))
				})
			}
			g := b.Func("finished", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return c.finish(f.At(v[0], v[1])) })
			for i := range c.readers {
				out := b.Func([]string{"out", "other"}[i], []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return c.read(g, v[0], v[1]).Mul(int64(2 + i)) })
				b.Output(out, 2048, 2048)
			}
			prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(b.Build(), prm)
			if err != nil {
				t.Fatal(err)
			}
			if inlined := r.Problem.Inlined[g.ID]; inlined == c.finishes {
				t.Fatalf("finished is computed in its readers: %v", inlined)
			}
			together := slices.ContainsFunc(r.Groups, func(q *plan.Group) bool { return q.Out == g.ID && slices.Contains(q.Members, f.ID) })
			if c.finishes && !together {
				t.Error("the sum is not in its kernel")
			}
		})
	}
}

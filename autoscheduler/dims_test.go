package autoscheduler

import (
	"fmt"
	"testing"

	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// TestContiguousThreads: threads go along the dimension in which memory is contiguous, however
// short it is; a few colour channels there stay in the thread.
func TestContiguousThreads(t *testing.T) {
	for _, c := range []struct {
		extents []int64
		x       int // the argument of thread x
	}{
		{[]int64{39, 43}, 0},
		{[]int64{39, 4000}, 0},
		{[]int64{8, 8, 512, 512}, 0},
		{[]int64{3, 1024, 768}, 1},
		{[]int64{1024, 3}, 0},
		{[]int64{1, 50}, 1},
	} {
		t.Run(fmt.Sprint(c.extents), func(t *testing.T) {
			b := irtest.New()
			in := b.Input("in", irtest.F32, c.extents...)
			args := []string{"x", "y", "z", "w"}[:len(c.extents)]
			f := b.Func("f", args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				var at []any
				for _, e := range v {
					at = append(at, e)
				}
				return in.At(at...).Mul(2.0)
			})
			b.Output(f, c.extents...)
			r, err := Run(b.Build(), DefaultParams())
			if err != nil {
				t.Fatal(err)
			}
			n := &r.Found[0].Layout.Kernels[0].Out
			if arg := r.Problem.P.Funcs[f.ID].Stages[0].Loops[n.Threads[0].Loop].Arg; arg != c.x || n.Threads[0].Extent < 2 {
				t.Errorf("thread x is argument %d with %d threads, want argument %d", arg, n.Threads[0].Extent, c.x)
			}
		})
	}
}

// TestPredicatedLoops: what a predicate with a load depends on is not split; a predicate of
// coordinates alone keeps nothing whole.
func TestPredicatedLoops(t *testing.T) {
	for _, loads := range []bool{true, false} {
		b := irtest.New()
		in := b.Input("in", irtest.I32, 650)
		var predicate irtest.Expr
		f := b.Func("f", []string{"x", "y"}, irtest.I32, func(v []irtest.Expr) irtest.Expr { return v[0] })
		f.Update([]irtest.RVar{{Name: "r$x", Extent: 650, Parallel: true}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			value := r[0]
			if loads {
				value = in.At(r[0])
			}
			predicate = value.LT(30)
			return []irtest.Expr{r[0], v[1]}, f.At(r[0], v[1]).Add(1)
		})
		b.Output(f, 650, 480)
		p := b.Build()
		p.Funcs[f.ID].Stages[1].Predicate = predicate.ID()
		r, err := Run(p, DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		split := map[string]bool{}
		for _, d := range r.Schedule.Directives {
			if d.Do == schedule.Split && d.Stage == 1 {
				split[d.Vars[0]] = true
			}
		}
		if split["r.x"] == loads || !split["y"] {
			t.Errorf("a predicate that loads: %v; split are %v", loads, split)
		}
	}
}

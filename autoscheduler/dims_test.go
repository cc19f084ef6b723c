package autoscheduler

import (
	"fmt"
	"testing"

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

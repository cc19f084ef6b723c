package autoscheduler

import (
	"strings"
	"testing"

	"gowarp/internal/irtest"
)

// TestWarnings: the author is told of a stage that one thread runs for most of the time, and why, and of a Func of some size that the host computes; of nothing where all is as it should be.
func TestWarnings(t *testing.T) {
	inPlace := func(b *irtest.Builder, n int64) {
		f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return v[0].Cast(irtest.F32) })
		f.Update([]irtest.RVar{{Name: "r$x", Min: 1, Extent: n - 2}, {Name: "r$y", Min: 1, Extent: n - 2}}, func(_, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			return []irtest.Expr{r[0], r[1]}, f.At(r[0].Sub(1), r[1]).Add(f.At(r[0].Add(1), r[1])).Add(f.At(r[0], r[1].Sub(1))).Add(f.At(r[0], r[1].Add(1)))
		})
		b.Output(f, n, n)
	}
	for name, c := range map[string]struct {
		build func(b *irtest.Builder)
		want  []string
	}{
		"one thread":     {func(b *irtest.Builder) { inPlace(b, 1000) }, []string{"f.update(0) takes", "in one thread: it reads its own results at other places"}},
		"a short moment": {func(b *irtest.Builder) { inPlace(b, 8) }, nil},
		"the host": {func(b *irtest.Builder) {
			in := b.Input("in", irtest.F32, 640, 480)
			b.Output(b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Call("mine") }), 640, 480)
		}, []string{"out runs on the host, one point after the other: it calls mine, which exists only on the host"}},
		"nothing": {func(b *irtest.Builder) {
			in := b.Input("in", irtest.F32, 640, 480)
			b.Output(b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0) }), 640, 480)
		}, nil},
	} {
		b := irtest.New()
		c.build(b)
		r, err := Run(b.Build(), DefaultParams())
		if err != nil {
			t.Fatal(name, err)
		}
		got := r.Warnings()
		if (len(got) > 0) != (c.want != nil) {
			t.Errorf("%s: %q", name, got)
		}
		for _, w := range c.want {
			if len(got) != 1 || !strings.Contains(got[0], w) {
				t.Errorf("%s: %q, want %q in one", name, got, w)
			}
		}
	}
}

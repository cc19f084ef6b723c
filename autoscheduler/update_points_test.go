package autoscheduler

import (
	"slices"
	"strings"
	"testing"

	"gowarp/autoscheduler/legality"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// weighed is a sum over a window of what a pixel weighs, of four colours that its reader asks for at the colour itself and at the last. Of an input that is clamped there
// is more beyond the edge, of one that is not there is none.
func weighed(clamped bool) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1400, 1024)
	at := func(x, y irtest.Expr) irtest.Expr {
		if clamped {
			x, y = x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max"))
		}
		return in.At(x, y)
	}
	sum := b.Func("sum", []string{"x", "y", "c"}, irtest.F32, func([]irtest.Expr) irtest.Expr { return b.Const(irtest.F32, 0) })
	sum.Update([]irtest.RVar{{Name: "r$x", Extent: 40}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
		lhs := []irtest.Expr{v[0], v[1], v[2]}
		return lhs, sum.At(v[0], v[1], v[2]).Add(at(v[0].Add(r[0]), v[1]).Mul(v[2].Cast(irtest.F32)))
	})
	out := b.Func("out", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return sum.At(v[0], v[1], v[2]).Div(sum.At(v[0], v[1], 3))
	})
	b.Output(out, map[bool]int64{true: 1400, false: 1361}[clamped], 1024, 3)
	p := b.Build()
	forCUDA(p, 75)
	return p
}

// TestUpdatePoints: a thread sums several points, all colours among them, in an iteration of the domain's loop, and several iterations at a time. They are rounded
// up where there is more beyond the edge, and else tested; a kernel with members is refused such points.
func TestUpdatePoints(t *testing.T) {
	for _, clamped := range []bool{true, false} {
		prm, err := ParseParams(map[string]string{"gpu": "rtx2080ti"})
		if err != nil {
			t.Fatal(err)
		}
		p := weighed(clamped)
		r, err := Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Schedule.CheckForms(p); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Groups, func(g *plan.Group) bool { return p.Funcs[g.Out].Label == "sum" })
		if i < 0 || len(r.Found[i].Layout.Kernels) != 2 {
			t.Fatalf("sum is no group of its own: %v", r.Groups)
		}
		k := r.Found[i].Layout.Kernels[1]
		tail := plan.Guarded
		if clamped {
			tail = plan.RoundUp
		}
		colours := slices.IndexFunc(k.Out.Unrolled, func(u plan.Use) bool { return p.Funcs[k.Out.Func].Stages[1].Loops[u.Loop].Arg == 2 })
		if colours < 0 || k.Out.Unrolled[colours].Extent != 4 || k.Out.Unrolled[colours].Tail != tail {
			t.Errorf("clamped %v: points a thread are %+v", clamped, k.Out.Unrolled)
		}
		if !slices.ContainsFunc(k.Out.Serial, func(u plan.Use) bool { return u.Steps > 1 }) {
			t.Errorf("clamped %v: an iteration at a time: %+v", clamped, k.Out.Serial)
		}
		if err := legality.Check(r.Problem, k); err != nil {
			t.Error(err)
		}
		if source := r.Schedule.CPlusPlus(p); strings.Contains(source, "RoundUp") != clamped {
			t.Errorf("clamped %v:\n%s", clamped, source)
		}
		if clamped {
			k.Members = []plan.Member{{Func: k.Out.Func, Where: plan.AtBlock}}
			if err := legality.Check(r.Problem, k); err == nil || !strings.Contains(err.Error(), "point-tails") {
				t.Errorf("with a member: %v", err)
			}
		}
	}
}

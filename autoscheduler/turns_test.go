package autoscheduler

import (
	"math"
	"slices"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// coloured is an image of so many colours, each a small change of what all have in common: sixteen loads.
func coloured(colours int64) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1100, 1100)
	b.Output(b.Func("out", []string{"x", "y", "c"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		e := v[2].Cast(irtest.F32)
		for i := range 16 {
			e = e.Add(in.At(v[0].Add(i%4), v[1].Add(i/4)))
		}
		return e
	}), 1024, 1024, colours)
	return b.Build()
}

// TestOnceForAllTurns: what no colour changes is loaded before the first one, so that three colours take far less than three times one.
func TestOnceForAllTurns(t *testing.T) {
	issued := func(colours int64) float64 {
		r := runWith(t, coloured(colours), map[string]string{"gpu": "rtx2080ti", "tiling": "block", "cost": "time"})
		k := r.Found[len(r.Found)-1].Layout.Kernels[0]
		if len(k.Members) > 0 || colours > 1 && !slices.ContainsFunc(k.Out.Serial, func(u plan.Use) bool { return u.Extent == colours && !u.Unroll }) {
			t.Fatalf("the colours are no loop in the thread: %+v", k.Out)
		}
		w := instructions.For(r.Problem).Work(k)
		return w.Issued / float64(k.ThreadsPerBlock())
	}
	if one, three := issued(1), issued(3); three > 1.8*one {
		t.Errorf("%.2f warp instructions a thread for one colour, %.2f for three: what they share counts for each", one, three)
	}
}

// TestGivenExtentsAreNoLoops: a member whose extents the schedule gives has no loops around its threads, and costs as much less.
func TestGivenExtentsAreNoLoops(t *testing.T) {
	prm := paperParams()
	prm.Tiling = "block"
	r, err := Run(halvedTwice(true), prm)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Found {
		k := *f.Layout.Kernels[0]
		i := slices.IndexFunc(k.Members, func(m plan.Member) bool { return slices.Contains(m.Given, true) })
		if i < 0 {
			continue
		}
		with := instructions.For(r.Problem).Work(&k).Issued
		k.Members = slices.Clone(k.Members)
		k.Members[i].Given = make([]bool, len(k.Members[i].Given))
		if without := instructions.For(r.Problem).Work(&k).Issued; with >= without {
			t.Errorf("%.0f warp instructions with extents given, %.0f with loops around the threads", with, without)
		}
		return
	}
	t.Fatal("no member is given extents")
}

// TestPriceJoined: one kernel in a launch costs what it costs; two that load the same cost a launch and the common traffic less, in any order.
func TestPriceJoined(t *testing.T) {
	r := runWith(t, planes(2, false), map[string]string{"gpu": "rtx2080ti", "grouping": "none"})
	var kernels []*plan.Kernel
	var alone float64
	for _, f := range r.Found {
		k := *f.Layout.Kernels[0]
		if label := r.Problem.P.Funcs[k.Out.Func].Label; label == "planea" || label == "planeb" {
			k.With = nil
			kernels = append(kernels, &k)
			p := coster.Time{}.Price(r.Problem, &k, coster.Final)
			alone += p.Cost
			if one := (coster.Time{}).PriceJoined(r.Problem, []*plan.Kernel{&k}); math.Abs(one.Cost-p.Cost) > 1e-12 {
				t.Errorf("%s: %g alone in a launch, %g by itself", label, one.Cost, p.Cost)
			}
		}
	}
	if len(kernels) != 2 {
		t.Fatalf("%d planes", len(kernels))
	}
	both := coster.Time{}.PriceJoined(r.Problem, kernels)
	turned := coster.Time{}.PriceJoined(r.Problem, []*plan.Kernel{kernels[1], kernels[0]})
	if launch := coster.MachineOf(r.Problem.Device).LaunchSeconds; both.Cost > alone-launch {
		t.Errorf("%g in one launch, %g in two: a launch is %g", both.Cost, alone, launch)
	}
	if math.Abs(both.Cost-turned.Cost) > 1e-12 {
		t.Errorf("%g, in the other order %g", both.Cost, turned.Cost)
	}
}

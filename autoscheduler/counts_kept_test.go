package autoscheduler

import (
	"reflect"
	"testing"

	"gowarp/autoscheduler/instructions"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"

	"pgregory.net/rapid"
)

// forgetful is a problem of which nothing is kept.
func forgetful(pr *plan.Problem) *plan.Problem {
	v := *pr
	v.Kept, v.Expand = plan.NewKept(), make([]*plan.Expand, len(pr.Expand))
	for fn := range pr.P.Funcs {
		for stage := range max(1, len(pr.P.Funcs[fn].Stages)) {
			v.Expand[pr.StageIndex(fn, stage)] = plan.ExpandStage(pr.P, pr.Access, pr.Inlined, pr.Folded, fn, stage)
		}
	}
	return &v
}

// TestCountsThatAreKept: what a kernel is counted to do is the same whether the counts of its stages are those that other kernels have asked for before, of other groups too, or are made for it alone, and never less than nothing.
func TestCountsThatAreKept(t *testing.T) {
	kernels, several := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r, err := Run(randomPipeline(t, ""), DefaultParams())
		if err != nil {
			t.Skip(err)
		}
		check := func(k *plan.Kernel) {
			kept, alone := instructions.For(k.View(r.Problem)).Work(k), instructions.For(forgetful(k.View(r.Problem))).Work(k)
			if !reflect.DeepEqual(kept, alone) {
				t.Fatalf("%s, %s %v: %+v is kept, it is %+v", r.Problem.P.Funcs[k.Out.Func].Label, k.Strategy, k.Choice, kept, alone)
			}
			if min(alone.Issued, alone.Float, alone.Special, alone.Sectors, alone.Requests) < 0 {
				t.Fatalf("%s, %s %v: less than nothing: %+v", r.Problem.P.Funcs[k.Out.Func].Label, k.Strategy, k.Choice, alone)
			}
			kernels++
			if k.Out.PointsPerThread() > 1 && len(k.Members) > 0 {
				several++
			}
		}
		for _, g := range r.Groups {
			for stage := range r.Problem.P.Funcs[g.Out].Stages {
				prepared, some := offered(t, r.Problem, g, stage, strategy.PowersOfTwo)
				for _, c := range some {
					k, err := prepared.Kernel(stage, c)
					if err != nil {
						t.Fatal(err)
					}
					check(k)
				}
			}
		}
		for _, f := range r.Found {
			for _, k := range f.Layout.Kernels {
				if !k.Host {
					check(k)
				}
			}
		}
	})
	if kernels < 500 || several < 50 {
		t.Errorf("%d kernels, %d of them of several points and members: too few to see anything", kernels, several)
	}
}

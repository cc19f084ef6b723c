package grouping_test

import (
	"slices"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/grouping"
	"gowarp/internal/plan"
)

// TestReread: who reads whom, brought up to date for what a Func was read by, is what it is from scratch, whichever Funcs are inlined one after the other.
func TestReread(t *testing.T) {
	inlined := 0
	for _, p := range pipelines(t) {
		for _, backwards := range []bool{true, false} {
			r, err := autoscheduler.Run(p, autoscheduler.DefaultParams())
			if err != nil {
				t.Fatal(err)
			}
			pr := r.Problem
			var ids []int
			for id := range pr.P.Funcs {
				if f := &pr.P.Funcs[id]; !pr.Inlined[id] && !f.Output && f.Extern == nil && len(f.Stages) == 1 && len(f.Types) == 1 {
					ids = append(ids, id)
				}
			}
			if backwards {
				slices.Reverse(ids)
			}
			for _, id := range ids[:min(len(ids), 6)] { // definitions in place of each other grow
				got, want := grouping.Reread(pr, id, func() {
					pr.Inlined[id] = true
					for fn := range pr.P.Funcs {
						for stage := range pr.P.Funcs[fn].Stages {
							pr.Expand[pr.StageIndex(fn, stage)] = plan.ExpandStage(pr.P, pr.Access, pr.Inlined, pr.Folded, fn, stage)
						}
					}
				})
				inlined++
				for i, what := range []string{"readers", "reads"} {
					if !slices.EqualFunc(got[i], want[i], func(a, b []int) bool { return slices.Equal(a, b) }) {
						t.Fatalf("%s once %s is inlined: %v, want %v", what, pr.P.Funcs[id].Label, got[i], want[i])
					}
				}
			}
		}
	}
	if inlined < 20 {
		t.Errorf("%d Funcs were inlined; too few to see anything", inlined)
	}
}

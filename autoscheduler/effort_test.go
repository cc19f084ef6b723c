package autoscheduler

import (
	"testing"

	"gowarp/autoscheduler/coster"
	"pgregory.net/rapid"
)

// TestEffort: with the groups given, a thorough search prices more candidates than a normal one, all of that one's among them, and so finds
// nothing that costs more, but for what its coster errs by anyway; a fast one prices fewer. Each schedule is legal.
func TestEffort(t *testing.T) {
	less := 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomPipeline(t, "")
		if rapid.Bool().Draw(t, "stencils") {
			p = stencilGraph(t)
		}
		cost := rapid.SampledFrom([]string{"time", "issue"}).Draw(t, "cost")
		seconds, priced := map[string]float64{}, map[string]int{}
		for _, effort := range []string{"fast", "normal", "thorough"} {
			prm, err := ParseParams(map[string]string{"effort": effort, "cost": cost, "grouping": "none", "gpu": "rtx2080ti"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(p, prm)
			if err != nil {
				t.Skip(err)
			}
			if err := r.Schedule.Check(p); err != nil {
				t.Fatal(err)
			}
			priced[effort] = r.Evaluated
			for _, f := range r.Found {
				seconds[effort] += f.Cost
			}
		}
		if priced["fast"] > priced["normal"] || priced["normal"] > priced["thorough"] {
			t.Fatalf("candidates: %v", priced)
		}
		if best := seconds["thorough"] / (1 + coster.Errs(coster.ByName[cost])) * (1 - 1e-12); seconds["normal"] < best || seconds["fast"] < best {
			t.Fatalf("by %s: %v", cost, seconds)
		}
		if seconds["thorough"] < seconds["fast"]*(1-1e-9) {
			less++
		}
	})
	if less == 0 {
		t.Error("a thorough search never found anything better than a fast one: the test shows nothing")
	}
	t.Logf("better than fast %d times", less)
}

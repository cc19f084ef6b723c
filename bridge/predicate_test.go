//go:build halide

package bridge

import (
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestPredicateReads: a schedule asks an input for no more than the predicate of a domain lets through; one as large as that runs, and gives what the CPU gives.
func TestPredicateReads(t *testing.T) {
	for triangle, width := range map[string]int{"false": 90, "true": 70} {
		g := harness.Generator{Source: "bridge/testdata/corner.cc", Name: "corner", Params: map[string]string{"triangle": triangle}}
		in := harness.Args{"image": noise(rand.New(rand.NewPCG(3, 4)), width, 70)}
		out := map[string][]int{"out": {8}}
		run := func(target string, by harness.Scheduler) *harness.Program {
			e, err := tree(t).Emit(g, harness.EmitOptions{Target: target, Scheduler: by})
			if err != nil {
				t.Fatal(err)
			}
			p, err := tree(t).Link(e)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		want, err := run("host", harness.Root()).Run(in, out)
		if err != nil {
			t.Fatal(err)
		}
		s, err := run("host-cuda-cuda_capability_75", harness.Gowarp(nil)).Simulate(in, out, 75)
		switch {
		case err != nil:
			t.Fatal(err)
		case s.Failure != nil:
			t.Fatalf("triangle %s: %v", triangle, s.Failure)
		case s.Report.Wrong():
			t.Errorf("triangle %s: %v %v", triangle, s.Report.Findings, s.Report.Errors)
		}
		if err := harness.Compare(s.Results["out"], want["out"], harness.Tolerance{}); err != nil {
			t.Errorf("triangle %s: %v", triangle, err)
		}
	}
}

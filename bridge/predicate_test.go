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
		_, cpu := built(t, g, "host", harness.Root())
		want, err := cpu.Run(in, out)
		if err != nil {
			t.Fatal(err)
		}
		_, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
		simulated(t, cuda, in, out, want["out"], harness.Tolerance{}, "triangle "+triangle)
	}
}

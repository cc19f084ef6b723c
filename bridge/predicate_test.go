//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestPredicateReads: a schedule asks an input for no more than the predicate of a domain lets through; one as large as that runs, and gives what the CPU gives.
func TestPredicateReads(t *testing.T) {
	for _, c := range []struct {
		which        string
		scale, width int
	}{{"sum", 1, 90}, {"triangle", 1, 70}, {"band", 1, 51}, {"sum", 7, 630}, {"triangle", 9, 630}, {"band", 11, 561}} {
		g := harness.Generator{Source: "bridge/testdata/corner.cc", Name: "corner", Params: map[string]string{"which": c.which, "scale": fmt.Sprint(c.scale)}}
		in := harness.Args{"image": noise(rand.New(rand.NewPCG(3, 4)), c.width, 70*c.scale)}
		out := map[string][]int{"out": {8}}
		_, cpu := built(t, g, "host", harness.Root())
		want, err := cpu.Run(in, out)
		if err != nil {
			t.Fatal(err)
		}
		cuda := linked(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
		simulated(t, cuda, in, out, want["out"], harness.Tolerance{}, fmt.Sprintf("%s, %d times the size", c.which, c.scale))
	}
}

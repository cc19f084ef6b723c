//go:build halide

package bridge

import (
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestRoots: what is read at places of which Halide finds ends that are no numbers is computed where it is read, as a user's schedule does, and not stored: a run would find extents below 0, and end.
func TestRoots(t *testing.T) {
	t.Parallel()
	g := harness.Generator{Source: "bridge/testdata/roots.cc", Name: "roots"}
	_, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
	_, cpu := built(t, g, "host", harness.Unscheduled())
	rng := rand.New(rand.NewPCG(43, 47))
	inputs := func(size []int) (harness.Args, map[string][]int) {
		return harness.Args{"in": filled(harness.F32, func() float64 { return float64(rng.IntN(64)) }, 512, 16)}, map[string][]int{"out": size}
	}
	sameAtSizes(t, p, cpu, inputs, harness.Tolerance{}, []int{128, 64}, []int{1, 1}, []int{131, 37})
}

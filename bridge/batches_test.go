//go:build halide

package bridge

import (
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestBatches: where points along the outermost of four dimensions are a thread's, whose loop over blocks shares a dimension of the grid with another, whole groups of points run at every size: results are a CPU's, and at sizes that
// are no whole groups a convolution takes little more instructions than a schedule by hand (1.08 and 1.13 times, where a point a thread takes twice as many).
func TestBatches(t *testing.T) {
	t.Parallel()
	const target = "host-cuda-cuda_capability_75"
	generator := func(byHand string) harness.Generator {
		return harness.Generator{Source: "bridge/testdata/batches.cc", Name: "batches", Params: map[string]string{"by_hand": byHand}}
	}
	e, by := built(t, generator("false"), target, harness.Gowarp(nil))
	_, cpu := built(t, generator("false"), "host", harness.Root())
	hand, _ := built(t, generator("true"), target, harness.Unscheduled())
	rng := rand.New(rand.NewPCG(37, 41))
	inputs := func(size []int) (harness.Args, map[string][]int) {
		value := func() float64 { return float64(rng.IntN(17) - 8) }
		in := filled(harness.F32, value, 2*size[0], 2*size[1], 8, size[2])
		return harness.Args{"in": in, "weights": filled(harness.F32, value, 3, 3, 8, 16)}, map[string][]int{"out": {size[0], size[1], 16, size[2]}}
	}
	sameAtSizes(t, by, cpu, inputs, harness.Tolerance{}, []int{32, 8, 2}, []int{1, 1, 1}, []int{33, 7, 3})
	for _, size := range [][]int{{100, 75, 2}, {99, 41, 2}} {
		in, out := inputs(size)
		ours, his := float64(issued(t, e, in, out)), float64(issued(t, hand, in, out))
		t.Logf("%v: %.2f of the instructions by hand", size, ours/his)
		if ours > 1.2*his {
			t.Errorf("%v: %.2f times the instructions by hand", size, ours/his)
		}
	}
}

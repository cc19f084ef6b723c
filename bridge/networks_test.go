//go:build halide

package bridge

import (
	"math"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestNetworks: where stages read a short dimension across itself a thread has all of it, in registers. At any size the output is what a CPU makes of it, without findings of the simulator, and at
// the estimated one it takes no more instructions than the schedule by hand that does so, a point a thread.
func TestNetworks(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	for _, kind := range suite.Sampled([]string{"first", "last", "median", "butterflies", "twice", "streams"}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			generator := func(byHand string) harness.Generator {
				return harness.Generator{Source: "bridge/testdata/networks.cc", Name: "networks", Params: map[string]string{"kind": kind, "by_hand": byHand}}
			}
			_, cpu := built(t, generator("false"), "host", harness.Root())
			e, by := built(t, generator("false"), target, harness.Gowarp(nil))
			rng := rand.New(rand.NewPCG(19, uint64(len(kind))))
			inputs := func(size []int) (harness.Args, map[string][]int) {
				in, out := []int{size[0] + 1, size[1], 8}, []int{size[0], size[1], 8}
				switch kind {
				case "first":
					in, out = []int{8, size[0], size[1]}, []int{8, size[0], size[1]}
				case "butterflies":
					in, out = []int{16, size[0], size[1]}, []int{16, size[0], size[1]}
				case "streams":
					in, out = []int{size[0], size[1], 9}, []int{size[0], size[1], 9}
				case "median", "twice":
					out = size
				}
				return harness.Args{"input": filled(harness.I32, func() float64 { return math.Floor(200 * rng.Float64()) }, in...)}, map[string][]int{"out": out}
			}
			sameAtSizes(t, by, cpu, inputs, harness.Tolerance{}, []int{128, 64}, []int{1, 1}, []int{7, 40}, []int{131, 37})
			hand, _ := built(t, generator("true"), target, harness.Unscheduled())
			in, out := inputs([]int{128, 64})
			ours, his := float64(issued(t, e, in, out)), float64(issued(t, hand, in, out))
			t.Logf("%.2f of the instructions by hand", ours/his)
			if ours > his {
				t.Errorf("%.2f times the instructions by hand", ours/his)
			}
		})
	}
}

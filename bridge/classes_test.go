//go:build halide

package bridge

import (
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestClasses: what all points of a short dimension have in common a thread computes once, in one launch, and then goes through them; any number of them, of any size, is what a CPU makes of it.
func TestClasses(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	for _, kind := range []string{"softmax", "norm"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/classes.cc", Name: "classes", Params: map[string]string{"kind": kind}}
			_, cpu := built(t, g, "host", harness.Root())
			e, by := built(t, g, target, harness.Gowarp(nil))
			rng := rand.New(rand.NewPCG(21, uint64(len(kind))))
			inputs := func(size []int) (harness.Args, map[string][]int) {
				return harness.Args{"in": filled(harness.F32, func() float64 { return 4 * rng.Float64() }, size...)}, map[string][]int{"out": size}
			}
			sameAtSizes(t, by, cpu, inputs, harness.Tolerance{Rel: 1e-4, Abs: 1e-5}, []int{256, 64, 21}, []int{1, 1, 1}, []int{33, 7, 5}, []int{130, 19, 40}, []int{61, 2, 100})
			in, out := inputs([]int{256, 64, 21})
			if launches := len(fullRun(t, e, in, out)); launches != 1 {
				t.Errorf("%d launches", launches)
			}
		})
	}
}

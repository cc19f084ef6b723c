//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestRootPlaces: places that a root or a logarithm says, times a scalar of floats, are scheduled, with a CPU's results at any size; only a scalar without an estimate is said to have none.
func TestRootPlaces(t *testing.T) {
	t.Parallel()
	generator := func(logarithm, estimated bool) harness.Generator {
		return harness.Generator{Source: "bridge/testdata/rootplaces.cc", Name: "rootplaces", Params: map[string]string{"logarithm": fmt.Sprint(logarithm), "estimated": fmt.Sprint(estimated)}}
	}
	for _, logarithm := range []bool{false, true} {
		_, cpu := built(t, generator(logarithm, true), "host", harness.Root())
		_, by := built(t, generator(logarithm, true), "host-cuda-cuda_capability_75", harness.Gowarp(nil))
		rng := rand.New(rand.NewPCG(3, 4))
		sameAtSizes(t, by, cpu, func(size []int) (harness.Args, map[string][]int) {
			return harness.Args{"input": filled(harness.U16, func() float64 { return float64(rng.IntN(1 << 16)) }, 1024), "rate": 8}, map[string][]int{"out": size}
		}, harness.Tolerance{}, []int{200, 150}, []int{1, 1}, []int{131, 37})
	}
	_, err := tree(t).Emit(generator(false, false), harness.EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: harness.Gowarp(nil), Outputs: []string{"schedule"}})
	if err == nil || !strings.Contains(err.Error(), "depends on rate, which has no estimate; add rate.set_estimate(VALUE)") {
		t.Errorf("error %v", err)
	}
}

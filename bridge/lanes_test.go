//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestLanes: reductions of which neighbours along the first argument load far apart give what a CPU makes of them, at the estimated size and at others, without findings of the simulator, and ask for hardly more
// sectors than their twins do whose arguments are in the order of what they load.
func TestLanes(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	for _, kind := range suite.Sampled([]string{"matching", "product", "update"}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			generator := func(friendly bool) harness.Generator {
				return harness.Generator{Source: "bridge/testdata/lanes.cc", Name: "lanes", Params: map[string]string{"kind": kind, "friendly": fmt.Sprint(friendly)}}
			}
			_, cpu := built(t, generator(false), "host", harness.Root())
			e, by := built(t, generator(false), target, harness.Gowarp(nil))
			twin, _ := built(t, generator(true), target, harness.Gowarp(nil))
			rng := rand.New(rand.NewPCG(13, uint64(len(kind))))
			inputs := func(size []int) (harness.Args, map[string][]int) {
				return harness.Args{"input": noise(rng, size...)}, map[string][]int{"out": size}
			}
			sameAtSizes(t, by, cpu, inputs, harness.Tolerance{}, []int{256, 192}, []int{1, 1}, []int{7, 40}, []int{131, 37})
			in, out := inputs([]int{256, 192})
			sectors := func(e *harness.Emission) (n int64) {
				for _, k := range fullRun(t, e, in, out) {
					n += k.Count.GlobalLoadSectors + k.Count.GlobalStoreSectors
				}
				return n
			}
			a, b := sectors(e), sectors(twin)
			if float64(a) > 1.3*float64(b) {
				t.Errorf("%d sectors, and %d with arguments in the order of what is loaded", a, b)
			}
		})
	}
}

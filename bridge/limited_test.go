//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestConditionsBoundInputs: what the conditions of a reduction's domain rule out is not asked of an input, however the domain's loops are split: an input of exactly the size that
// the pipeline reads without a schedule does.
func TestConditionsBoundInputs(t *testing.T) {
	for by, size := range map[string]func(count int) [2]int{
		"histogram": func(count int) [2]int { return [2]int{max(count, 1), 1} },
		"sum":       func(count int) [2]int { return [2]int{max(count, 1), 2} },
	} {
		t.Run(by, func(t *testing.T) {
			g := harness.Generator{Source: "bridge/testdata/limited.cc", Name: "limited", Params: map[string]string{"by": by}}
			_, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
			_, cpu := built(t, g, "host", harness.Root())
			for _, count := range []int{1000, 300, 33, 7, 2, 0} {
				n := size(count)
				in, shapes := harness.Args{"input": noise(rand.New(rand.NewPCG(8, uint64(count))), n[0], n[1]), "count": count}, map[string][]int{"out": {16}}
				simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Tolerance{}, fmt.Sprint(count))
			}
		})
	}
}

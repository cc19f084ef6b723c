//go:build halide

package bridge

import (
	"math"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestTupleWidths: a sum of two values of different widths is what a CPU makes of it, in a kernel whose shared memory would hold it with others: Halide 21 loses the first of two stores there (legality's
// rule tuple-widths).
func TestTupleWidths(t *testing.T) {
	g := harness.Generator{Source: "bridge/testdata/tuplewidths.cc", Name: "tuplewidths"}
	params := map[string]string{"gpu": "rtx2080ti", "shared_memory_limit_kb": "4", "parallelism": "1"}
	_, cpu := built(t, g, "host", harness.Root())
	_, by := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(params))
	rng := rand.New(rand.NewPCG(13, 1))
	in := harness.Args{"input": filled(harness.I32, func() float64 { return math.Floor(100 * rng.Float64()) }, 64, 64)}
	for _, size := range [][]int{{64, 9}, {45, 3}, {1, 1}} {
		shapes := map[string][]int{"out": size}
		simulated(t, by, in, shapes, onCPU(t, cpu, in, shapes), harness.Tolerance{}, size)
	}
}

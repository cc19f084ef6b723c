//go:build halide

package bridge

import (
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestUnbounded: where Halide finds no bounds of what is read once a Func is inlined, that one is stored and all others are fused as before: not every Func has a kernel, and the results are those of a CPU.
func TestUnbounded(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	g := harness.Generator{Source: "bridge/testdata/bit_reversal.cc", Name: "bit_reversal"}
	_, cpu := built(t, g, "host", harness.Root())
	e, by := built(t, g, target, harness.Gowarp(nil))
	rng := rand.New(rand.NewPCG(3, 1))
	for _, rows := range []int{2048, 1, 77} {
		in := harness.Args{"input": filled(harness.F32, rng.Float64, 64, rows, 2)}
		out := map[string][]int{"out": {64, rows, 2}}
		want := onCPU(t, cpu, in, out)
		simulated(t, by, in, out, want, harness.Tolerance{Rel: 1e-4, Abs: 1e-4}, rows)
		if rows > 2000 {
			if kernels := len(fullRun(t, e, in, out)); kernels > 6 {
				t.Errorf("%d kernels of 9 Funcs", kernels)
			}
		}
	}
}

//go:build halide

package bridge

import (
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestApartBytes: where LLVM aborts on bytes and booleans that it has combined by fours, the generator lives on, and the kernel gives a CPU's result at any size.
func TestApartBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 31))
	for _, c := range suite.Sampled([]struct {
		halide string
		as     harness.DType
		values int
	}{{"bool", harness.Bool, 2}, {"uint8", harness.U8, 256}}) {
		g := harness.Generator{Source: "bridge/testdata/erosion.cc", Name: "erosion", Params: map[string]string{"in.type": c.halide, "out.type": c.halide}}
		_, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
		_, cpu := built(t, g, "host", harness.Root())
		inputs := func(size []int) (harness.Args, map[string][]int) {
			value := func() float64 { return float64(min(rng.IntN(8*c.values), c.values-1)) }
			return harness.Args{"in": filled(c.as, value, size...)}, map[string][]int{"out": size}
		}
		sameAtSizes(t, p, cpu, inputs, harness.Tolerance{}, []int{128, 64}, []int{1, 1}, []int{131, 37})
	}
}

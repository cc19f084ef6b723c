//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestNeverPartition: of a kernel that computes the same everywhere there is less code where its loops are one piece each, with the CPU's results
// and nothing found, at sizes that divide nothing.
func TestNeverPartition(t *testing.T) {
	g := harness.Generator{Source: "bridge/testdata/turned.cc", Name: "turned"}
	_, cpu := built(t, g, "host", harness.Root())
	length := map[string]int{}
	for what, s := range map[string]harness.Scheduler{
		"whole":       harness.Gowarp(nil),
		"partitioned": harness.Gowarp(map[string]string{"schedule": lacking(t, g, nil, "never_partition_all")}),
	} {
		e, p := built(t, g, "host-cuda-cuda_capability_75", s)
		code, err := e.PTX()
		if err != nil {
			t.Fatal(err)
		}
		length[what] = len(code)
		rng := rand.New(rand.NewPCG(6, 4))
		for _, n := range []int{128, 61, 7} {
			in := harness.Args{"in": filled(harness.F32, func() float64 { return float64(rng.IntN(17) - 8) }, n+11, n+11)}
			shapes := map[string][]int{"out": {n, n}}
			want := onCPU(t, cpu, in, shapes)
			simulated(t, p, in, shapes, want, harness.Default, fmt.Sprintf("%s at %d", what, n))
		}
	}
	if length["whole"] >= length["partitioned"] {
		t.Errorf("bytes of PTX: %v", length)
	}
}

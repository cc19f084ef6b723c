//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestOperands: a sum over 27 places of two pictures, for several points a thread, does not stand in the code as a whole: the compilers load what it needs early,
// and keep kilobytes of it in local memory (4,968 B a thread before). What is computed stays what the CPU computes.
func TestOperands(t *testing.T) {
	const most = 1200
	g := harness.Generator{Source: "bridge/testdata/patches.cc", Name: "patches"}
	_, cpu := built(t, g, "host", harness.Root())
	rng := rand.New(rand.NewPCG(3, 9))
	for _, device := range []string{"rtx3090", "h100"} {
		t.Run(device, func(t *testing.T) {
			e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"gpu": device, "separate": "0"})) // by parts the sum is others
			for _, u := range uses(t, e, 86) {
				if u.SpillBytes() > most {
					t.Errorf("%s spills %d B, not at most %d", u.Kernel, u.SpillBytes(), most)
				}
			}
			for _, size := range [][2]int{{128, 32}, {67, 13}, {3, 2}} {
				in := harness.Args{"video": noise(rng, size[0], size[1], 3, 5)}
				shapes := map[string][]int{"out": {size[0], size[1], 3, 3}}
				simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Default, fmt.Sprintf("%s at %v", device, size))
			}
		})
	}
}

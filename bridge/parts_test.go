//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestParts: a lane whose rows load much and exchange little computes one row after the other, each in a basic block of its own. In one block for all ptxas loads for
// all of them first: of the two tiles it spilled 1,986 and 384 B a thread for capability 9.0. The results stay those of the CPU, at whole tiles, at others, and at less than one.
func TestParts(t *testing.T) {
	g := harness.Generator{Source: "bridge/testdata/matching.cc", Name: "matching"}
	_, cpu := built(t, g, "host", harness.Root())
	rng := rand.New(rand.NewPCG(7, 2))
	for tile, most := range map[string]int{"4x8x1": 1000, "2x16x1": 200} {
		t.Run(tile, func(t *testing.T) {
			e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(map[string]string{"gpu": "h100", "tiling": "warp-registers", "warp_tile": tile}))
			for _, u := range uses(t, e, 90) {
				if u.SpillBytes() > most {
					t.Errorf("%s spills %d B, not at most %d", u.Kernel, u.SpillBytes(), most)
				}
			}
			for _, size := range [][2]int{{256, 64}, {131, 77}, {7, 5}} {
				in := harness.Args{"left": noise(rng, size[0], size[1], 3), "right": noise(rng, size[0], size[1], 3)}
				shapes := map[string][]int{"out": {size[0], size[1], 5}}
				simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Default, fmt.Sprintf("%s at %v", tile, size))
			}
		})
	}
}

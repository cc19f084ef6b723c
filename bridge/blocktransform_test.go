//go:build halide

package bridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestBlockTransforms: transforms of blocks of 8x8 points, and of others, give what a CPU makes of them, at the estimated size and at others, without findings of the simulator: an input has no more than the blocks
// that are read. Their threads compute several points side by side, which takes at most .6 of the instructions of a point a thread where the side of a block is even.
func TestBlockTransforms(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	for _, c := range suite.Sampled([]struct {
		side            int
		columns, floats bool
	}{{8, true, false}, {8, false, true}, {4, true, true}, {6, true, false}, {7, true, false}, {16, false, false}, {8, true, true}}) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/block_transform.cc", Name: "block_transform", Params: map[string]string{"side": fmt.Sprint(c.side), "columns": fmt.Sprint(c.columns), "floats": fmt.Sprint(c.floats)}}
			_, cpu := built(t, g, "host", harness.Root())
			e, by := built(t, g, target, harness.Gowarp(nil))
			rng := rand.New(rand.NewPCG(5, uint64(c.side)))
			below := func(n float64) func() float64 {
				return func() float64 { return math.Floor(2*n*rng.Float64() - n) } // sums of products are exact in floats too
			}
			arguments := func(blocks []int) (harness.Args, map[string][]int) {
				in := harness.Args{"coefficients": filled(harness.I16, below(100), c.side, c.side, blocks[0], blocks[1]), "basis": filled(harness.I32, below(9), c.side, c.side)}
				return in, map[string][]int{"out": {c.side * blocks[0], c.side * blocks[1]}}
			}
			sameAtSizes(t, by, cpu, arguments, harness.Tolerance{}, []int{64, 48}, []int{1, 1}, []int{7, 5}, []int{33, 10})
			if c.side%2 != 0 {
				return
			}
			one, _ := built(t, g, target, harness.Gowarp(map[string]string{"tiling": "block"}))
			in, out := arguments([]int{64, 48})
			if several, single := issued(t, e, in, out), issued(t, one, in, out); float64(several) > .6*float64(single) {
				t.Errorf("%d warp instructions, and %d with a point a thread", several, single)
			}
		})
	}
}

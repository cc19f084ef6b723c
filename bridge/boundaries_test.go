//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestBoundariesOfTiles: under each boundary condition a tile of a warp gives what the CPU gives, at sizes of whole tiles, of none, and smaller than one; and where it lies
// inside it computes no place outside, whatever such a place would be: an image of many tiles takes hardly more integer operations than under a clamp (1.4 to 1.5 times, for the tiles at its edges; 2.3 to 2.8 if all
// tiles choose).
func TestBoundariesOfTiles(t *testing.T) {
	params := map[string]string{"tiling": "warp-registers", "warp_tile": "2x4x2"}
	integer := map[string]float64{}
	for _, boundary := range []string{"repeat_edge", "mirror_image", "mirror_interior", "repeat_image", "constant_exterior"} {
		g := harness.Generator{Source: "bridge/testdata/boundaries.cc", Name: "boundaries", Params: map[string]string{"boundary": boundary}}
		e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(params))
		_, cpu := built(t, g, "host", harness.Root())
		rng := rand.New(rand.NewPCG(3, 1))
		for _, size := range [][2]int{{120, 24}, {131, 77}, {7, 5}, {61, 1}} {
			in := harness.Args{"input": noise(rng, size[0], size[1], 3)}
			shapes := map[string][]int{"out": {size[0], size[1], 3}}
			want := onCPU(t, cpu, in, shapes)
			simulated(t, p, in, shapes, want, harness.Tolerance{}, fmt.Sprintf("%s at %v", boundary, size))
		}
		shapes := map[string][]int{"out": {1220, 160, 1}}
		for _, k := range fullRun(t, e, harness.Args{"input": noise(rng, 1220, 160, 1)}, shapes) {
			integer[boundary] += float64(k.Count.Integer)
		}
	}
	for boundary, n := range integer {
		t.Logf("%s: %.2f of the clamp's integer operations", boundary, n/integer["repeat_edge"])
		if n > 1.8*integer["repeat_edge"] {
			t.Errorf("%s: %.2f of the clamp's integer operations", boundary, n/integer["repeat_edge"])
		}
	}
}

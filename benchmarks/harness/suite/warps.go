package suite

import (
	"fmt"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/rows"
)

// warpParams ask for tiles of warps, and for the coster that tells their kernels apart.
var warpParams = map[string]string{"tiling": "warp-registers", "cost": "issue"}

// warps runs the program on the simulator with a tile a warp wherever a group can be run so: right, with no
// finding, at a size that is no multiple of any tile and at one smaller than a tile. Random pipelines
// run on older capabilities too.
func (p Program) warps(t *testing.T, tree *harness.Tree) {
	size := p.Simulated
	if size == [2]int{} {
		size = [2]int{163, 75}
	}
	_, root := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: harness.Root()})
	const capability = 86
	for _, size := range [][2]int{size, p.Sizes[len(p.Sizes)-1]} {
		in, out := p.Inputs(t, tree, size[0], size[1])
		want := run(t, root, in, out)
		t.Run(fmt.Sprintf("%dx%d/sm_%d", size[0], size[1], capability), func(t *testing.T) {
			o := harness.EmitOptions{Target: fmt.Sprintf("host-cuda-cuda_capability_%d", capability), Scheduler: harness.Gowarp(warpParams)}
			seen, text := p.simulate(t, tree, o, capability, in, out, want, rows.Row{Figures: map[string]float64{}}.Figures)
			if seen != right {
				t.Errorf("%s\n%s", seen, text)
				return
			}
			t.Log(text)
		})
	}
}

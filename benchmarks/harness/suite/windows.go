package suite

import (
	"fmt"
	"testing"

	"gowarp/benchmarks/harness"
)

// windowSizes are the sizes at which tiling=block-window runs: of whole groups of points, of
// no whole groups, and smaller than a tile.
var windowSizes = func(p Program) [][2]int {
	size := p.Simulated
	if size == [2]int{} {
		size = [2]int{163, 75}
	}
	whole := [2]int{size[0] / 16 * 16, size[1] / 16 * 16}
	return [][2]int{whole, size, p.Sizes[len(p.Sizes)-1]}
}

// windowParams ask for the tiling.
var windowParams = map[string]string{"tiling": "block-window"}

// windows runs the program on the simulator, and through OpenCL, with several points a thread: right, with
// no finding, whatever the size.
func (p Program) windows(t *testing.T, tree *harness.Tree) {
	t.Run("source", func(t *testing.T) { p.source(t, tree, harness.Gowarp(windowParams)) })
	_, opencl := p.emit(t, tree, harness.EmitOptions{Target: "host-opencl", Scheduler: harness.Gowarp(windowParams)})
	_, root := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: harness.Root()})
	for _, size := range windowSizes(p) {
		in, out := p.Inputs(t, tree, size[0], size[1])
		want := run(t, root, in, out)
		t.Run(fmt.Sprintf("%dx%d/opencl", size[0], size[1]), func(t *testing.T) {
			p.compare(t, "against the CPU", run(t, opencl, in, out), want)
		})
		for _, capability := range simulatedCapabilities {
			t.Run(fmt.Sprintf("%dx%d/sm_%d", size[0], size[1], capability), func(t *testing.T) {
				o := harness.EmitOptions{Target: fmt.Sprintf("host-cuda-cuda_capability_%d", capability), Scheduler: harness.Gowarp(windowParams)}
				seen, text := p.simulate(t, tree, o, capability, in, out, want, map[string]float64{})
				if seen != right {
					t.Errorf("%s\n%s", seen, text)
					return
				}
				e, err := tree.Emit(p.Generator, o)
				if err != nil {
					t.Fatal(err)
				}
				uses, err := tree.CheckPTX(e, capability)
				if err != nil {
					t.Error(err)
				}
				for _, u := range uses {
					text += fmt.Sprintf("%s: %d registers, %d B of spills\n", u.Kernel, u.Registers, u.SpillStores+u.SpillLoads)
				}
				t.Log(text)
			})
		}
	}
}

//go:build halide

package programs

import (
	"fmt"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestAnySize: where an output's extents are no multiples of the points of a thread, the special case for such runs all the same, on as many
// blocks: it does as much work but at the edges, the result is the CPU's, and no two threads store a point, which in floats
// would be a race. Fewer points than a thread's take the general way.
func TestAnySize(t *testing.T) {
	const most = 1.3 // times the work at whole sizes; without it 1.5 to 3
	shapes := map[string][]int{"line": {}, "channels": {3}}
	var programs []suite.Program
	for _, form := range []string{"plain", "clamped", "window", "pair", "line", "channels"} {
		programs = append(programs, suite.Program{
			Generator: harness.Generator{Source: "benchmarks/programs/testdata/any_size.cc", Name: "any_size", Params: map[string]string{"form": form}},
			Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
				image := suite.Map(suite.Photograph(t, tree, w+4, h+4), harness.F32, 0, func(r, g, b, _ int) float64 { return float64(r)/7 + float64(g*b)/1001 })
				shape := []int{w, h}
				if more, ok := shapes[form]; ok {
					shape = append(shape[:2-1+min(1, len(more))], more...)
				}
				if form == "pair" {
					return harness.Args{"input": image}, map[string][]int{"output.0": shape, "output.1": shape}
				}
				return harness.Args{"input": image}, map[string][]int{"output": shape}
			},
		})
	}
	for i, p := range programs {
		name := p.Generator.Name
		if form := p.Generator.Params["form"]; form != "" {
			name = form
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sm := []int{75, 86}[i%2]
			work := func(sizes ...[2]int) float64 {
				h := newHybridRuns(t, p, sm, sizes)
				_, program := h.emit(harness.EmitOptions{Target: fmt.Sprintf("host-cuda-cuda_capability_%d", sm), Scheduler: harness.Gowarp(map[string]string{"tiling": "block-window"})})
				n := h.simulate("tiling=block-window", program)
				return float64(n.WarpInstructions)
			}
			whole, odd := work([2]int{512, 256}), work([2]int{509, 253})
			t.Logf("%.2f times the work", odd/whole)
			if odd > most*whole {
				t.Errorf("%.2f times the work at a size of no whole groups of points", odd/whole)
			}
			work([2]int{130, 2}, [2]int{3, 90}, [2]int{1, 1})
		})
	}
}

//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestPyramidBlend(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: stock("pyramid_blend"),
		Reference: "benchmarks/programs/pyramid_blend/reference.py",
		Scales:    images,
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			other, err := tree.Photograph("chelsea", w, h)
			if err != nil {
				t.Fatal(err)
			}
			// A disc with a hard edge.
			mask := suite.Table(harness.F32, func(i int) float64 {
				if dx, dy := 2*(i%w)-w, 2*(i/w)-h; 4*(dx*dx+dy*dy) < w*h {
					return 1
				}
				return 0
			}, w, h)
			return harness.Args{"first": suite.Colours(suite.Photograph(t, tree, w, h)), "second": suite.Colours(other), "mask": mask},
				map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     sizes,
		Estimated: [2]int{1536, 2560},
		// No Tiny: inlined, a point of the output reads 16^3 pixels of each input many times over.
		Tolerance: harness.Default,
		Simulated: [2]int{131, 77},
		Peers:     map[string]string{"Mullapudi2016": "cannot launch"},
		Untried:   map[string]string{"Anderson2021": "it takes minutes to schedule this"},
	})
}

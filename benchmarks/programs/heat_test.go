//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestHeat(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: stock("heat"),
		Reference: "benchmarks/programs/heat/reference.py",
		Scales:    []suite.Scale{scale("width", 64, "height", 64), scale("width", 512, "height", 512)},
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			// As deep as the generator says where that matters: at sizes that are estimated.
			d := min((w+h)/8+1, 23)
			if w == h {
				d = 256
			}
			photo := suite.Photograph(t, tree, w, h)
			box := suite.Table(harness.F32, func(i int) float64 { return float64((int(photo.Data[i%(w*h)])+31*(i/(w*h)))&255) / 255 }, w, h, d)
			return harness.Args{"input": box, "rate": 0.125}, map[string][]int{"output": {w, h, d}}
		},
		Sizes:     [][2]int{{131, 77}, {33, 9}, {7, 5}},
		Estimated: [2]int{256, 256},
		Tiny:      [2]int{7, 5},
		Tolerance: harness.Default,
		Simulated: [2]int{67, 40},
		Peers:     map[string]string{"Mullapudi2016": "fails"}, // its tile is deeper than the box
		Untried:   map[string]string{"Anderson2021": "it takes half a minute to schedule this, and its tile is deeper than the box"},
	})
}

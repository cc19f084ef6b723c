//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestBilateralGrid(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/bilateral_grid/bilateral_grid.cc", Name: "bilateral_grid"},
		Reference: "benchmarks/programs/bilateral_grid/reference.py",
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			// With a range of .1 no level of 8 bits lies where rounding decides on its cell.
			gray := suite.Map(suite.Photograph(t, tree, w, h), harness.F32, 0, func(_, g, _, _ int) float64 { return float64(g) / 255 })
			return harness.Args{"input": gray, "range": 0.1}, map[string][]int{"output": {w, h}}
		},
		Sizes:     sizes,
		Expert:    suite.Expert{Counted: [2]int{768, 512}},
		Estimated: [2]int{1536, 2560},
		Tiny:      [2]int{7, 5},
		Tolerance: harness.Default,
		Peers:     map[string]string{"Mullapudi2016": "cannot launch"}, // 64x32 threads a block
		Untried:   map[string]string{"Anderson2021": "it takes half a minute to schedule this"},
	})
}

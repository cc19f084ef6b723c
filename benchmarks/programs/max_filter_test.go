//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestMaxFilter(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/max_filter/max_filter.cc", Name: "max_filter"},
		Reference: "benchmarks/programs/max_filter/reference.py",
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			return harness.Args{"input": suite.Colours(suite.Photograph(t, tree, w, h))}, map[string][]int{"output": {w, h, 3}}
		},
		// The disc is 53 pixels wide.
		Sizes:     [][2]int{{256, 192}, {231, 140}, {131, 77}, {33, 9}, {7, 5}},
		Expert:    suite.Expert{Counted: [2]int{768, 512}},
		Estimated: [2]int{1536, 2560},
		Tiny:      [2]int{7, 5},
	})
}

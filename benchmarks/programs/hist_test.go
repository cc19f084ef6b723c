//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestHist(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/hist/hist.cc", Name: "hist"},
		Reference: "benchmarks/programs/hist/reference.py",
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			return harness.Args{"input": suite.Photograph(t, tree, w, h)}, map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     sizes,
		Expert:    suite.Expert{Counted: [2]int{768, 512}, Sizes: [][2]int{{259, 150}, {7, 5}}},
		Estimated: [2]int{1536, 2560},
		Tiny:      [2]int{7, 5},
	})
}

//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestHarris(t *testing.T) {
	suite.Run(t, harris())
}

func harris() suite.Program {
	return suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/harris/harris.cc", Name: "harris"},
		Reference: "benchmarks/programs/harris/reference.py",
		Scales:    images,
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			return harness.Args{"input": suite.Photograph(t, tree, w, h)}, map[string][]int{"output": {w, h}}
		},
		Sizes:     sizes,
		Estimated: [2]int{1536, 2560},
		Expert:    suite.Expert{Counted: [2]int{768, 512}, Sizes: [][2]int{{259, 150}, {60, 28}}},
		Tiny:      [2]int{33, 9},
		// Responses are below 1 and mostly below 1e-3: closer than the usual 1e-5.
		Tolerance: harness.Tolerance{Rel: 1e-5, Abs: 1e-6},
	}
}

//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestCanny(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: stock("canny"),
		Reference: "benchmarks/programs/canny/reference.py",
		Scales:    []suite.Scale{scale("width", 192, "height", 320), scale("width", 4096, "height", 4096)},
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			return harness.Args{"input": suite.Photograph(t, tree, w, h), "weak": 40, "strong": 100}, map[string][]int{"output": {w, h}}
		},
		Sizes:     sizes,
		Estimated: [2]int{1536, 2560},
		// No Tiny: inlined, a point of the output reads its neighbourhood of 13x13 pixels thousands of times over.
	})
}

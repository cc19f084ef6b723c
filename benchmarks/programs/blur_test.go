//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestBlur(t *testing.T) {
	suite.Run(t, blur("blur", harness.U16, harness.Tolerance{}))
}

func TestBlurFloat(t *testing.T) {
	suite.Run(t, blur("blur_f32", harness.F32, harness.Default))
}

func blur(name string, sample harness.DType, tolerance harness.Tolerance) suite.Program {
	return suite.Program{
		Generator: harness.Generator{Source: stock("blur").Source, Name: name},
		Reference: "benchmarks/programs/blur/reference.py",
		Scales:    []suite.Scale{scale("width", 192, "height", 320), scale("width", 4096, "height", 4096)},
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			// All 16 bits are used.
			image := suite.Map(suite.Photograph(t, tree, w+2, h+2), sample, 3, func(r, g, b, c int) float64 { return 257 * float64([]int{r, g, b}[c]) })
			return harness.Args{"input": image}, map[string][]int{"output": {w, h, 3}}
		},
		Sizes: sizes,
		// Whole tiles of 64x32: where two overlap, the sums of f32 are rounded in two orders.
		Expert:    suite.Expert{Counted: [2]int{768, 512}, Sizes: [][2]int{{256, 160}}},
		Estimated: [2]int{1536, 2560},
		Tiny:      [2]int{33, 9},
		Tolerance: tolerance,
	}
}

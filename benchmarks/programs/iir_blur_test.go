//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestIIRBlur(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/iir_blur/iir_blur.cc", Name: "iir_blur"},
		Reference: "benchmarks/programs/iir_blur/reference.py",
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			photo := suite.Map(suite.Photograph(t, tree, w, h), harness.F32, 3, func(r, g, b, c int) float64 {
				return float64([]int{r, g, b}[c]) / 255
			})
			return harness.Args{"input": photo, "weight": 0.1}, map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     sizes,
		Expert:    suite.Expert{Counted: [2]int{1536, 2560}, Sizes: [][2]int{{67, 40}, {32, 32}}},
		Estimated: [2]int{1536, 2560},
		Tiny:      [2]int{7, 5},
		Tolerance: harness.Default,
		Simulated: [2]int{67, 40},
		Peers:     map[string]string{"Mullapudi2016": "out-of-bounds"},
	})
}

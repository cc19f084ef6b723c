//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestLocalLaplacian(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/local_laplacian/local_laplacian.cc", Name: "local_laplacian"},
		Reference: "benchmarks/programs/local_laplacian/reference.py",
		Scales:    images,
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			photo := suite.Map(suite.Photograph(t, tree, w, h), harness.U16, 3, func(r, g, b, c int) float64 {
				return 257 * float64([]int{r, g, b}[c])
			})
			return harness.Args{"input": photo, "detail": 0.8, "contrast": 0.9}, map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     [][2]int{{256, 192}, {131, 77}, {7, 5}},
		Expert:    suite.Expert{Counted: [2]int{768, 512}},
		Estimated: [2]int{1536, 2560},
		// No Tiny: inlined, a point of the output reads 16^7 pixels.
		Tolerance: harness.Default,
		Simulated: [2]int{67, 40},
		Untried:   map[string]string{"Anderson2021": "it takes minutes and gigabytes to schedule this"},
		Peers:     map[string]string{"Mullapudi2016": "out-of-bounds"}, // a buffer for a thread dimension that is indexed by two
	})
}

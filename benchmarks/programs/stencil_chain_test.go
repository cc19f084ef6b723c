//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestStencilChain(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/stencil_chain/stencil_chain.cc", Name: "stencil_chain"},
		Reference: "benchmarks/programs/stencil_chain/reference.py",
		// Shorter, since Halide lowers a kernel of two stencils for seconds.
		Scales: []suite.Scale{{Size: [2]int{192, 320}, Params: map[string]string{"width": "192", "height": "320", "stencils": "12"}}, images[1]},
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			// All 16 bits in use.
			gray := suite.Map(suite.Photograph(t, tree, w, h), harness.U16, 0, func(r, g, b, _ int) float64 { return float64(g<<8 | (r^b)&255) })
			return harness.Args{"input": gray}, map[string][]int{"output": {w, h}}
		},
		Sizes:     [][2]int{{300, 200}, {131, 77}, {33, 9}, {7, 5}},
		Expert:    suite.Expert{Counted: [2]int{768, 512}, Sizes: [][2]int{{131, 77}, {124, 60}}},
		Estimated: [2]int{1536, 2560},
		// No Tiny: inlined, a point of the output reads 25^32.
		Simulated: [2]int{67, 40},
		Untried:   map[string]string{"Anderson2021": "it takes minutes to schedule this"},
		Peers:     map[string]string{"Mullapudi2016": "cannot launch"},
	})
}

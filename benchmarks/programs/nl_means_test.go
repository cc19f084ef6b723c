//go:build halide

package programs

import (
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// noisy is the photograph in [0, 1] with normal noise, from a fixed seed.
func noisy(photo *harness.Array, sigma float64) *harness.Array {
	random := rand.New(rand.NewPCG(2005, 7))
	return suite.Table(harness.F32, func(i int) float64 {
		return float64(photo.Data[i])/255 + sigma*random.NormFloat64()
	}, photo.Shape...)
}

func TestNLMeans(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/nl_means/nl_means.cc", Name: "nl_means"},
		Reference: "benchmarks/programs/nl_means/reference.py",
		Scales:    images,
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			return harness.Args{"input": noisy(suite.Photograph(t, tree, w, h), 0.1), "sigma": 0.1}, map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     [][2]int{{256, 192}, {131, 77}, {33, 9}, {7, 5}},
		Expert:    suite.Expert{Counted: [2]int{384, 256}, Sizes: [][2]int{{67, 40}, {58, 24}}},
		Estimated: [2]int{1536, 2560},
		Tiny:      [2]int{7, 5},
		Tolerance: harness.Default,
		Simulated: [2]int{67, 40},
		Untried:   map[string]string{"Anderson2021": "it gives up after minutes"},
	})
}

//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

func TestMatMul(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/mat_mul/mat_mul.cc", Name: "mat_mul"},
		Reference: "benchmarks/programs/mat_mul/reference.py",
		Scales:    []suite.Scale{scale("size", 512, "size", 512), scale("size", 4096, "size", 4096)},
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			// Multiples of 1/64 from -2 to 2: a product is one of 1/4096 up to 4, and a sum of
			// up to 1024 of them is exact in 24 bits, whatever the order.
			k := min((w+h)/2+1, 1024)
			if w%64 == 0 && h%16 == 0 {
				k = k / 8 * 8 // then everything fits tiles
			}
			matrix := func(w, h int) *harness.Array {
				return suite.Map(suite.Photograph(t, tree, w, h), harness.F32, 0, func(r, g, _, _ int) float64 { return float64((r^g<<1)&255-128) / 64 })
			}
			return harness.Args{"a": matrix(k, h), "b": matrix(w, k)}, map[string][]int{"output": {w, h}}
		},
		Sizes:     [][2]int{{512, 384}, {300, 451}, {131, 77}, {33, 9}, {7, 5}},
		Expert:    suite.Expert{Counted: [2]int{1024, 1024}, Sizes: [][2]int{{192, 80}, {64, 16}}},
		Estimated: [2]int{1536, 1536},
		Tiny:      [2]int{33, 9},
	})
}

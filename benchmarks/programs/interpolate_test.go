//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// torn is the photograph with transparency: nothing is left in a disc in the middle,
// the rest is opaque in one pixel of six and half transparent in another.
func torn(photo *harness.Array) *harness.Array {
	w, h := photo.Shape[0], photo.Shape[1]
	return suite.Table(harness.F32, func(i int) float64 {
		if i < 3*w*h {
			return float64(photo.Data[i]) / 255
		}
		i -= 3 * w * h
		x, y := i%w, i/w
		if dx, dy := 2*x-w, 2*y-h; 4*(dx*dx+dy*dy) < min(w, h)*min(w, h) {
			return 0
		}
		// Scattered, and not periodic in x or y.
		switch (x*x + 3*y*y + x*y) % 6 {
		case 0:
			return 1
		case 1:
			return 0.5
		}
		return 0
	}, w, h, 4)
}

func TestInterpolate(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/interpolate/interpolate.cc", Name: "interpolate"},
		Reference: "benchmarks/programs/interpolate/reference.py",
		Scales:    images,
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			return harness.Args{"input": torn(suite.Photograph(t, tree, w, h))}, map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     sizes,
		Expert:    suite.Expert{Counted: [2]int{768, 512}, Sizes: [][2]int{{131, 77}, {64, 32}}},
		Estimated: [2]int{1536, 2560},
		// No Tiny: inlined, a point of the output reads 9^9 pixels.
		Tolerance: harness.Default,
		Untried:   map[string]string{"Anderson2021": "it takes minutes to schedule this"},
		Simulated: [2]int{131, 77},
		Peers:     map[string]string{"Mullapudi2016": "out-of-bounds"},
	})
}

//go:build halide

package programs

import (
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// stereo is what the right eye sees of the photograph, its lower half being near and the rest
// far away: points lie further left, by so many pixels.
func stereo(photo *harness.Array, far, near int) *harness.Array {
	w, h := photo.Shape[0], photo.Shape[1]
	return suite.Table(harness.U8, func(i int) float64 {
		x, row := i%w, i/w
		shift := far
		if row%h > h/2 {
			shift = near
		}
		return float64(photo.Data[row*w+min(x+shift, w-1)])
	}, w, h, 3)
}

func TestLensBlur(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/lens_blur/lens_blur.cc", Name: "lens_blur"},
		Reference: "benchmarks/programs/lens_blur/reference.py",
		Scales:    images,
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			photo := suite.Photograph(t, tree, w, h)
			slices := min(2+w/6, 32)
			return harness.Args{"left": photo, "right": stereo(photo, slices/4, slices*5/4), "slices": slices, "focus": slices * 2 / 5, "aperture": 0.5, "samples": slices},
				map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     [][2]int{{256, 192}, {131, 77}, {33, 9}, {7, 5}},
		Expert:    suite.Expert{Counted: [2]int{384, 256}},
		Estimated: [2]int{1536, 2560},
		// No Tiny: inlined, a point of the output reads 16^7 pixels for every sample.
		Tolerance: harness.Default,
		Simulated: [2]int{67, 40},
		Peers:     map[string]string{"Mullapudi2016": "cannot be scheduled"}, // four loops of blocks in each other
		Untried:   map[string]string{"Anderson2021": "it takes gigabytes to schedule this"},
	})
}

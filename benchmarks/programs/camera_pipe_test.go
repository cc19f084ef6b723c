//go:build halide

package programs

import (
	"math"
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

const (
	blackLevel = 25
	whiteLevel = 1023
)

// mosaic is what a sensor of 10 bits would have seen of the photograph: linear samples
// under a Bayer mosaic, with noise, and one pixel in 300 hot or dead.
func mosaic(photo *harness.Array) *harness.Array {
	w, h := photo.Shape[0], photo.Shape[1]
	random := rand.New(rand.NewPCG(2020, 17))
	return suite.Table(harness.U16, func(i int) float64 {
		x, y := i%w, i/w
		channel := 1
		if x%2 == 1 && y%2 == 0 {
			channel = 0
		} else if x%2 == 0 && y%2 == 1 {
			channel = 2
		}
		bright := float64(photo.Data[channel*w*h+i]) / 255
		sample := blackLevel + (whiteLevel-blackLevel)*bright*bright + 6*random.NormFloat64()
		switch random.IntN(600) {
		case 0:
			sample = whiteLevel
		case 1:
			sample = 0
		}
		return math.Round(min(max(sample, 0), whiteLevel))
	}, w, h)
}

func TestCameraPipe(t *testing.T) {
	suite.Run(t, suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/camera_pipe/camera_pipe.cc", Name: "camera_pipe"},
		Reference: "benchmarks/programs/camera_pipe/reference.py",
		Scales:    images,
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			warm := []float64{1.65, -.42, -.21, -38, -.26, 1.48, -.19, -29, -.08, -.57, 1.87, -61}
			cold := []float64{2.24, -.48, -.17, -45, -.23, 1.61, -.33, -34, -.02, -.66, 1.58, -41}
			table := func(v []float64) *harness.Array {
				return suite.Table(harness.F32, func(i int) float64 { return v[i] }, 4, 3)
			}
			return harness.Args{
				"raw": mosaic(suite.Photograph(t, tree, w, h)), "matrix_warm": table(warm), "matrix_cold": table(cold),
				"kelvin": 3700, "gamma": 2.2, "contrast": 0.4, "sharpness": 24, "black": blackLevel, "white": whiteLevel,
			}, map[string][]int{"output": {w, h, 3}}
		},
		Sizes:     sizes,
		Expert:    suite.Expert{Counted: [2]int{768, 512}, Sizes: [][2]int{{130, 78}, {52, 52}}},
		Estimated: [2]int{1536, 2560},
		// No Tiny: Halide takes long to compile everything inlined into three channels.
		Untried:   map[string]string{"Anderson2021": "it takes a minute to schedule this"},
		Simulated: [2]int{131, 77},
		Peers:     map[string]string{"Mullapudi2016": "cannot launch"}, // 64x32 threads a block
	})
}

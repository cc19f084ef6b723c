//go:build halide

package programs

import (
	"math"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// stranger is a generator of testdata/strangers: one that resembles nothing else in the
// project, scheduled by the environment alone, from a stock binary. (go test does not
// look into folders named testdata, so the tests are here.)
func stranger(name string, p suite.Program) suite.Program {
	dir := "testdata/strangers/" + name + "/"
	p.Generator = harness.Generator{Source: dir + name + ".cc", Name: name}
	p.Reference = dir + "reference.py"
	p.Environment = true
	return p
}

func TestProfile(t *testing.T) {
	suite.Run(t, stranger("profile", suite.Program{
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			heights := suite.Map(suite.Photograph(t, tree, w, h), harness.F32, 0, func(r, g, b, _ int) float64 { return float64(r+2*g+b) / 16 })
			return harness.Args{"heights": heights, "floor": 0.25}, map[string][]int{"relief": {w, h}, "row_mean": {h}}
		},
		Sizes:     [][2]int{{500, 350}, {257, 129}, {31, 65}, {5, 7}},
		Estimated: [2]int{1000, 700},
		Tiny:      [2]int{5, 7},
		// A row's sum is rounded once a term, in any order: n/2 ulp of 6e-8 at most.
		Tolerance: harness.Tolerance{Rel: 3e-5, Abs: 1e-6},
		Peers:     map[string]string{"Anderson2021": "cannot be scheduled"},
	}))
}

func TestPyramid(t *testing.T) {
	suite.Run(t, stranger("pyramid", suite.Program{
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			samples := suite.Map(suite.Photograph(t, tree, w, h), harness.U16, 0, func(r, g, b, _ int) float64 { return float64(g<<8 | (r^b)&255) })
			curve := suite.Table(harness.U16, func(i int) float64 { return math.Round(65535 * math.Pow(float64(i)/255, 1/2.2)) }, 256)
			return harness.Args{"samples": samples, "curve": curve, "gain": 9}, map[string][]int{"result": {w, h}}
		},
		Sizes:     [][2]int{{600, 400}, {333, 211}, {65, 30}, {6, 9}},
		Estimated: [2]int{900, 1300},
		// No Tiny: inlined, a point of the result reads 16^4 samples, and Halide takes 46 s
		// to compile that.
		Peers: map[string]string{"Mullapudi2016": "cannot launch"}, // 64x64 threads a block
	}))
}

func TestLabels(t *testing.T) {
	suite.Run(t, stranger("labels", suite.Program{
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			features := suite.Map(suite.Photograph(t, tree, w, h), harness.I8, 4, func(r, g, b, c int) float64 {
				return float64([]int{r, g, b, (r + g + b) / 3}[c] - 128)
			})
			// A fixed scatter over -120 to 120.
			weights := suite.Table(harness.I8, func(i int) float64 { return float64(i*i*31%241 - 120) }, 3, 3, 4, 6)
			bias := suite.Table(harness.I32, func(i int) float64 { return float64(500 - 170*i) }, 6)
			return harness.Args{"features": features, "weights": weights, "bias": bias, "threshold": 20000},
				map[string][]int{"label": {w, h}, "score": {w, h}}
		},
		Sizes:     [][2]int{{600, 400}, {321, 123}, {40, 17}, {5, 3}},
		Estimated: [2]int{640, 480},
		Tiny:      [2]int{5, 3},
	}))
}

// TestFlow reads at loaded places of any size: what is read there can be stored nowhere.
func TestFlow(t *testing.T) {
	suite.Run(t, stranger("flow", suite.Program{
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			photo := suite.Photograph(t, tree, w, h)
			frame := suite.Map(photo, harness.U8, 0, func(_, g, _, _ int) float64 { return float64(g) })
			motion := suite.Map(photo, harness.F32, 2, func(r, _, b, d int) float64 { return float64([]int{3*r - 300, b*b/16 - 900}[d]) / 4 })
			return harness.Args{"frame": frame, "motion": motion}, map[string][]int{"residue": {w, h}, "moved": {w, h}}
		},
		Sizes:     [][2]int{{600, 400}, {321, 123}, {40, 17}, {5, 3}},
		Estimated: [2]int{800, 600},
		Endless:   true,
		// It cannot be stored, and they store every Func.
		Peers: map[string]string{"Li2018": "cannot be scheduled", "Anderson2021": "cannot be scheduled"},
	}))
}

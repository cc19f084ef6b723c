//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"gowarp/benchmarks/harness"
)

var racesAllowed = regexp.MustCompile(`"do": ?"allow_race_conditions"`)

// TestCarried: where outer variables of a domain carry all dependences the others are parallel, a launch for each iteration of those, and the results are the CPU's; where they do not, the
// update runs in order. Domains that a size leaves empty, within a launch or around it, change nothing.
func TestCarried(t *testing.T) {
	for _, test := range []struct {
		kind     string
		parallel bool
		small    bool
	}{
		{"rows", true, false}, {"steps", true, false}, {"plane", true, false}, {"both", true, false}, {"triangle", true, false}, {"pairs", true, false}, {"bordered", true, false}, {"interior", true, false},
		{"reduced", true, false}, {"clamped", true, false}, {"reduced", true, true}, {"rows", false, true},
		{"down", false, false}, {"in_place", false, false}, {"scattered", false, false}, {"halves", false, false}, {"next", false, false}, {"planes", false, false},
	} {
		t.Run(fmt.Sprintf("%s-%t", test.kind, test.small), func(t *testing.T) {
			g := harness.Generator{Source: "bridge/testdata/carried.cc", Name: "carried", Params: map[string]string{"kind": test.kind, "small": fmt.Sprint(test.small)}}
			params := map[string]string{"gpu": "rtx2080ti"}
			exe, err := tree(t).Compile(g)
			if err != nil {
				t.Fatal(err)
			}
			const target = "host-cuda-cuda_capability_75"
			if saved := text(t, savedAs(t, exe, g.Name, "target="+target, params, "kind="+test.kind, fmt.Sprintf("small=%t", test.small))); racesAllowed.MatchString(saved) != test.parallel {
				t.Errorf("the update is parallel, or is not, want %t:\n%s", test.parallel, saved)
			}
			_, gpu := built(t, g, target, harness.Gowarp(params))
			_, cpu := built(t, g, "host", harness.Root())
			rng := rand.New(rand.NewPCG(11, 26))
			for _, size := range [][]int{{1, 2, 2}, {2, 5, 2}, {3, 4, 2}, {33, 9, 3}, {40, 8, 2}, {7, 41, 3}, {65, 17, 4}} {
				in := harness.Args{"input": filled(harness.F32, func() float64 { return 10 * rng.Float64() }, size...), "weight": .3}
				shapes := map[string][]int{"out": size}
				want := onCPU(t, cpu, in, shapes)
				simulated(t, gpu, in, shapes, want, harness.Tolerance{Rel: 1e-5, Abs: 1e-5}, fmt.Sprint(size))
			}
		})
	}
}

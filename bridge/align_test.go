//go:build halide

package bridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"gowarp/benchmarks/harness"
)

var aligned = regexp.MustCompile(`\.align_bounds\(\w+_([xy]), (\d+)\)`)

// TestAlign: a stored Func whose points alternate begins at a whole cell where its threads compute whole ones and no input has to be larger. Results are a CPU's, of any size, and fewer instructions
// compute them: of four kinds of points each computes its own.
func TestAlign(t *testing.T) {
	for kind, c := range map[string]struct {
		aligned []string
		share   float64 // of the instructions that are left, at most; 0 where nothing is
	}{
		"mosaic": {[]string{"x 2", "y 2"}, .8}, "doubled": {[]string{"x 2", "y 2"}, .9}, "shifted": {[]string{"x 2", "y 4"}, .9}, "inner": {[]string{"x 2"}, 0},
		"thirds": {nil, 0}, "bare": {nil, 0}, "output": {nil, 0}, "enlarged": {nil, 0}, "tuple": {nil, 0},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/alternating.cc", Name: "alternating", Params: map[string]string{"kind": kind}}
			const target = "host-cuda-cuda_capability_75"
			e, by := built(t, g, target, harness.Gowarp(nil))
			var got []string
			for _, m := range aligned.FindAllStringSubmatch(text(t, e.File("schedule.h")), -1) {
				got = append(got, m[1]+" "+m[2])
			}
			if !slices.Equal(got, c.aligned) {
				t.Errorf("aligned are %v, not %v", got, c.aligned)
			}
			_, cpu := built(t, g, "host", harness.Root())
			rng := rand.New(rand.NewPCG(11, uint64(len(kind))))
			input := func(size [2]int) harness.Args {
				w, h := size[0], size[1]
				if kind == "bare" { // which reads as much more as its reader asks for
					return nil
				}
				if kind == "doubled" { // all of which it reads: else there is a row that nobody has asked for
					w, h = (w+1)/2, (h+1)/2
				}
				return harness.Args{"input": filled(harness.I32, func() float64 { return math.Floor(200 * rng.Float64()) }, w, h)}
			}
			for _, size := range [][2]int{{512, 384}, {1, 1}, {2, 7}, {33, 2}, {101, 70}, {131, 37}} {
				in, shapes := input(size), map[string][]int{"out": size[:]}
				if in == nil {
					continue
				}
				want := onCPU(t, cpu, in, shapes)
				simulated(t, by, in, shapes, want, harness.Tolerance{}, fmt.Sprint(size))
			}
			if c.share == 0 {
				return
			}
			plain, _ := built(t, g, target, harness.Gowarp(map[string]string{"align": "0"}))
			in, shapes := input([2]int{384, 256}), map[string][]int{"out": {384, 256}}
			if a, b := float64(issued(t, e, in, shapes)), float64(issued(t, plain, in, shapes)); a > c.share*b {
				t.Errorf("%v warp instructions, %v unaligned: more than %v of them", a, b, c.share)
			}
		})
	}
}

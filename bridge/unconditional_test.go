//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestUnconditional: an update under a condition that reads something gives what a CPU makes of it, at the estimated size and at others, without findings of the simulator; and where the
// condition becomes part of what is stored, it issues about as much as its twin that has it there in the source. What the schedule is for is said in its source.
func TestUnconditional(t *testing.T) {
	const target = "host-cuda-cuda_capability_75"
	stays := map[string]bool{"unfinished": true, "by_data": true, "promised": true, "outside": true, "voted": true}
	for _, kind := range suite.Sampled([]string{"masked", "rows", "turns", "least", "marks", "nearest", "itself", "output", "running", "both", "pair", "by_data", "outside", "unfinished", "promised", "plain", "votes", "voted"}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			generator := func(written bool) harness.Generator {
				return harness.Generator{Source: "bridge/testdata/conditional.cc", Name: "conditional", Params: map[string]string{"kind": kind, "written": fmt.Sprint(written)}}
			}
			_, cpu := built(t, generator(false), "host", harness.Root())
			e, by := built(t, generator(false), target, harness.Gowarp(nil))
			if said := strings.Contains(text(t, e.File("schedule.h")), "store under no condition that reads something"); said == stays[kind] {
				t.Errorf("the source of the schedule says that conditions are part of values: %v", said)
			}
			rng := rand.New(rand.NewPCG(11, uint64(len(kind))))
			inputs := func(size []int) (harness.Args, map[string][]int) {
				return harness.Args{"input": noise(rng, size...)}, map[string][]int{"out": size}
			}
			sameAtSizes(t, by, cpu, inputs, harness.Tolerance{}, []int{256, 192}, []int{1, 1}, []int{7, 40}, []int{131, 37})
			if stays[kind] {
				return
			}
			twin, _ := built(t, generator(true), target, harness.Gowarp(nil))
			in, out := inputs([]int{256, 192})
			most := 1.1
			if kind == "nearest" { // remains the least with its place, which trees are made of: a value that the condition rules out is the greatest of its type
				most = 1.25
			}
			if a, b := issued(t, e, in, out), issued(t, twin, in, out); float64(a) > most*float64(b) {
				t.Errorf("%d warp instructions, where the source has the condition in the value %d", a, b)
			}
		})
	}
}

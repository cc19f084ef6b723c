//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestRowSums: what divides a row by something that all of it has in common is one kernel, whole rows a block, in no more instructions than one by hand. Results are a CPU's at rows as long as estimated,
// longer, shorter than a warp, and of numbers of rows that are no whole blocks. Of few long rows partial results have partial results.
func TestRowSums(t *testing.T) {
	t.Parallel()
	const target = "host-cuda-cuda_capability_75"
	for _, c := range suite.Sampled([]struct {
		kind          string
		width, height int
		most          float64 // of the instructions by hand
	}{{"softmax", 1000, 1024, 1.1}, {"layer", 1000, 1024, 1.1}, {"softmax", 8192, 300, 1.3}, {"layer", 8192, 300, 1.3}}) {
		kind := fmt.Sprintf("%s of %d", c.kind, c.width)
		generator := func(byHand string) harness.Generator {
			return harness.Generator{Source: "bridge/testdata/rowsums.cc", Name: "rowsums", Params: map[string]string{"kind": c.kind, "by_hand": byHand, "width": strconv.Itoa(c.width), "height": strconv.Itoa(c.height)}}
		}
		e, by := built(t, generator("false"), target, harness.Gowarp(nil))
		_, cpu := built(t, generator("false"), "host", harness.Root())
		hand, _ := built(t, generator("true"), target, harness.Unscheduled())
		rng := rand.New(rand.NewPCG(43, uint64(len(kind))))
		inputs := func(size []int) (harness.Args, map[string][]int) {
			value := func() float64 { return float64(rng.IntN(65)-32) / 8 }
			return harness.Args{"in": filled(harness.F32, value, size[0], size[1])}, map[string][]int{"out": {size[0], size[1]}}
		}
		sameAtSizes(t, by, cpu, inputs, harness.Tolerance{Rel: 1e-4, Abs: 1e-5}, []int{1000, 9}, []int{2500, 3}, []int{8200, 2}, []int{1, 1}, []int{31, 17}, []int{129, 8})
		in, out := inputs([]int{c.width, 16})
		if n := len(fullRun(t, e, in, out)); n != 1 {
			t.Errorf("%s: %d launches", kind, n)
		}
		ours, his := float64(issued(t, e, in, out)), float64(issued(t, hand, in, out))
		t.Logf("%s: %.2f of the instructions by hand", kind, ours/his)
		if ours > c.most*his {
			t.Errorf("%s: %.2f times the instructions by hand", kind, ours/his)
		}
	}
}

//go:build halide

package bridge

import (
	"math/rand/v2"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestBlocks: stages that read across small blocks of known size are one kernel, whole blocks a tile, in about as many instructions as one by hand or fewer. Results are a CPU's for one block, and for numbers that are no whole tiles.
func TestBlocks(t *testing.T) {
	t.Parallel()
	const target = "host-cuda-cuda_capability_75"
	for _, c := range suite.Sampled([]struct {
		kind          string
		columns, rows int
		launches      int
		most          float64 // of the instructions by hand
	}{{"cosine", 8, 8, 1, .95}, {"products", 6, 6, 1, 1.1}, {"attention", 16, 8, 1, 1.05}}) {
		generator := func(byHand string) harness.Generator {
			return harness.Generator{Source: "bridge/testdata/blocks.cc", Name: "blocks", Params: map[string]string{"kind": c.kind, "by_hand": byHand}}
		}
		e, by := built(t, generator("false"), target, harness.Gowarp(nil))
		_, cpu := built(t, generator("false"), "host", harness.Root())
		hand, _ := built(t, generator("true"), target, harness.Unscheduled())
		rng := rand.New(rand.NewPCG(44, uint64(len(c.kind))))
		inputs := func(n []int) (harness.Args, map[string][]int) {
			value := func() float64 { return float64(rng.IntN(65)-32) / 32 }
			in := harness.Args{}
			for _, name := range []string{"a", "b"} {
				in[name] = filled(harness.F32, value, c.columns, max(c.rows, 16), n[0])
			}
			return in, map[string][]int{"out": {c.columns, c.rows, n[0]}}
		}
		sameAtSizes(t, by, cpu, inputs, harness.Tolerance{Rel: 1e-4, Abs: 1e-5}, []int{256}, []int{1}, []int{7}, []int{37})
		in, out := inputs([]int{512})
		if n := len(fullRun(t, e, in, out)); n != c.launches {
			t.Errorf("%s: %d launches, want %d", c.kind, n, c.launches)
		}
		ours, his := float64(issued(t, e, in, out)), float64(issued(t, hand, in, out))
		t.Logf("%s: %.2f of the instructions by hand", c.kind, ours/his)
		if ours > c.most*his {
			t.Errorf("%s: %.2f times the instructions by hand, %.2f are the most", c.kind, ours/his, c.most)
		}
	}
}

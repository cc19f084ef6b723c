//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestUniformRows: a product of matrices whose blocks have rows of whole warps: that a row is the same for all lanes of a warp ptxas knows by a shuffle, and keeps in a warp's common registers where each
// row of operands begins. It spills nearly nothing then, and computes what the CPU does, at whole tiles and others. What exchanges nothing, a target below 7.0, replays the schedule without.
func TestUniformRows(t *testing.T) {
	g := harness.Generator{Source: "benchmarks/programs/mat_mul/mat_mul.cc", Name: "mat_mul"}
	const target, shuffle = "host-cuda-cuda_capability_75", "shfl.sync.idx"
	params := map[string]string{"gpu": "rtx2080ti"}
	uniform, p := built(t, g, target, harness.Gowarp(params))
	without, _ := built(t, g, target, harness.Gowarp(map[string]string{"schedule": lackingFor(t, g, "target="+target, params, "uniform_rows")}))
	if a, b := spilled(t, uniform, 75), spilled(t, without, 75); a > 100 || b < 1000 {
		t.Errorf("%d B are spilled where rows are uniform, %d where they are not; want at most 100, and at least 1000", a, b)
	}

	exe, err := tree(t).Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	saved := savedAs(t, exe, g.Name, "target="+target, params)
	for capability, want := range map[string]bool{"50": false, "75": true} {
		e, _ := built(t, g, "host-cuda-cuda_capability_"+capability, harness.Gowarp(map[string]string{"schedule": saved}))
		code, err := e.PTX()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(code, shuffle); got != want {
			t.Errorf("replayed for a capability of %s: a shuffle: %v, want %v", capability, got, want)
		}
	}

	_, cpu := built(t, g, "host", harness.Root())
	rng := rand.New(rand.NewPCG(7, 3))
	for _, n := range []int{128, 70, 5} {
		in := harness.Args{"a": filled(harness.F32, rng.Float64, n, n), "b": filled(harness.F32, rng.Float64, n, n)}
		shapes := map[string][]int{"output": {n, n}}
		simulated(t, p, in, shapes, onCPU(t, cpu, in, shapes), harness.Default, fmt.Sprintf("%dx%d", n, n))
	}
}

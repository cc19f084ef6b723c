//go:build halide

package programs

import (
	"fmt"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestAnySize: where an output's extents are no multiples of the points of a thread, the special case for such runs all the same, on as many
// blocks: it does as much work but at the edges, the result is the CPU's, and no two threads store a point, which in floats
// would be a race. Fewer points than a thread's take the general way.
func TestAnySize(t *testing.T) {
	const most = 1.48 // times the work at whole sizes, of which vectors and chains of addresses save more; without it 1.5 to 3
	for i, form := range []string{"plain", "clamped", "window", "pair", "apart", "line", "channels"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			run := newAnySize(form, []int{75, 86}[i%2])
			whole, odd := run.work(t, [2]int{512, 256}), run.work(t, [2]int{509, 253})
			t.Logf("%.2f times the work", odd/whole)
			if odd > most*whole {
				t.Errorf("%.2f times the work at a size of no whole groups of points", odd/whole)
			}
			run.work(t, [2]int{130, 2}, [2]int{3, 90}, [2]int{1, 1})
		})
	}
}

// TestUnevenEstimates: points of a thread need not divide the estimated size.
func TestUnevenEstimates(t *testing.T) {
	t.Parallel()
	size := [2]int{509, 253}
	even, uneven := newAnySize("plain", 86).work(t, size), newAnySize("uneven", 86).work(t, size)
	if uneven > 1.1*even {
		t.Errorf("%.2f times the work with estimates that are no multiples", uneven/even)
	}
}

// anySize is a form of testdata/any_size.cc for a capability.
type anySize struct {
	p  suite.Program
	sm int
}

func newAnySize(form string, sm int) anySize {
	inputs := func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
		in := harness.Args{"input": suite.Map(suite.Photograph(t, tree, w+4, h+4), harness.F32, 0, func(r, g, b, _ int) float64 { return float64(r)/7 + float64(g*b)/1001 })}
		switch form {
		case "line":
			return in, map[string][]int{"output": {w}}
		case "channels":
			return in, map[string][]int{"output": {w, h, 3}}
		case "pair", "apart":
			return in, map[string][]int{"output.0": {w, h}, "output.1": {w, h}}
		}
		return in, map[string][]int{"output": {w, h}}
	}
	return anySize{suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/testdata/any_size.cc", Name: "any_size", Params: map[string]string{"form": form}},
		Inputs:    inputs,
	}, sm}
}

// work is the warp instructions that gowarp's schedule with several points a thread issues for these sizes. It must be right at each.
func (a anySize) work(t *testing.T, sizes ...[2]int) float64 {
	t.Helper()
	h := newHybridRuns(t, a.p, a.sm, sizes)
	_, program := h.emit(harness.EmitOptions{Target: fmt.Sprintf("host-cuda-cuda_capability_%d", a.sm), Scheduler: harness.Gowarp(map[string]string{"tiling": "block-window"})})
	n := h.simulate("tiling=block-window", program)
	return float64(n.WarpInstructions)
}

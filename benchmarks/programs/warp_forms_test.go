//go:build halide

package programs

import (
	"fmt"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
	"gowarp/gpusim/count"
)

// warpForm is one group of stages of testdata/warp_forms.cc, and the tiles in which it must run.
type warpForm struct {
	name         string
	across, down int // of the input, by the output's
	deep         bool
	tiles        []string
}

var warpForms = []warpForm{
	{"heat", 1, 1, true, []string{"1x2x2x3", "2x2x1x2:strided"}},
	{"box", 1, 1, true, []string{"2x2x3x3", "1x2x2x2"}},
	{"chain", 1, 1, false, []string{"2x4x2", "4x1x4:strided"}},
	{"halves", 2, 2, false, []string{"1x2x2", "2x4x2"}},
	{"quarters", 4, 1, false, []string{"2x1x4", "1x2x2"}},
}

// TestWarpForms: as tiles of warps, all in registers and half of it in the warp's scratch, every form is what the CPU computes, and the simulator finds
// nothing, at sizes of whole tiles, of none, and smaller than one. Its lanes do exchange what they hold.
func TestWarpForms(t *testing.T) {
	for i, f := range warpForms {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			h := newHybridRuns(t, f.program(), []int{75, 86}[i%2], hybridSizes)
			for _, tile := range f.tiles {
				n := h.tiled(map[string]string{"tiling": "warp-registers", "warp_tile": tile})
				if n.Shuffles == 0 || n.Barriers+n.SharedLoads != 0 {
					t.Errorf("%s: %d shuffles, %d barriers, %d shared loads", tile, n.Shuffles, n.Barriers, n.SharedLoads)
				}
			}
			tile := f.tiles[len(f.tiles)-1]
			if n := h.tiled(map[string]string{"tiling": "warp-hybrid", "frac_reg": "0.5", "warp_tile": tile}); n.Shuffles == 0 || n.SharedLoads == 0 {
				t.Errorf("half of %s: %d shuffles, %d shared loads", tile, n.Shuffles, n.SharedLoads)
			}
		})
	}
}

// tiled emits the program with such parameters and simulates it.
func (h *hybridRuns) tiled(params map[string]string) count.Kernel {
	h.t.Helper()
	params["cost"], params["max_registers"] = "issue", "255"
	_, p := h.emit(harness.EmitOptions{Target: fmt.Sprintf("host-cuda-cuda_capability_%d", h.sm), Scheduler: harness.Gowarp(params)})
	return h.simulate(fmt.Sprint(params), p)
}

func (f *warpForm) program() suite.Program {
	return suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/testdata/warp_forms.cc", Name: "warp_forms", Params: map[string]string{"form": f.name}},
		Inputs: func(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
			in, out := []int{f.across * w, f.down * h}, []int{w, h}
			if f.deep {
				in, out = append(in, 5), append(out, 5)
			}
			return harness.Args{"input": suite.Table(harness.I32, func(i int) float64 { return float64(i * 7919 % 101 % 13) }, in...)}, map[string][]int{"output": out}
		},
	}
}

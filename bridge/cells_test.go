//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestCells: histograms of cells of an image are computed in the kernel of their reader, in shared memory. They give what a CPU gives, at the estimated size, at others that no tile divides, of one point, with
// more levels than estimated and with more than a block's shared memory holds, where blocks have global memory of their own; without findings of the simulator; and so they do through OpenCL.
func TestCells(t *testing.T) {
	tolerance := harness.Tolerance{Rel: 1e-5, Abs: 1e-4}
	for _, what := range []string{"levels", "twice", "apart", "bins", "pairs", "summaries"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/cells.cc", Name: "cells", Params: map[string]string{"what": what}}
			_, cpu := built(t, g, "host", harness.Root())
			e, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
			source := text(t, e.File("schedule.h"))
			if !strings.Contains(source, "store_in(MemoryType::GPUShared)") {
				t.Errorf("the cells are not in shared memory of the kernel that reads them:\n%s", source)
			}
			byRun := what != "bins" && what != "pairs" && what != "summaries" // how many there are only a run knows
			if sized := strings.Contains(source, "does not fit a block's shared memory"); sized != byRun {
				t.Errorf("there is a form of the kernel in global memory: %v", sized)
			}
			_, opencl := built(t, g, "host-opencl", harness.Gowarp(nil))
			rng := rand.New(rand.NewPCG(5, uint64(len(what))))
			for i, size := range [][2]int{{512, 384}, {1, 1}, {31, 2}, {33 + rng.IntN(200), 2 + rng.IntN(90)}, {1 + rng.IntN(60), 100 + rng.IntN(100)}} {
				in := harness.Args{"image": noise(rng, size[0], size[1]), "scale": []float64{.05, .9, .0125, 3, .3}[i]}
				out := map[string][]int{"out": {size[0], size[1]}}
				want, err := cpu.Run(in, out)
				if err != nil {
					t.Fatal(err)
				}
				simulated(t, cuda, in, out, want["out"], tolerance, fmt.Sprint(what, size))
				ranOpenCL(t, opencl, in, out, want["out"], tolerance, fmt.Sprint(what, size))
			}
		})
	}
}

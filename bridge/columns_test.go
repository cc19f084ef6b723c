//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestColumns: scans, and sums that fall into bins of each column, run stage after stage in the kernel of their reader. They give what a CPU gives, but for products that are added without rounding, at the
// estimated size, at others, at one point, and with more bins than estimated; without findings of the simulator; and so they do through OpenCL.
func TestColumns(t *testing.T) {
	tolerance := harness.Tolerance{Rel: 1e-5, Abs: 1e-4}
	for _, what := range []string{"down", "there_and_back", "ends", "bins", "pair"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			width := "300"
			if what == "there_and_back" {
				width = "600" // of fewer columns, kernels of their own cost 1 % less
			}
			g := harness.Generator{Source: "bridge/testdata/columns.cc", Name: "columns", Params: map[string]string{"what": what, "width": width, "height": "200"}}
			_, cpu := built(t, g, "host", harness.Root())
			_, shared := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
			// Columns that fit shared memory are cheaper there (block-cells), and by cost=time so are kernels of their own where few columns wait for each step.
			little := map[string]string{"shared_memory_limit_kb": "1", "cost": "issue"}
			e, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(little))
			if text := text(t, e.File("schedule.h")); !strings.Contains(text, "store_in(MemoryType::Heap)") {
				t.Errorf("the stages are not in the kernel of their reader:\n%s", text)
			}
			_, opencl := built(t, g, "host-opencl", harness.Gowarp(little))
			rng := rand.New(rand.NewPCG(5, uint64(len(what))))
			for _, size := range [][2]int{{300, 200}, {1, 1}, {31, 2}, {33 + rng.IntN(200), 2 + rng.IntN(90)}, {1 + rng.IntN(60), 200 + rng.IntN(100)}} {
				in := harness.Args{"image": noise(rng, size[0], size[1]), "scale": []float64{.125, .9}[rng.IntN(2)]}
				shape := []int{size[0], size[1]}
				switch what {
				case "bins":
					shape[1] = 1 + rng.IntN(300)
				case "there_and_back":
					shape = []int{size[1], size[0]}
				}
				out := map[string][]int{"out": shape}
				want, err := cpu.Run(in, out)
				if err != nil {
					t.Fatal(err)
				}
				simulated(t, cuda, in, out, want["out"], tolerance, fmt.Sprint(what, size))
				simulated(t, shared, in, out, want["out"], tolerance, fmt.Sprint(what, size, " as it is by default"))
				ranOpenCL(t, opencl, in, out, want["out"], tolerance, fmt.Sprint(what, size))
			}
		})
	}
}

//go:build halide

package bridge

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestSiblings: kernels that run in one launch compute what each by itself does, at sizes that are multiples of their tiles, at others, and below one, with
// nothing found on the simulator, and through OpenCL; and there are as many launches fewer as the schedule says.
func TestSiblings(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 3))
	for seed := range 3 {
		g := harness.Generator{Source: "bridge/testdata/siblings.cc", Name: "siblings", Params: map[string]string{"seed": fmt.Sprint(seed), "count": fmt.Sprint(3 + seed)}}
		e, p := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
		_, opencl := built(t, g, "host-opencl", harness.Gowarp(nil))
		_, cpu := built(t, g, "host", harness.Root())
		for i, size := range [][2]int{{192, 96}, {131, 77}, {33, 9}, {5, 3}} {
			w, h := size[0], size[1]
			in, shapes := harness.Args{"input": noise(rng, w, h)}, map[string][]int{"out": {w, h}}
			name := fmt.Sprintf("seed %d, %dx%d", seed, w, h)
			want := onCPU(t, cpu, in, shapes)
			simulated(t, p, in, shapes, want, harness.Tolerance{}, name)
			ranOpenCL(t, opencl, maps.Clone(in), shapes, want, harness.Tolerance{}, name)
			if i > 0 {
				continue
			}
			joined := regexp.MustCompile(`    (\w+)\n[^;]*\.compute_with\((\w+), `).FindAllStringSubmatch(text(t, e.File("schedule.h")), -1)
			if len(joined) == 0 {
				t.Errorf("%s: no kernels are joined", name)
			}
			launched := map[string]int{}
			for _, k := range fullRun(t, e, in, shapes) {
				launched[regexp.MustCompile(`^_kernel_(\w+?)(__\d+)?_s\d+_`).FindStringSubmatch(k.Kernel)[1]]++
			}
			for _, pair := range joined {
				if launched[pair[1]] != 0 || launched[pair[2]] != 1 {
					t.Errorf("%s: %s is to run in the launch of %s: %v", name, pair[1], pair[2], launched)
				}
			}
		}
	}
}

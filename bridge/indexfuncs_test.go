//go:build halide

package bridge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestIndexFuncs: what is read at places that Funcs compute from the point alone is bounded, by a reduction too, which could not be computed where it is read; the
// schedule is that of the same pipeline with the places in the indices, and so are the results, which are the CPU's.
func TestIndexFuncs(t *testing.T) {
	generator := func(written bool) harness.Generator {
		return harness.Generator{Source: "bridge/testdata/indexfuncs.cc", Name: "indexfuncs", Params: map[string]string{"written": fmt.Sprint(written)}}
	}
	_, cpu := built(t, generator(false), "host", harness.Unscheduled()) // a Func whose values have no bounds cannot be in memory
	_, through := built(t, generator(false), "host-cuda-cuda_capability_75", harness.Gowarp(nil))
	_, twin := built(t, generator(true), "host-cuda-cuda_capability_75", harness.Gowarp(nil))
	rng := rand.New(rand.NewPCG(3, 5))
	for _, size := range [][2]int{{96, 96}, {1, 1}, {61, 19}} {
		in := harness.Args{"input": filled(harness.F32, rng.Float64, 96, 64), "scale": 1.5}
		out := map[string][]int{"out": {size[0], size[1]}}
		want, err := cpu.Run(in, out)
		if err != nil {
			t.Fatal(err)
		}
		run := func(p *harness.Program) (kernels string, issued int64) {
			s, err := p.Simulate(in, out, 75)
			if err != nil || s.Failure != nil || s.Report.Wrong() {
				t.Fatalf("%v: %v %+v", size, err, s)
			}
			if err := harness.Compare(s.Results["out"], want["out"], harness.Tolerance{Rel: 1e-4, Abs: 1e-3}); err != nil {
				t.Errorf("%v: %v", size, err)
			}
			var names []string
			for _, k := range s.Report.Kernels {
				names = append(names, k.Name)
				issued += k.Count.WarpInstructions
			}
			return strings.Join(names, " "), issued
		}
		gotKernels, got := run(through)
		wantKernels, written := run(twin)
		if gotKernels != wantKernels || float64(got) > 1.01*float64(written) {
			t.Errorf("%v: kernels of %s, %d warp instructions; with the places in the indices %s, %d", size, gotKernels, got, wantKernels, written)
		}
	}
}

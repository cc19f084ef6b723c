//go:build halide

package bridge

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestEndByData: where the edge of an image hangs on what a kernel has computed, the result is the CPU's: Halide would read on the host what is on the device. Only there the loops are one piece.
func TestEndByData(t *testing.T) {
	in := harness.Args{"image": harness.NewArray(harness.U8, 200, 120)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range in["image"].(*harness.Array).Data {
		in["image"].(*harness.Array).Data[i] = byte(rng.IntN(57))
	}
	out := map[string][]int{"out": {200, 120}}
	for _, what := range []string{"shift", "wrapped", "border", "called", "table", "none"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/endbydata.cc", Name: "end_by_data", Params: map[string]string{"what": what}}
			_, cpu := built(t, g, "host", harness.Root())
			want, err := cpu.Run(in, out)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []string{"gowarp", "autogpu"} {
				params := map[string]string{"mode": mode}
				e, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(params))
				if whole := strings.Contains(text(t, e.File("schedule.h")), "never_partition_all"); mode != "gowarp" && whole != (what != "none") {
					t.Errorf("mode=%s: loops in one piece: %v", mode, whole)
				}
				simulated(t, cuda, in, out, want["out"], harness.Tolerance{}, mode)
				if mode != "gowarp" {
					continue
				}
				_, opencl := built(t, g, "host-opencl", harness.Gowarp(params))
				ranOpenCL(t, opencl, in, out, want["out"], harness.Tolerance{}, mode)
			}
		})
	}
}

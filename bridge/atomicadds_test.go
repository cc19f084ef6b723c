//go:build halide

package bridge

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestAtomicAdditions: scatters whose places and values share work are atomic additions and no loops of compare-and-swap, in CUDA's code and in OpenCL's, with as many threads as there are points, and the sums are a CPU's,
// of any number of points.
func TestAtomicAdditions(t *testing.T) {
	for _, kind := range suite.Sampled([]string{"bilinear", "weighted", "subtracted", "moment"}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/splat.cc", Name: "splat", Params: map[string]string{"kind": kind}}
			_, cpu := built(t, g, "host", harness.Root())
			e, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
			_, opencl := built(t, g, "host-opencl", harness.Gowarp(nil))
			addsAtomically(t, e)
			if s := text(t, e.File("schedule.h")); !strings.Contains(s, "Halide sees an addition") {
				t.Errorf("the schedule says nothing of the pass:\n%s", s)
			}
			rng := rand.New(rand.NewPCG(31, uint64(len(kind))))
			for _, points := range []int{50000, 1, 777} {
				in := harness.Args{"places": filled(harness.U16, func() float64 { return float64(rng.IntN(1 << 16)) }, 2, points)}
				out := map[string][]int{"out": {64, 64}}
				want := onCPU(t, cpu, in, out)
				simulated(t, cuda, in, out, want, harness.Tolerance{}, points)
				ranOpenCL(t, opencl, in, out, want, harness.Tolerance{}, points)
			}
		})
	}
}

// TestAtomicTiles: where Halide makes no atomic addition of what should be one by itself, a pass has it do so.
func TestAtomicTiles(t *testing.T) {
	t.Parallel()
	g := harness.Generator{Source: "bridge/testdata/tilehist.cc", Name: "tilehist"}
	_, cpu := built(t, g, "host", harness.Root())
	e, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
	addsAtomically(t, e)
	rng := rand.New(rand.NewPCG(8, 15))
	sameAtSizes(t, cuda, cpu, func(size []int) (harness.Args, map[string][]int) {
		return harness.Args{"image": noise(rng, size[0], size[1])}, map[string][]int{"out": {256, (size[0] + 31) / 32, (size[1] + 31) / 32}}
	}, harness.Tolerance{}, []int{256, 256}, []int{100, 37}, []int{2, 1})
}

// TestAtomicVotes: places that the domain says are no loops of which there are partial results, and the iterations of all pixels run side by side, under a condition too.
func TestAtomicVotes(t *testing.T) {
	for _, kind := range suite.Sampled([]string{"where", "chosen"}) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := harness.Generator{Source: "bridge/testdata/votes.cc", Name: "votes", Params: map[string]string{"kind": kind}}
			_, cpu := built(t, g, "host", harness.Root())
			e, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
			addsAtomically(t, e)
			rng := rand.New(rand.NewPCG(8, uint64(len(kind))))
			sameAtSizes(t, cuda, cpu, func(size []int) (harness.Args, map[string][]int) {
				return harness.Args{"image": noise(rng, size[0], size[1])}, map[string][]int{"out": {1024, 16}}
			}, harness.Tolerance{}, []int{64, 48}, []int{33, 37}, []int{2, 1})
		})
	}
}

// TestVotesOfFloats: of additions that are not atomic some threads have votes of their own, since as many threads as there are angles leave most of the device idle.
func TestVotesOfFloats(t *testing.T) {
	t.Parallel()
	g := harness.Generator{Source: "bridge/testdata/votes.cc", Name: "votes", Params: map[string]string{"kind": "halves", "angles": "64"}}
	_, cpu := built(t, g, "host", harness.Root())
	e, cuda := built(t, g, "host-cuda-cuda_capability_75", harness.Gowarp(nil))
	if s := text(t, e.File("schedule.h")); !strings.Contains(s, ".rfactor(") {
		t.Errorf("there are no partial results:\n%s", s)
	}
	rng := rand.New(rand.NewPCG(8, 64))
	sameAtSizes(t, cuda, cpu, func(size []int) (harness.Args, map[string][]int) {
		return harness.Args{"image": noise(rng, size[0], size[1])}, map[string][]int{"out": {1024, 64}}
	}, harness.Tolerance{}, []int{64, 48}, []int{33, 37}, []int{2, 1})
}

// addsAtomically says where the kernels of an emission have no atomic addition, or a loop of compare-and-swap.
func addsAtomically(t *testing.T, e *harness.Emission) {
	t.Helper()
	if code := text(t, e.File("device_code")); strings.Contains(code, ".cas.") || !strings.Contains(code, "atom.") && !strings.Contains(code, "red.") {
		t.Errorf("the kernels have no atomic additions, or a loop of compare-and-swap")
	}
}

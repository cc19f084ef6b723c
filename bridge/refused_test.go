//go:build halide

package bridge

import (
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// TestTilingsRefused: what a user of a generator reads who asks by name for a tile that cannot be. Where it is not asked for by
// name the same pipeline is scheduled otherwise, and nothing is said.
func TestTilingsRefused(t *testing.T) {
	exe, err := tree(t).Compile(harness.Generator{Source: blurs, Name: "clamped_blur"})
	if err != nil {
		t.Fatal(err)
	}
	given := func(target string, kv ...string) []string {
		return append(scheduled(t, "clamped_blur", "target="+target), kv...)
	}
	const cuda = "host-cuda-cuda_capability_86"
	hybrid, shared := "autoscheduler.tiling=warp-hybrid", "autoscheduler.tiling=warp-shared"
	for _, c := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"more than all", given(cuda, hybrid, "autoscheduler.frac_reg=1.5"), []string{"gowarp: ", "frac_reg=1.5: a number from 0 to 1 is wanted, as 0.5"}},
		{"of no hybrid", given(cuda, shared, "autoscheduler.frac_reg=0.5"), []string{"frac_reg=0.5 is of hybrid tiles of warps, which tiling=warp-shared has none of; add tiling=warp-hybrid"}},
		{"OpenCL", given("host-opencl", hybrid), []string{"tiling=warp-hybrid: only CUDA has lanes that exchange registers; the target is ", "opencl"}},
		{"OpenCL, shared", given("host-opencl", shared), []string{"tiling=warp-shared: only CUDA has lanes"}},
		{"an old capability", given("host-cuda-cuda_capability_35", hybrid), []string{"tiling=warp-hybrid: compute capability 3.5, the target's, is older than 5.0"}},
		{"no capability", given("host-cuda", hybrid), []string{"names no compute capability; name one from 5.0 on"}},
		{"64 bits", given(cuda, hybrid, "type=float64"), []string{"tiling=warp-hybrid: no kernel of this pipeline is done so: ", "values of 64 bits are not exchanged by shuffles", "give tiling=warp or tiling=all"}},
		{"64 bits, shared", given(cuda, shared, "type=int64"), []string{"tiling=warp-shared: no kernel", "values of 64 bits"}},
		{"no room", given(cuda, hybrid, "autoscheduler.warp_tile=1x32x8", "autoscheduler.frac_reg=0", "autoscheduler.shared_memory_limit_kb=4"), []string{"no kernel of this pipeline is done so", "B of shared memory of 4096"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fails(t, nil, exe, c.args, c.words...)
		})
	}
	for _, args := range [][]string{
		given("host-opencl", "autoscheduler.tiling=warp"), given("host-opencl", "autoscheduler.tiling=all"), given("host-cuda-cuda_capability_35", "autoscheduler.tiling=all"),
		append(given("host-cuda", "autoscheduler.tiling=all"), "-e", "object"),
		given(cuda, "autoscheduler.tiling=warp", "type=float64"), given(cuda, "autoscheduler.tiling=all", "autoscheduler.cost=issue", "type=int64"),
	} {
		t.Run(strings.Join(args[len(args)-2:], " "), func(t *testing.T) {
			t.Parallel()
			if out := ok(t, nil, exe, args...); strings.Contains(out, "gowarp") {
				t.Errorf("it says %s", out)
			}
		})
	}
}

// TestReplayOfHybrid: a saved schedule with lanes is refused for a target without.
func TestReplayOfHybrid(t *testing.T) {
	tr := tree(t)
	exe, err := tr.Compile(harness.Generator{Source: blurs, Name: "clamped_blur"})
	if err != nil {
		t.Fatal(err)
	}
	file := savedHybrid(t, exe)
	fails(t, nil, exe, scheduled(t, "clamped_blur", "target=host-opencl", "autoscheduler.schedule="+file), "gowarp: ", "lanes")
	fails(t, nil, exe, scheduled(t, "clamped_blur", "target=host-cuda-cuda_capability_35", "autoscheduler.schedule="+file), "gowarp: ", "is older than 5.0")
}

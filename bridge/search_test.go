//go:build halide

package bridge

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/internal/ptxas"
)

// TestSearchByPtxas: search=ptxas takes kernels that spill less than those that the cost alone takes, by what ptxas says of the code that comes
// of it; the same ones from a cache, an empty one, one that is damaged, and one that cannot be written.
func TestSearchByPtxas(t *testing.T) {
	tr := tree(t)
	exe, err := tr.Compile(harness.Generator{Source: "benchmarks/programs/mat_mul/mat_mul.cc", Name: "mat_mul"})
	if err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	emit := func(cache, search string) (spills int, schedule, said string) {
		t.Helper()
		args := scheduled(t, "mat_mul", "target=x86-64-linux-cuda-cuda_capability_75", "autoscheduler.gpu=rtx2080ti", "autoscheduler.check=0", "autoscheduler.search="+search)
		args[5] = "schedule,device_code"
		said = ok(t, []string{"GOWARP_CACHE=" + cache, "HL_DEBUG_AUTOSCHEDULE=1"}, exe, args...)
		uses, err := ptxas.Compile(tr.Build("ptxas"), text(t, filepath.Join(args[3], "mat_mul.device_code")), 75, ptxas.MaxRegisters)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range uses {
			spills += u.SpillBytes()
		}
		return spills, body(t, args[3], "mat_mul"), said
	}
	model, _, said := emit(cache, "model")
	if strings.Contains(said, "trials compiled") {
		t.Error("search=model compiles")
	}
	const compiles = "gowarp: 4 trials compiled"
	spills, schedule, said := emit(cache, "ptxas")
	if !strings.Contains(said, compiles) {
		t.Errorf("it does not say %q:\n%s", compiles, said)
	}
	if spills >= model {
		t.Errorf("%d B spilled, by the cost alone %d", spills, model)
	}
	t.Logf("%d B spilled, by the cost alone %d", spills, model)

	if _, again, said := emit(cache, "ptxas"); again != schedule || strings.Contains(said, compiles) {
		t.Errorf("from the cache another schedule, or compiled again:\n%s", said)
	}
	files, err := filepath.Glob(filepath.Join(cache, "ptxas", "*.json"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files in the cache, %v", len(files), err)
	}
	for _, f := range files {
		if err := os.Truncate(f, 20); err != nil {
			t.Fatal(err)
		}
	}
	if _, again, said := emit(cache, "ptxas"); again != schedule || !strings.Contains(said, compiles) {
		t.Errorf("from a damaged cache another schedule, or nothing is compiled:\n%s", said)
	}
	if _, again, said := emit(filepath.Join(files[0], "no directory"), "ptxas"); again != schedule || strings.Count(said, "gowarp: warning: search=ptxas: nothing is kept for the next run") != 1 {
		t.Errorf("without a cache another schedule, or not one word of it:\n%s", said)
	}
}

// TestSearchByPtxasRefused: without ptxas, and for what it does not compile, the message says what to do.
func TestSearchByPtxasRefused(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "libautoschedule_gowarp.so")
	if err := os.WriteFile(plugin, []byte(text(t, tree(t).Plugin())), 0o777); err != nil {
		t.Fatal(err)
	}
	args := scheduled(t, "small", cudaTarget, "autoscheduler.search=ptxas")
	args[slices.Index(args, "-p")+1] = plugin
	fails(t, []string{"PATH=/nonexistent"}, compiled(t, "small"), args, "gowarp: ", "search=ptxas: there is no ptxas beside the plugin or on PATH", "leave search away")
	fails(t, nil, compiled(t, "small"), scheduled(t, "small", "target=x86-64-linux-opencl", "autoscheduler.search=ptxas"), "gowarp: ", "search=ptxas: ptxas compiles for CUDA only")
	fails(t, nil, compiled(t, "small"), scheduled(t, "small", cudaTarget, "autoscheduler.search=ptxs"), "gowarp: ", "search", "ptxas")
}

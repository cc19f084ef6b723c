//go:build halide

// Package libcuda tests the stand-in driver with Halide's own runtime: driver/ is its C
// library, simulator/ the process behind it.
package libcuda

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
	"gowarp/gpusim/check"
	"gowarp/gpusim/libcuda/simulator"
)

// build makes libcuda.so and the simulator as the Makefile does, and returns their folder.
func build(t *testing.T, tree *harness.Tree) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-shared", "-fPIC", "gpusim/libcuda/driver/libcuda.c", "-o", filepath.Join(dir, "libcuda.so"), "-ldl", "-lpthread"},
		{"go", "build", "-o", filepath.Join(dir, "gowarp-gpusim"), "./gpusim/libcuda/gowarp-gpusim"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = tree.Root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// simulated is the environment in which a program runs on the simulator, and the folder
// for its reports.
func simulated(t *testing.T, driver string) (env []string, reports string) {
	reports = t.TempDir()
	return []string{"LD_LIBRARY_PATH=" + driver, "GOWARP_GPUSIM_REPORTS=" + reports, "HL_GPU_DEVICE=0"}, reports
}

func collect(t *testing.T, dir string) *simulator.Report {
	t.Helper()
	reports, err := simulator.Collect(dir)
	if err != nil || len(reports) != 1 {
		t.Fatalf("%d reports, %v", len(reports), err)
	}
	return reports[0]
}

// TestPipelines compares Halide's CPU target with its CUDA target on the simulator, over
// all types and the features that make PTX of their own.
func TestPipelines(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	driver := build(t, tree)
	program, err := tree.HalideProgram("gpusim/libcuda/testdata/pipelines.cc")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		capability, names string
		least             int
	}{{"50", "", 140}, {"61", "odd_", 40}, {"86", "", 140}} { // 6.1 is the first with dp4a, and the last with the old shuffles
		t.Run("sm_"+c.capability, func(t *testing.T) {
			env, reports := simulated(t, driver)
			out, err := tree.RunTool(env, program, c.capability, c.names)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(out, ": ok\n"); n < c.least {
				t.Errorf("only %d pipelines ran", n)
			}
			r := collect(t, reports)
			if len(r.Errors) != 0 || len(r.Kernels) < c.least {
				t.Errorf("%d kernels, %v", len(r.Kernels), r.Errors)
			}
			// Halide 21's loop around compare-and-swap loads the old value a second
			// time, plainly: a race of its own, in the pipelines with such atomics.
			races := 0
			for _, f := range r.Findings {
				switch {
				case f.Kind.Note():
				case f.Kind == check.GlobalRace && strings.Contains(f.Kernel, "_s1_r"):
					races++
				default:
					t.Errorf("%v", f)
				}
			}
			if races == 0 {
				t.Error("the plain load in Halide's loop around compare-and-swap is not seen")
			}
		})
	}
}

// TestJITBesidePlugin: a Python process that holds gowarp's plugin, and so a Go runtime, uses
// the simulator.
func TestJITBesidePlugin(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	env, reports := simulated(t, build(t, tree))
	if _, err := tree.RunTool(env, tree.Build("venv", "bin", "python3"), tree.Path("gpusim/libcuda/testdata/jit.py"), tree.Plugin()); err != nil {
		t.Fatal(err)
	}
	r := collect(t, reports)
	if r.Wrong() || len(r.Kernels) == 0 {
		t.Errorf("%d kernels, %v, %v", len(r.Kernels), r.Findings, r.Errors)
	}
}

// TestMegapixel: harris at a megapixel, with all checks.
func TestMegapixel(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	env, reports := simulated(t, build(t, tree))
	e, err := tree.Emit(harness.Generator{Source: "benchmarks/programs/harris/harris.cc", Name: "harris"},
		harness.EmitOptions{Target: "host-cuda-cuda_capability_86", Scheduler: harness.Gowarp(nil)})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	prog.Env = append(prog.Env, env...)
	start := time.Now()
	if _, err := prog.Run(harness.Args{"input": suite.Photograph(t, tree, 1026, 1026)}, map[string][]int{"output": {1024, 1024}}); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	r := collect(t, reports)
	for _, k := range r.Kernels {
		t.Logf("%.1f s: %s: %.1f warp instructions, %.1f requests, %.1f sectors for 32 pixels", took.Seconds(), k.Name, float64(k.Count.WarpInstructions)/32768,
			float64(k.Count.Requests())/32768, float64(k.Count.GlobalLoadSectors+k.Count.GlobalStoreSectors)/32768)
	}
	if r.Wrong() {
		t.Errorf("%v %v", r.Findings, r.Errors)
	}
}

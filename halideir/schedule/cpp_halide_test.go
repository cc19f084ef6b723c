//go:build halide

package schedule

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCPlusPlusCompiles gives the text to a compiler, inside the function that
// Halide writes around it, and lowers what it schedules.
func TestCPlusPlusCompiles(t *testing.T) {
	halide, err := filepath.Abs("../../build/halide")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(halide, "include", "Halide.h")); err != nil {
		t.Fatalf("no Halide under build/ (make setup): %v", err)
	}
	dir := t.TempDir()
	// Pipeline::get_func sorts what a Func calls by name, and an ImageParam is a
	// Func of its own.
	order := map[string][]string{
		"harris":   {"input_im", "gray", "Ix", "Ixx", "Sxx", "Iy", "Ixy", "Sxy", "Iyy", "Syy", "harris"},
		"equalise": {"input_im", "hist", "cdf", "equalised"},
	}
	found := map[string][]string{
		"harris": {"harris", "Sxx", "Ixx", "Ix", "gray", "input_im", "Syy", "Iyy", "Iy", "Sxy", "Ixy"},
	}
	for _, sample := range samples {
		s, p := sample.make()
		for k, name := range order[sample.name] {
			if f := (&script{p: p}).id(name); f < len(p.Funcs) {
				p.Funcs[f].PipelineIndex = k
			}
		}
		write := func(name string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(s.CPlusPlus(p)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(sample.name + ".inc")
		// From the output on, each Func before what it calls.
		for k, name := range found[sample.name] {
			if f := (&script{p: p}).id(name); f < len(p.Funcs) {
				p.Funcs[f].FoundIndex = k
			}
		}
		write(sample.name + "_found.inc")
	}
	exe := filepath.Join(dir, "apply")
	lib := filepath.Join(halide, "lib64")
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	run("g++", "-std=c++17", "-O0", "-I", dir, "-I", filepath.Join(halide, "include"), "testdata/apply.cc", "-o", exe,
		"-L", lib, "-Wl,-rpath,"+lib, "-lHalide")
	out := run(exe)
	t.Logf("%s", out)
	for _, want := range []string{"gray hist", "Ixx$1\n", "gray$2 hist$1", "ly\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the output", want)
		}
	}
}

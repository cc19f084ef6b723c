//go:build halide

package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gowarp/benchmarks/harness"
)

// TestBench runs the scripts in testdata/bench in the checkout ($ROOT), with gowarp as it is
// built now ($GOWARP) and a generator of two ($TINY).
func TestBench(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	gowarp := filepath.Join(t.TempDir(), "gowarp")
	build := exec.Command("go", "build", "-o", gowarp, "./cmd/gowarp")
	build.Dir = tree.Root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/bench",
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", tree.Root)
			e.Setenv("GOWARP", gowarp)
			e.Setenv("TINY", tree.Path("cmd", "gowarp", "testdata", "bench", "tiny.cc"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exitCode},
	})
}

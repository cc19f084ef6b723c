package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gowarp": main})
}

// TestScript runs the scripts in testdata/script. $PIPELINES holds pipelines that Halide
// exported.
func TestScript(t *testing.T) {
	pipelines, err := filepath.Abs("../../autoscheduler/testdata")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pipelines); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PIPELINES", pipelines)
			return nil
		},
	})
}

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gowarp": main})
}

// TestScript runs the scripts in testdata/script. $PIPELINES holds pipelines that Halide
// exported for OpenCL, $HALIDEIR for CUDA; `exit N COMMAND` wants that exit code.
func TestScript(t *testing.T) {
	pipelines, err := filepath.Abs("../../autoscheduler/testdata")
	if err != nil {
		t.Fatal(err)
	}
	forCUDA, err := filepath.Abs("../../halideir/testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{pipelines, forCUDA} {
		if _, err := os.Stat(dir); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PIPELINES", pipelines)
			e.Setenv("HALIDEIR", forCUDA)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exit": exitCode},
	})
}

// exitCode runs a command and checks what it exits with.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit N COMMAND [arguments]")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("usage: exit N COMMAND [arguments]: %v", err)
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%v: exit code %d, want %d", args[1:], got, want)
	}
}

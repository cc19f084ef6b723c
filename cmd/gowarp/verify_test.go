//go:build halide

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// TestVerify runs the scripts in testdata/verify with everything built as `make build` does:
// $GOWARP, $PLUGIN; harris, compiled ahead of time ($HARRIS), on $PHOTO; a pipeline that
// is JIT compiled ($PYTHON $JIT); $DRIVER, which runs any kernel.
func TestVerify(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, args := range [][]string{
		{"go", "build", "-o", filepath.Join(dir, "gowarp"), "./cmd/gowarp"},
		{"go", "build", "-o", filepath.Join(dir, "gpusim", "gowarp-gpusim"), "./gpusim/libcuda/gowarp-gpusim"},
		{"gcc", "-std=gnu11", "-O2", "-fvisibility=hidden", "-shared", "-fPIC", "gpusim/libcuda/driver/libcuda.c", "-o", filepath.Join(dir, "gpusim", "libcuda.so"), "-ldl", "-lpthread"},
		{"gcc", "-std=gnu11", "-O1", "cmd/gowarp/testdata/verify/driver.c", "-o", filepath.Join(dir, "driver"), "-ldl"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = tree.Root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	e, err := tree.Emit(harness.Generator{Source: "benchmarks/programs/harris/harris.cc", Name: "harris"},
		harness.EmitOptions{Target: "host-cuda-cuda_capability_86", Scheduler: harness.Gowarp(nil)})
	if err != nil {
		t.Fatal(err)
	}
	program, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	photo := filepath.Join(dir, "photo.npy")
	if err := harness.WriteNPY(photo, suite.Photograph(t, tree, 67, 45)); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/verify",
		Setup: func(env *testscript.Env) error {
			for name, value := range map[string]string{
				"GOWARP": filepath.Join(dir, "gowarp"), "DRIVER": filepath.Join(dir, "driver"), "HARRIS": program.Path, "PHOTO": photo, "PLUGIN": tree.Plugin(),
				"PYTHON": tree.Build("venv", "bin", "python3"), "JIT": tree.Path("gpusim/libcuda/testdata/jit.py"), "SCHEMA": tree.Path("gpusim/report.schema.json"),
			} {
				env.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "schema": validates, "json": holds, "lines": pick},
	})
}

// exits CODE COMMAND...: the command ends with that code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	var code *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); !errors.As(err, &code) {
		ts.Fatalf("it ended without a failure: %v", err)
	}
	if strconv.Itoa(code.ExitCode()) != args[0] {
		ts.Fatalf("exit code %d, want %s", code.ExitCode(), args[0])
	}
}

// schema FILE: the file is as the report's schema says.
func validates(ts *testscript.TestScript, _ bool, args []string) {
	schema, err := jsonschema.NewCompiler().Compile(ts.Getenv("SCHEMA"))
	ts.Check(err)
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(schema.Validate(instance))
}

// json FILE PATH=VALUE...: what the file holds at each path, nothing for "".
func holds(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, a := range args[1:] {
		// A path may have a condition with a = in it.
		at := strings.LastIndex(a, "=")
		path, want := a[:at], a[at+1:]
		if got := gjson.Get(text, path).String(); got != want {
			ts.Fatalf("%s is %q, want %q", path, got, want)
		}
	}
}

// lines [-v|-m1] PATTERN FROM TO: the lines that match, those that do not, the first that does.
func pick(ts *testscript.TestScript, _ bool, args []string) {
	flag := ""
	if strings.HasPrefix(args[0], "-") {
		flag, args = args[0], args[1:]
	}
	pattern := regexp.MustCompile(args[0])
	var out strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if pattern.MatchString(line) != (flag == "-v") {
			out.WriteString(line)
			if flag == "-m1" {
				break
			}
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(out.String()), 0o666))
}

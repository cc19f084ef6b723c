//go:build halide

// Package peers has scripts that time, on a machine with a GPU, what a user would otherwise pick. Its tests run them
// without one, with NumPy in the place of CuPy: the array programs, the comparison and the
// processes. What needs PyTorch is not tested here.
package peers

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle/run"
	"gowarp/benchmarks/harness"
)

// rehearse runs the scripts of a directory and returns the outcomes by program and what they are of.
func rehearse(t *testing.T, tree *harness.Tree, dir string, args ...string) (outcomes map[string]run.Line, code int, said string) {
	t.Helper()
	lines := filepath.Join(t.TempDir(), "lines.jsonl")
	cmd := exec.Command(tree.Build("venv", "bin", "python3"), append([]string{filepath.Join(dir, "run.py"), "--rehearse", "--framework", "cupy", "--out", lines}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	all, unread, err := run.ReadFile(lines)
	if err != nil || unread > 0 {
		t.Fatalf("%d lines cannot be read: %v\n%s", unread, err, &out)
	}
	outcomes = map[string]run.Line{}
	for _, l := range all {
		outcomes[l.Program+" "+l.Scheduler] = l
	}
	return outcomes, cmd.ProcessState.ExitCode(), out.String()
}

func TestRehearsal(t *testing.T) {
	t.Parallel()
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	// Opened here so that `go test` knows that its result depends on them.
	scripts, err := filepath.Glob(tree.Path("benchmarks", "peers", "*.py"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range scripts {
		if _, err := os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "peers")
	if _, err := tree.Python("benchmarks/peers/prepare.py", dir); err != nil {
		t.Fatal(err)
	}
	got, code, said := rehearse(t, tree, dir)
	const numpy = " numpy, for cupy"
	for _, p := range []string{"harris", "unsharp", "blur", "bilateral_grid", "mat_mul", "conv_layer", "hist"} {
		if l := got[p+numpy]; l.Outcome != bench.OK || l.CompulsoryBytes == 0 || l.Elements == 0 || l.GPUCold != nil {
			t.Errorf("%s: %+v", p, l)
		}
	}
	if code != 0 || len(got) != 7 {
		t.Errorf("exit code %d\n%s", code, said)
	}

	// A result that is not the reference's is said, and so is a process that ends; the others go on.
	if err := os.Rename(filepath.Join(dir, "checks", "blur.npy"), filepath.Join(dir, "checks", "hist.npy")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "array_programs.py")
	programs, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	programs = append(programs, "\ndef mat_mul(xp, a, b):\n    import os\n    os._exit(7)\n\n\nright = harris\n\n\ndef harris(xp, input):\n    out = right(xp, input)\n    out[3, 5] += 1\n    return out\n"...)
	if err := os.WriteFile(file, programs, 0o666); err != nil {
		t.Fatal(err)
	}
	got, code, said = rehearse(t, tree, dir, "--program", "hist", "--program", "mat_mul", "--program", "harris", "--framework", "triton")
	for key, want := range map[string][2]string{
		"hist" + numpy:    {bench.WrongResult, "got uint8[3, 152, 264], want uint16[3, 152, 264]"},
		"mat_mul" + numpy: {run.Crashed, "exit code 7"},
		"harris" + numpy:  {bench.WrongResult, "1 of 40128 elements differ, the first at [3, 5]"},
		"harris triton":   {"not-installed", "No module named"},
		"mat_mul triton":  {"not-installed", "No module named"},
	} {
		if l := got[key]; l.Outcome != want[0] || !strings.Contains(l.Reason, want[1]) {
			t.Errorf("%s: %q %q, want %q", key, l.Outcome, l.Reason, want)
		}
	}
	if code != 1 {
		t.Errorf("exit code %d\n%s", code, said)
	}
	if _, code, said = rehearse(t, tree, dir, "--program", "haris"); code != 2 || !strings.Contains(said, "there is no program 'haris'") {
		t.Errorf("exit code %d\n%s", code, said)
	}
	// Where there is nothing to measure on, that is said, once.
	if out, err := exec.Command(tree.Build("venv", "bin", "python3"), filepath.Join(dir, "run.py"), "--out", filepath.Join(t.TempDir(), "lines.jsonl")).CombinedOutput(); err == nil || !bytes.Contains(out, []byte("no PyTorch that finds a GPU")) {
		t.Errorf("%v\n%s", err, out)
	}
	// Nothing but its own is removed.
	if _, err := tree.Python("benchmarks/peers/prepare.py", t.TempDir()); err == nil || !strings.Contains(err.Error(), "was not made by this") {
		t.Errorf("%v", err)
	}
}

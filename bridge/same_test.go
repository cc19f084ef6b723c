//go:build halide

package bridge

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
)

// The check leaves no trace: neither in the schedule nor in the code, down to the names that
// Halide numbers. (Where members are read at scaled places, as in pyramids, what only the check makes safe is left out without it.)
func TestCheckChangesNothing(t *testing.T) {
	for name, source := range map[string]string{
		"harris": "benchmarks/programs/harris", "hist": "benchmarks/programs/hist",
		"profile": "testdata/strangers/profile", "labels": "testdata/strangers/labels",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exe, err := tree(t).Compile(harness.Generator{Source: source + "/" + name + ".cc", Name: name})
			if err != nil {
				t.Fatal(err)
			}
			mode := "gowarp"
			if name == "profile" { // of which the default has a kernel that the check refuses
				mode = "autogpu"
			}
			var dirs []string
			for _, check := range []string{"0", "1"} {
				dir := t.TempDir()
				dirs = append(dirs, dir)
				out := ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, exe, "-g", name, "-o", dir, "-e", "schedule,stmt,device_code",
					"-p", tree(t).Plugin(), cudaTarget, "autoscheduler=gowarp", "autoscheduler.mode="+mode, "autoscheduler.check="+check)
				if checked := strings.Contains(out, "gowarp: check: as expected: "); checked != (check == "1") {
					t.Errorf("check=%s:\n%s", check, out)
				}
			}
			if a, b := body(t, dirs[0], name), body(t, dirs[1], name); a != b {
				t.Errorf("two schedules:\n%s\n%s", a, b)
			}
			for _, ext := range []string{"stmt", "device_code"} {
				a, err := os.ReadFile(filepath.Join(dirs[0], name+"."+ext))
				if err != nil {
					t.Fatal(err)
				}
				b, err := os.ReadFile(filepath.Join(dirs[1], name+"."+ext))
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(a, b) {
					t.Errorf("the %s differs", ext)
				}
			}
		})
	}
}

// Interpreters have threads and locks of their own, and so has the plugin.
func TestPythonThreads(t *testing.T) {
	out := ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, tree(t).Build("venv", "bin", "python"), filepath.Join("testdata", "threads.py"), tree(t).Plugin())
	if n := strings.Count(out, "gowarp: check: as expected: "); n != 32 || !strings.Contains(out, "done") {
		t.Errorf("%d of 32 schedules were as expected:\n%s", n, out)
	}
}

//go:build halide

package schedule_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
)

// TestPythonAppliesTheSameSchedule: a pipeline that the plugin scheduled and one scheduled by
// the module that Python wrote lower to the same code, but for generated names.
func TestPythonAppliesTheSameSchedule(t *testing.T) {
	build, err := filepath.Abs("../../build")
	if err != nil {
		t.Fatal(err)
	}
	plugin := filepath.Join(build, "libautoschedule_gowarp.so")
	if _, err := os.Stat(plugin); err != nil {
		t.Fatalf("no plugin (make build): %v", err)
	}
	python := func(t *testing.T, args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(build, "venv", "bin", "python"), append([]string{"testdata/apply.py"}, args...)...)
		cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	read := func(t *testing.T, file string) string {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for name, want := range map[string][]string{
		"corners":  {".compute_at(out, ", "hl.MemoryType.GPUShared", ".bound_storage("},
		"equalise": {".atomic()", "hist.update(0)", ".gpu_single_thread()"},
		"means":    {".rfactor([(", "total_parts = total_intm.in_()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := func(base string) string { return filepath.Join(dir, base) }
			python(t, name, plugin, file("pipeline.json"), file("plugin.stmt"))
			p, err := halideir.Decode([]byte(read(t, file("pipeline.json"))))
			if err != nil {
				t.Fatal(err)
			}
			prm, err := autoscheduler.ParseParams(map[string]map[string]string{"means": {"any_size": "0"}, "corners": {"mode": "autogpu"}, "equalise": {"mode": "autogpu"}}[name])
			if err != nil {
				t.Fatal(err)
			}
			s, err := autoscheduler.Schedule(p, prm)
			if err != nil {
				t.Fatal(err)
			}
			if all := len(s.Directives); name == "means" { // nor is how addresses are computed
				s.Directives = slices.DeleteFunc(s.Directives, func(d schedule.Directive) bool {
					return d.Do == schedule.ChainAddresses || d.Do == schedule.VectorAccess
				})
				if len(s.Directives) == all {
					t.Error("no addresses are chained")
				}
				if err := os.WriteFile(file("schedule.json"), s.JSON(), 0o666); err != nil {
					t.Fatal(err)
				}
				python(t, name, plugin, file("schedule.json"), file("plugin.stmt"))
			}
			text, err := s.Python(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("no %q in\n%s", w, text)
				}
			}
			if err := os.WriteFile(file("emitted.py"), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			python(t, name, file("emitted.py"), file("python.stmt"))
			a, b := renamed(read(t, file("plugin.stmt"))), renamed(read(t, file("python.stmt")))
			if !strings.Contains(a, "halide_cuda_run") {
				t.Fatal("the plugin's code launches no kernel")
			}
			if line, x, y := firstDifference(a, b); line > 0 {
				t.Errorf("line %d of the plugin's code and of the module's:\n%s\n%s", line, x, y)
			}
			if name == "corners" {
				if out := python(t, "renamed", file("emitted.py")); !strings.Contains(out, "the schedule was made for another pipeline") {
					t.Errorf("another pipeline: %s", out)
				}
			}
		})
	}
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_$.]*`)

// kernelsBytes is where the size of the kernels' text stands, in which such names are too.
var kernelsBytes = regexp.MustCompile(`(?m)(halide_cuda_initialize_kernels\(.*), [0-9]+\)$`)

// factored is the number behind the name of partial results: the plugin makes them on a copy of the pipeline first.
var factored = regexp.MustCompile(`_intm(\$|__)\d+`)

// declared are a kernel's parameters before it uses them. They stand in the order of names, which counters are part of.
var declared = regexp.MustCompile(`(?m)^\t\.param .*\n`)

// launched is a kernel's launch, with its arguments in the order of its parameters.
var launched = regexp.MustCompile(`(?m)^.*halide_cuda_run\(.*$`)

// renamed numbers the names that Halide makes with a counter in the order in which they occur.
func renamed(stmt string) string {
	counter := regexp.MustCompile(`[0-9]+`)
	seen := map[string]string{}
	stmt = factored.ReplaceAllString(stmt, "_intm")
	stmt = kernelsBytes.ReplaceAllString(stmt, "$1")
	stmt = declared.ReplaceAllString(stmt, "")
	stmt = word.ReplaceAllStringFunc(stmt, func(s string) string {
		if !counter.MatchString(s) {
			return s
		}
		if seen[s] == "" {
			seen[s] = fmt.Sprintf("%s#%d", counter.ReplaceAllString(s, "N"), len(seen))
		}
		return seen[s]
	})
	return launched.ReplaceAllStringFunc(stmt, func(s string) string {
		arguments := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '(' || r == ')' || r == ' ' })
		slices.Sort(arguments)
		return strings.Join(arguments, " ")
	})
}

// firstDifference is the number, from 1, and the text of the first line that differs; 0 if
// none does.
func firstDifference(a, b string) (line int, x, y string) {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(la), len(lb)) {
		x, y := "", ""
		if i < len(la) {
			x = la[i]
		}
		if i < len(lb) {
			y = lb[i]
		}
		if x != y || i >= len(la) || i >= len(lb) {
			return i + 1, x, y
		}
	}
	return 0, "", ""
}

//go:build halide

package bridge

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What users get wrong is an error with words that help, and never a crash.
func TestErrorsOfUsers(t *testing.T) {
	small, dir := compiled(t, "small"), t.TempDir()
	for _, c := range []struct {
		name   string
		target string
		more   []string
		words  []string
	}{
		{"no GPU", "target=x86-64-linux", nil, []string{"gowarp: the target x86-64-linux", "no GPU feature", "target=host-opencl"}},
		{"already scheduled", cudaTarget, []string{"mistake=scheduled"}, []string{"gowarp: ", "sums", "compute_root()"}},
		{"traced", cudaTarget, []string{"mistake=traced"}, []string{"gowarp: ", "sums", "trace_stores()"}},
		{"no estimates", cudaTarget, []string{"mistake=estimates"}, []string{"gowarp: ", "out", "estimate"}},
		{"unknown parameter", cudaTarget, []string{"autoscheduler.mod=x"}, []string{"gowarp: ", "unknown parameter mod", "mode"}},
		{"bad value", cudaTarget, []string{"autoscheduler.max_registers=many"}, []string{"gowarp: ", "max_registers=many"}},
		{"dump onto a folder", cudaTarget, []string{"autoscheduler.dump=" + dir}, []string{"gowarp: dump=" + dir + ": it is a folder; name a file"}},
		{"dump into a file", cudaTarget, []string{"autoscheduler.dump=testdata/small.cc/p.json"}, []string{"gowarp: dump=testdata/small.cc/p.json: testdata/small.cc is not a folder"}},
		{"dump into nowhere", cudaTarget, []string{"autoscheduler.dump=/nonexistent/p.json"}, []string{"gowarp: dump=/nonexistent/p.json: the folder /nonexistent does not exist"}},
		{"save into nowhere", cudaTarget, []string{"autoscheduler.save=/nonexistent/s.json"}, []string{"gowarp: save=/nonexistent/s.json: the folder /nonexistent does not exist"}},
		{"save onto a folder", cudaTarget, []string{"autoscheduler.save=" + dir}, []string{"gowarp: save=" + dir + ": it is a folder; name a file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fails(t, nil, small, scheduled(t, "small", c.target, c.more...), c.words...)
		})
	}
}

// Stage::unscheduled() says "I know that this has no schedule": it is none.
func TestUnscheduledIsNoSchedule(t *testing.T) {
	ok(t, nil, compiled(t, "small"), scheduled(t, "small", cudaTarget, "mistake=touched")...)
}

// The dump is written even if scheduling fails, whole, with nothing beside it.
func TestDumpOfWhatCannotBeScheduled(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pipeline.json")
	fails(t, nil, compiled(t, "small"), scheduled(t, "small", cudaTarget, "mistake=scheduled", "autoscheduler.dump="+file), "scheduled")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := found{t, decoded(t, data)}
	want := []string{"compute_root()", "store_in(heap)", "reorder_storage(y, x)", "split(x, xo, xi, 8)", "vectorize(xi)"}
	if got := f.fn("sums").Scheduled; strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("sums is scheduled %q, want %q", got, want)
	}
	if got := f.fn("out").Scheduled; len(got) != 1 || got[0] != "update(0).parallel(y)" {
		t.Errorf("out is scheduled %q", got)
	}
	// The loops are those of the untouched stage all the same.
	if l := f.fn("sums").Stages[0].Loops; len(l) != 2 || l[0].Label != "x" || l[1].Label != "y" {
		t.Errorf("sums has loops %v", l)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

func TestQuietUnlessAsked(t *testing.T) {
	small := compiled(t, "small")
	if out := ok(t, nil, small, scheduled(t, "small", cudaTarget)...); out != "" {
		t.Errorf("it prints %q", out)
	}
	out := ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, small, scheduled(t, "small", cudaTarget)...)
	if !regexp.MustCompile(`(?m)^gowarp: 3 Funcs, [0-9],[0-9]{3} B of JSON: export [0-9.]+ ms, schedule [0-9.]+ ms, apply [0-9.]+ ms$`).MatchString(out) {
		t.Errorf("no line of times in\n%s", out)
	}
	if !strings.Contains(out, "kernel out") {
		t.Errorf("no loop nest in\n%s", out)
	}
	if strings.Contains(out, "runner-up") {
		t.Errorf("reasons that nobody asked for in\n%s", out)
	}
	out = ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=2"}, small, scheduled(t, "small", cudaTarget)...)
	if !strings.Contains(out, "runner-up") || !strings.Contains(out, "kernel out") {
		t.Errorf("no reasons or no loop nest in\n%s", out)
	}
}

// Two targets in one command: Halide asks twice.
func TestTwoTargets(t *testing.T) {
	args := scheduled(t, "small", "target=x86-64-linux-avx-cuda-cuda_capability_50-sse41,x86-64-linux-cuda-cuda_capability_50", "-f", "small")
	args[5] = "static_library"
	out := ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, compiled(t, "small"), args...)
	if n := strings.Count(out, "gowarp: 3 Funcs"); n != 2 {
		t.Errorf("it was asked %d times:\n%s", n, out)
	}
}

func TestLibraryUsers(t *testing.T) {
	driver, plugin := compiled(t, "driver"), tree(t).Plugin()

	t.Run("loaded twice", func(t *testing.T) {
		second := filepath.Join(t.TempDir(), "copy.so")
		data, err := os.ReadFile(plugin)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(second, data, 0o777); err != nil {
			t.Fatal(err)
		}
		out := ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, driver, "twice", plugin, second)
		if !strings.Contains(out, "gowarp: the plugin is loaded twice in this process") {
			t.Errorf("it does not say so:\n%s", out)
		}
	})

	t.Run("forked after loading", func(t *testing.T) {
		r := run(t, nil, driver, "fork", plugin)
		if r.code != 7 || !strings.Contains(r.out, "forked after the plugin was loaded") {
			t.Errorf("the child ended with %d and said %s", r.code, r.out)
		}
	})

}

// TestPythonLibrary: load_plugin, apply_autoscheduler and JIT compilation in one process.
func TestPythonLibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script, dump := filepath.Join("testdata", "library.py"), filepath.Join(dir, "p.json")
	python := tool(t, "python")
	const first = "import sys, re; src = open(sys.argv[1]).read().split('# Without')[0]; sys.argv[1:] = sys.argv[2:]; exec(src); scheduled(params={'dump': dump})"
	ok(t, nil, python, "-c", first, script, tree(t).Plugin(), dump, "-")
	schedule := savedSchedule(t, []byte(text(t, dump)), "--param", "mode=autogpu")
	wide := regexp.MustCompile(`("x_i"\],"n":)\d+`)
	data := text(t, schedule)
	if n := len(wide.FindAllString(data, -1)); n != 1 {
		t.Fatalf("%d splits of x in\n%s", n, data)
	}
	if err := os.WriteFile(schedule, []byte(wide.ReplaceAllString(data, "${1}24")), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := ok(t, tree(t).OpenCLEnv(), python, script, tree(t).Plugin(), dump, schedule); !strings.HasSuffix(out, "done\n") {
		t.Errorf("it prints %s", out)
	}
}

// The three parts of a run of the plugin on features.cc, as it reports them.
func BenchmarkPlugin(b *testing.B) {
	exe := compiled(b, "features")
	times := regexp.MustCompile(`(export|schedule|apply) ([0-9.]+) ms`)
	total := map[string]float64{}
	for b.Loop() {
		out := ok(b, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, exe, scheduled(b, "features", cudaTarget)...)
		parts := times.FindAllStringSubmatch(out, -1)
		if len(parts) != 3 {
			b.Fatal(out)
		}
		for _, p := range parts {
			ms, err := strconv.ParseFloat(p[2], 64)
			if err != nil {
				b.Fatal(err)
			}
			total[p[1]] += ms
		}
	}
	b.ReportMetric(0, "ns/op") // the process is mostly Halide's compiler
	for part, ms := range total {
		b.ReportMetric(ms/float64(b.N), part+"-ms")
	}
}

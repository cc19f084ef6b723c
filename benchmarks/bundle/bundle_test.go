//go:build halide

package bundle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gowarp/autoscheduler/coster"
	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle"
	"gowarp/benchmarks/bundle/run"
	"gowarp/benchmarks/harness"
	"gowarp/gpusim/libcuda/simulator"
)

// tiny is a bundle of one program by two schedulers at two sizes.
func tiny(t *testing.T) (*harness.Tree, bundle.Options) {
	t.Helper()
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	p, err := bench.FindProgram(tree, tree.Root, "harris,width=128,height=128")
	if err != nil {
		t.Fatal(err)
	}
	target, err := bench.ParseTarget("h200")
	if err != nil {
		t.Fatal(err)
	}
	o := bundle.Options{
		Dir: filepath.Join(t.TempDir(), "bundle"), Programs: []bench.Program{p}, Target: target, Scale: 2, Workers: 1, MaxBytes: 16 << 20, Log: io.Discard,
		Limits: bench.Limits{CPUSeconds: 60}, Tolerance: harness.Default,
	}
	for _, w := range []string{"gowarp", "expert", "Mullapudi2016:parallelism=x"} {
		s, err := bench.ParseScheduler(w)
		if err != nil {
			t.Fatal(err)
		}
		o.Schedulers = append(o.Schedulers, s)
	}
	return tree, o
}

// rehearse starts a bundle's runner on the simulator.
func rehearse(t *testing.T, tree *harness.Tree, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	// A link of its own, for the test in which it goes.
	driver, simulator := t.TempDir(), tree.Build("gpusim", "gowarp-gpusim")
	if _, err := os.Stat(simulator); err != nil {
		t.Fatalf("no simulator, run `make build`: %v", err)
	}
	if err := os.Symlink(tree.Build("gpusim", "libcuda.so"), filepath.Join(driver, "libcuda.so")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, bundle.RunnerFile), append([]string{"--out", filepath.Join(dir, "lines.jsonl"), "--rounds", "2",
		"--warm-ms", "0", "--sample-ms", "0", "--samples", "1", "--flush-mib", "1", "--copy-mib", "1"}, args...)...)
	// Somewhere else, and with nothing of this checkout's but the simulator.
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "TMPDIR=" + cmd.Dir, "LD_LIBRARY_PATH=" + driver, "GOWARP_GPUSIM_CHECKS=0",
		"GOWARP_GPUSIM_SERVER=" + simulator, "GOWARP_TEST_DEVICE=" + filepath.Join(driver, "libcuda.so")}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(cmd.Dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// lines reads what a rehearsal wrote, by size, cap and scheduler.
func lines(t *testing.T, dir string) map[string]run.Line {
	t.Helper()
	all, unread, err := run.ReadFile(filepath.Join(dir, "lines.jsonl"))
	if err != nil || unread > 0 {
		t.Fatalf("%d lines cannot be read: %v", unread, err)
	}
	by := map[string]run.Line{}
	for _, l := range all {
		key := l.Size + " " + l.Scheduler
		if l.Cap != 64 {
			key += " uncapped"
		}
		if _, twice := by[key]; twice {
			t.Errorf("two lines of %s", key)
		}
		by[key] = l
	}
	return by
}

// TestRehearsal builds a bundle, adds cells that end badly, and runs it on the simulator.
func TestRehearsal(t *testing.T) {
	t.Parallel()
	tree, o := tiny(t)
	size, err := bundle.Build(t.Context(), tree, o)
	if err != nil {
		t.Fatal(err)
	}
	if size < 1<<20 {
		t.Errorf("the bundle holds %d bytes: the programs that run it alone are larger", size)
	}
	m, err := bundle.Open(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(m.Glibc, "2.") || m.ID == "" {
		t.Errorf("glibc %q, id %q", m.Glibc, m.ID)
	}
	p := &m.Programs[0]
	if len(p.Cells) != 3 || p.Cells[2].Outcome == bench.OK || p.Cells[2].Reason == "" || p.Cells[2].Library != "" {
		t.Fatalf("a scheduler that fails is a cell with its reason: %+v", p.Cells)
	}
	if len(p.Sizes) != 3 || !slices.Equal(p.Sizes[2].Arguments[1].Shape, []int{64, 64}) || !slices.Equal(p.Sizes[1].Arguments[1].Shape, []int{256, 256}) || p.Sizes[0].CompulsoryBytes() != 128*128*7 || p.Sizes[0].Elements() != 128*128 {
		t.Fatalf("sizes %+v", p.Sizes)
	}
	p.Sizes = p.Sizes[:2]
	broken := []string{"crashes", "hangs", "computes nothing", "fails", "crashes later", "hangs later", "forgets", "takes the GPU"}
	real, outcome, _, err := bench.Emit(tree, o.Programs[0], o.Schedulers[1], o.Target.Device, o.HalideTarget(), o.Limits)
	if err != nil || outcome != bench.OK {
		t.Fatal(outcome, err)
	}
	for kind, name := range broken {
		library := filepath.Join(bundle.LibrariesDir, name+".so")
		out, err := exec.Command("g++", "-shared", "-fPIC", "-DKIND="+string(rune('0'+kind)), "-Wno-implicit-fallthrough", "testdata/broken.cc", "-o", filepath.Join(o.Dir, library),
			"-Wl,--allow-multiple-definition,--whole-archive", real.File("a"), "-Wl,--no-whole-archive").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		p.Cells = append(p.Cells, bundle.Cell{Scheduler: name, Library: library, Outcome: bench.OK})
	}
	unplugs := p.Cells[len(p.Cells)-1]
	p.Cells[len(p.Cells)-1] = bundle.Cell{Scheduler: "is lost", Library: "libraries/none.so", Outcome: bench.OK}
	if err := m.Write(o.Dir); err != nil {
		t.Fatal(err)
	}

	constants := filepath.Join(o.Dir, "micro.jsonl")
	table, log, code := rehearse(t, tree, o.Dir, "--limit", "1500ms", "--size", "estimate", "--micro", constants, "--micro-bytes", "65536", "--micro-scale", "0.01")
	if code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, table, log)
	}
	got := lines(t, o.Dir)
	for scheduler, want := range map[string][2]string{
		"gowarp":                      {bench.OK, ""},
		"expert":                      {bench.OK, ""},
		"Mullapudi2016:parallelism=x": {p.Cells[2].Outcome, p.Cells[2].Reason},
		"crashes":                     {run.Crashed, "signal: aborted"},
		"hangs":                       {bench.TimedOut, "no answer to first in 1.5s"},
		"computes nothing":            {bench.WrongResult, "16384 of 16384 elements differ"},
		"fails":                       {bench.FailsToRun, "returned -7"},
		"crashes later":               {run.Crashed, "signal: aborted"},
		"hangs later":                 {bench.TimedOut, "no answer to time"},
		"forgets":                     {run.Unstable, "16384 of 16384 elements differ"},
		"is lost":                     {bench.FailsToRun, "none.so"},
	} {
		for _, cap := range []string{"", " uncapped"} {
			l, ok := got["estimate "+scheduler+cap]
			if !ok || l.Outcome != want[0] || !strings.Contains(l.Reason, want[1]) {
				t.Errorf("%s%s: %q %q, want %q", scheduler, cap, l.Outcome, l.Reason, want)
			}
			if !strings.Contains(table, "| "+scheduler+" | ") {
				t.Errorf("%s is not in the table", scheduler)
			}
		}
	}
	for _, scheduler := range []string{"gowarp", "expert"} {
		l := got["estimate "+scheduler]
		if l.Rounds != 2 || l.Launches < 1 || l.GPUCold == nil || l.GPUWarm == nil || l.WallCold == nil || l.WallWarm == nil || l.GPUCold.Samples != 2 || len(l.Kernels) < 1 ||
			l.OverBase == nil || !(l.OverBase[1] <= l.OverBase[0] && l.OverBase[0] <= l.OverBase[2]) || !(l.CopyShare > 0) || l.Device.Capability != 86 || l.Differing != 0 {
			t.Errorf("%s: %+v", scheduler, l)
		}
		launches := 0
		for _, k := range l.Kernels {
			launches += k.Launches
		}
		if launches != l.Launches {
			t.Errorf("%s: %d launches of kernels, %d of the call", scheduler, launches, l.Launches)
		}
	}

	// Every kernel of the device's figures runs. Their values are the simulator's noise.
	micro, err := os.ReadFile(constants)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"launch, queued", "DRAM copy", "L2 write", "latency DRAM", "issue fma.f32", "issue shfl.sync.down", "ld.shared, 32 lanes", "bar.sync, 1024", "red.global, one", "spill"} {
		if !bytes.Contains(micro, []byte(`"micro":"`+want)) {
			t.Errorf("no figure %s", want)
		}
	}
	said := map[string]string{}
	for l := range bytes.Lines(micro) {
		var f run.Figure
		if err := json.Unmarshal(l, &f); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		said[f.Micro] = f.Unit
	}
	for want, unit := range coster.MachineFigures() { // what machine=FILE reads
		if said[want] != unit {
			t.Errorf("figure %s in %q, %q is wanted", want, said[want], unit)
		}
	}
	if bytes.Contains(micro, []byte(`"error"`)) {
		t.Errorf("%s", micro)
	}

	// Nor do they race or read what nobody wrote.
	reports := t.TempDir()
	checked := exec.Command(filepath.Join(o.Dir, bundle.MicroFile), "65536", "0.01")
	checked.Env = []string{"LD_LIBRARY_PATH=" + tree.Build("gpusim"), "GOWARP_GPUSIM_REPORTS=" + reports}
	if out, err := checked.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found, err := simulator.Collect(reports)
	if err != nil || len(found) != 1 || found[0].Wrong() || len(found[0].Kernels) == 0 {
		t.Errorf("the device's figures on the simulator: %+v, %v", found, err)
	}

	// What is measured is not measured again; what a run that was killed left half is.
	file := filepath.Join(o.Dir, "lines.jsonl")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(before, `{"schema":1,"progr`...), 0o666); err != nil {
		t.Fatal(err)
	}
	_, log, code = rehearse(t, tree, o.Dir, "--resume", "--registers", "64", "--scheduler", "gowarp", "--scheduler", "expert", "--budget", "1ms")
	if code != 4 || !strings.Contains(log, "--resume") {
		t.Errorf("a budget that is too short: exit code %d\n%s", code, log)
	}
	table, log, code = rehearse(t, tree, o.Dir, "--resume", "--registers", "64", "--scheduler", "gowarp", "--scheduler", "expert")
	if code != 0 || strings.Contains(log, "estimate") || !strings.Contains(log, "large, 64 registers: 2 cells") || !strings.Contains(log, "1 lines cannot be read") {
		t.Errorf("exit code %d\n%s", code, log)
	}
	if !strings.Contains(table, "`estimate`") || !strings.Contains(table, "`large`") || !strings.Contains(table, "Geometric mean") {
		t.Errorf("the table has all lines of the file:\n%s", table)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(after, before) {
		t.Errorf("lines that were there are gone: %v", err)
	}
	if n := bytes.Count(after, []byte(`"size":"large"`)); n != 2 {
		t.Errorf("%d lines of the large size", n)
	}
	if err := os.WriteFile(file, bytes.Replace(after, []byte("{\"schema\":1,\"progr\n"), nil, 1), 0o666); err != nil {
		t.Fatal(err)
	}
	// The table alone is the same.
	again, _, code := rehearse(t, tree, o.Dir, "--table")
	if code != 0 || again != table {
		t.Errorf("--table, exit code %d:\n%s", code, again)
	}
	// A GPU that does not answer any more ends the run, and the next one goes on behind.
	p.Cells = []bundle.Cell{p.Cells[1], unplugs}
	if err := m.Write(o.Dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"estimate", "large"} {
		if _, log, code = rehearse(t, tree, o.Dir, "--resume", "--registers", "64"); code != 1 || !strings.Contains(log, "the GPU is lost after harris,height=128,width=128, "+want) {
			t.Errorf("exit code %d\n%s", code, log)
		}
		if l := lines(t, o.Dir)[want+" takes the GPU"]; l.Outcome != run.DeviceLost || !strings.Contains(l.Reason, "aborted") {
			t.Errorf("%q %q", l.Outcome, l.Reason)
		}
	}
	if _, log, code = rehearse(t, tree, o.Dir, "--resume", "--registers", "64"); code != 0 {
		t.Errorf("exit code %d\n%s", code, log)
	}
	if _, log, code = rehearse(t, tree, o.Dir, "--program", "haris"); code != 1 || !strings.Contains(log, "haris") {
		t.Errorf("a program that is not there: exit code %d\n%s", code, log)
	}
}

// TestCounters: a profiler runs each cell's process, and its table becomes a line a launch; what it has no table of is said, and so is that there is none.
func TestCounters(t *testing.T) {
	t.Parallel()
	tree, o := tiny(t)
	o.Schedulers, o.Scale = o.Schedulers[:2], 1
	if _, err := bundle.Build(t.Context(), tree, o); err != nil {
		t.Fatal(err)
	}
	counters := filepath.Join(o.Dir, "counters.jsonl")
	if _, log, code := rehearse(t, tree, o.Dir, "--counters", counters); code != 1 || !strings.Contains(log, "Nsight Compute") {
		t.Errorf("without a profiler: exit code %d\n%s", code, log)
	}
	// In the bundle's own folder, which rehearse puts on the search path.
	profiler := `#!/bin/sh
while [ "$1" != "${1#--}" ]; do case $1 in --log-file) log=$2; shift 2;; --csv|--force-overwrite) shift;; *) shift 2;; esac; done
"$@" || exit
case $3 in *expert*) echo "==ERROR== it is busy" >$log; exit;; esac
printf '==PROF== done\n"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"\n"","","","","ns"\n"0","k","(32, 1, 1)","(4, 1, 1)","1,500"\n' >$log
`
	if err := os.WriteFile(filepath.Join(o.Dir, run.Profiler), []byte(profiler), 0o777); err != nil {
		t.Fatal(err)
	}
	_, log, code := rehearse(t, tree, o.Dir, "--counters", counters, "--registers", "64", "--size", "estimate")
	if code != 0 || !strings.Contains(log, "it is busy") || !strings.Contains(log, "by gowarp: 1 launches counted") {
		t.Errorf("exit code %d\n%s", code, log)
	}
	text, err := os.ReadFile(counters)
	var c run.Counted
	if err = errors.Join(err, json.Unmarshal(text, &c)); err != nil {
		t.Fatal(err)
	}
	if c.Scheduler != "gowarp" || c.Kernel != "k" || c.Grid != "(4, 1, 1)" || c.Cap != 64 || c.Counters["gpu__time_duration.sum"] != 1500 {
		t.Errorf("%+v", c)
	}
}

// TestTooLarge: a bundle that is too large to travel is an error that says so.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	tree, o := tiny(t)
	o.Schedulers, o.MaxBytes, o.Scale = o.Schedulers[:1], 1<<20, 1
	if _, err := bundle.Build(t.Context(), tree, o); err == nil || !strings.Contains(err.Error(), "more than 1") {
		t.Errorf("%v", err)
	}
}

// TestMirror: the picture that a bundle makes is the benchmark's.
func TestMirror(t *testing.T) {
	t.Parallel()
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	photo, err := tree.Photograph("coffee", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{600, 400}, {77, 55}, {1300, 900}} {
		want, err := tree.Photograph("coffee", size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		got, err := harness.Mirror(photo, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := harness.Compare(got, want, harness.Tolerance{}); err != nil {
			t.Errorf("%v: %v", size, err)
		}
	}
}

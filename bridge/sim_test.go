//go:build halide

package bridge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/gpusim/count"
)

// counted is a kernel as the cache of search=sim has it.
type counted struct {
	Kernel string
	Count  count.Kernel
}

// cachedCounts are the files of the cache, and all that is in them.
func cachedCounts(t *testing.T, cache string) (files []string, all []counted) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cache, "sim", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		var kept struct{ Answer []counted }
		if err := json.Unmarshal([]byte(text(t, f)), &kept); err != nil {
			t.Fatal(err)
		}
		all = append(all, kept.Answer...)
	}
	return files, all
}

// program emits a program of a size.
//
// Without Funcs that hold reductions: with them the cost alone picks nl_means' best by instructions over occupancy, and the counts, by the longest bound, others.
func program(t *testing.T, name, cache, search string, width, height int) *harness.Emission {
	t.Helper()
	e, err := tree(t).Emit(harness.Generator{Source: "benchmarks/programs/" + name + "/" + name + ".cc", Name: name, Params: map[string]string{"width": fmt.Sprint(width), "height": fmt.Sprint(height)}},
		harness.EmitOptions{Target: "host-cuda-cuda_capability_75", Scheduler: harness.Gowarp(map[string]string{"gpu": "rtx2080ti", "search": search, "cache_write": "0"}), Fresh: true,
			Env: []string{"GOWARP_CACHE=" + cache, "HL_DEBUG_AUTOSCHEDULE=1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Remove(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// fullRun runs all blocks of a program on the simulator, by the driver that stands in for CUDA's, and returns what it counts of each kernel.
func fullRun(t *testing.T, e *harness.Emission, in harness.Args, out map[string][]int) []counted {
	t.Helper()
	p, err := tree(t).Link(e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.SimulateWith(in, out, harness.SimulateOptions{Capability: 75, GPU: "rtx2080ti", CountOnly: true})
	if err != nil || s.Failure != nil || s.Report == nil {
		t.Fatalf("%v, %+v", err, s)
	}
	var all []counted
	for _, k := range s.Report.Kernels {
		all = append(all, counted{k.Name, k.Count})
	}
	return all
}

// issued is how many warp instructions all kernels of such a run take.
func issued(t *testing.T, e *harness.Emission, in harness.Args, out map[string][]int) (n int64) {
	t.Helper()
	for _, k := range fullRun(t, e, in, out) {
		n += k.Count.WarpInstructions
	}
	return n
}

// TestSimCounts: where all blocks of a trial run, the judge counts of every kernel what a run of the finished program counts, to the last sector; and
// explain says so.
func TestSimCounts(t *testing.T) {
	t.Parallel()
	const width, height = 192, 128
	cache := t.TempDir()
	e := program(t, "harris", cache, "sim", width, height)
	_, judged := cachedCounts(t, cache)
	ran := fullRun(t, e, harness.Args{"input": harness.NewArray(harness.U8, width, height, 3)}, map[string][]int{"output": {width, height}})
	if len(ran) == 0 {
		t.Error("nothing ran")
	}
	for _, k := range ran {
		k.Count.ColdBytes = 0 // of a sample it is not known
		if !slices.Contains(judged, k) {
			t.Errorf("nothing like this was counted:\n%+v\nbut\n%+v", k, judged)
		}
	}
}

// TestSearchBySim: search=sim takes kernels that issue less for each warp that is resident than those that the cost alone takes, by a full run of both on the
// simulator; the same ones again, from a cache without running anything, from one that is damaged and without one.
func TestSearchBySim(t *testing.T) {
	t.Parallel()
	const width, height = 192, 128
	issued := func(e *harness.Emission) (sum float64) {
		resident := map[string]float64{}
		for _, m := range regexp.MustCompile(`(?m)^kernel (\w+)[^\n]* occupancy ([\d.]+)`).FindAllStringSubmatch(e.Log, -1) {
			resident[m[1]], _ = strconv.ParseFloat(m[2], 64)
		}
		for _, k := range fullRun(t, e, harness.Args{"input": harness.NewArray(harness.F32, width, height, 3), "sigma": 0.25}, map[string][]int{"output": {width, height, 3}}) {
			of, _, _ := strings.Cut(strings.TrimPrefix(k.Kernel, "_kernel_"), "_s0_")
			of, _, _ = strings.Cut(of, "_s1_")
			if resident[of] == 0 {
				t.Fatalf("no occupancy of %s (%s) in\n%s", of, k.Kernel, e.Log)
			}
			sum += float64(k.Count.WarpInstructions) / resident[of]
		}
		return sum
	}
	runs := regexp.MustCompile(`gowarp: (\d+) trials compiled`)
	cache := t.TempDir()
	model, first := program(t, "nl_means", cache, "model", width, height), program(t, "nl_means", cache, "sim", width, height)
	compiled := runs.FindStringSubmatch(first.Log)
	if strings.Contains(model.Log, "trials compiled") || compiled == nil {
		t.Fatalf("by the cost:\n%s\nby the simulator:\n%s", model.Log, first.Log)
	}
	schedule := func(e *harness.Emission) string { return body(t, e.Dir, e.Name) }
	before, after := issued(model), issued(first)
	if schedule(model) == schedule(first) || after >= before {
		t.Errorf("%.0f warp instructions over occupancy, by the cost alone %.0f", after, before)
	}
	t.Logf("%.0f warp instructions over occupancy, by the cost alone %.0f", after, before)

	files, _ := cachedCounts(t, cache)
	if n, _ := strconv.Atoi(compiled[1]); len(files) != n || n == 0 {
		t.Fatalf("%d files in the cache, %s", len(files), compiled[0])
	}
	bytes := text(t, files[0])
	if again := program(t, "nl_means", cache, "sim", width, height); schedule(again) != schedule(first) || runs.MatchString(again.Log) {
		t.Errorf("from the cache another schedule, or run again:\n%s", again.Log)
	}
	if err := os.Truncate(files[0], 20); err != nil {
		t.Fatal(err)
	}
	if again := program(t, "nl_means", cache, "sim", width, height); schedule(again) != schedule(first) || !strings.Contains(again.Log, "gowarp: 1 trials compiled") {
		t.Errorf("from a damaged cache another schedule, or nothing is run:\n%s", again.Log)
	}
	if text(t, files[0]) != bytes {
		t.Error("the same trial is counted otherwise the second time")
	}
	again := program(t, "nl_means", filepath.Join(files[0], "no directory"), "sim", width, height)
	if schedule(again) != schedule(first) || !strings.Contains(again.Log, "search=sim: nothing is kept for the next run") {
		t.Errorf("without a cache another schedule, or no word of it:\n%s", again.Log)
	}
}

// trials runs the generator of that name.
func trials(t *testing.T, cache string, params ...string) (schedule, said string) {
	t.Helper()
	args := scheduled(t, "trials", cudaTarget, append(params, "autoscheduler.check=0")...)
	said = ok(t, []string{"GOWARP_CACHE=" + cache, "HL_DEBUG_AUTOSCHEDULE=2"}, compiled(t, "trials"), args...)
	return body(t, args[3], "trials"), said
}

// TestSimRunsAnyLayout: pixels one after the other, regions that do not begin at 0, tables, scalars and reductions: every kernel is counted, and it is said.
func TestSimRunsAnyLayout(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	_, said := trials(t, cache, "autoscheduler.search=sim", "autoscheduler.write_out=0", "autoscheduler.separate=0") // an update is a kernel of its own
	if strings.Contains(said, "not judged") || !strings.Contains(said, "by the simulator: ") {
		t.Error(said)
	}
	_, all := cachedCounts(t, cache)
	for _, kernel := range []string{"_kernel_out_s0_", "_kernel_out_s1_", "_kernel_other_s0_"} {
		if n := slices.IndexFunc(all, func(c counted) bool { return strings.HasPrefix(c.Kernel, kernel) && c.Count.GlobalStores > 0 }); n < 0 {
			t.Errorf("%s was not counted: %+v", kernel, all)
		}
	}
}

// TestSimCannotRun: where trials cannot be run the cost decides, and the user is told, asked or not; where the first alone cannot, the cost's own choice stays.
func TestSimCannotRun(t *testing.T) {
	t.Parallel()
	for what, why := range map[string]string{
		"extern": "ext is computed by the extern function nobody_has_this, which is not here while the pipeline is compiled",
		"huge":   "exceeds the maximum size",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			by, said := trials(t, t.TempDir(), "autoscheduler.search=sim", "what="+what)
			if !strings.Contains(said, "gowarp: warning: search=sim: none of ") || !strings.Contains(said, why) {
				t.Errorf("it does not say why:\n%s", said)
			}
			if model, _ := trials(t, t.TempDir(), "what="+what); model != by {
				t.Errorf("another schedule than the cost's:\n%s\nbut\n%s", by, model)
			}
			args := scheduled(t, "trials", cudaTarget, "what="+what, "autoscheduler.search=sim")
			if out := ok(t, []string{"GOWARP_CACHE=" + t.TempDir()}, compiled(t, "trials"), args...); strings.Count(out, "gowarp: warning: search=sim: none of ") != 1 {
				t.Errorf("it prints %q", out)
			}
		})
	}
	t.Run("crash", func(t *testing.T) {
		t.Parallel()
		args := scheduled(t, "trials", cudaTarget, "autoscheduler.check=0", "autoscheduler.search=sim")
		shell := append([]string{"-c", `ulimit -S -c "$(ulimit -H -c)"; exec env "$@"`, "sh", preloadedC(t, "trouble"), "TROUBLE=segv", compiled(t, "trials")}, args...)
		said := ok(t, []string{"GOWARP_CACHE=" + t.TempDir(), "HL_DEBUG_AUTOSCHEDULE=1"}, "/bin/sh", shell...)
		if !strings.Contains(said, "search=sim: trial 1 was not judged: it died: Segmentation fault") || strings.Contains(said, "none of") {
			t.Error(said)
		}
		if model, _ := trials(t, t.TempDir()); body(t, args[3], "trials") != model {
			t.Error("another schedule than the cost's, of which nothing was counted")
		}
	})
	// What is wrong before anything runs is an error.
	fails(t, nil, compiled(t, "trials"), scheduled(t, "trials", "target=x86-64-linux-opencl", "autoscheduler.search=sim"), "gowarp: ", "search=sim: the simulator runs kernels for CUDA only")
	fails(t, nil, compiled(t, "trials"), scheduled(t, "trials", cudaTarget, "autoscheduler.search=simm"), "gowarp: ", "search", `did you mean "sim"?`)
	fails(t, nil, compiled(t, "trials"), scheduled(t, "trials", cudaTarget, "autoscheduler.search=sim", "autoscheduler.cost=listing1"), "gowarp: ", "search=sim counts what kernels issue", "cost=listing1 takes no notice")
}

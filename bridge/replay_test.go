//go:build halide

package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/halideir/schedule"
)

// savedSchedule schedules a dump by the command line and keeps the schedule.
func savedSchedule(t testing.TB, dump []byte, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	pipeline, file := filepath.Join(dir, "pipeline.json"), filepath.Join(dir, "schedule.json")
	if err := os.WriteFile(pipeline, dump, 0o666); err != nil {
		t.Fatal(err)
	}
	text := ok(t, nil, tree(t).Build("gowarp"), append([]string{"schedule", "--format", "json", pipeline}, more...)...)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	// The command line takes it back.
	if again := ok(t, nil, tree(t).Build("gowarp"), "schedule", "--format", "json", pipeline, "--param", "schedule="+file); again != text {
		t.Errorf("replayed by the command line:\n%s\nsaved:\n%s", again, text)
	}
	return file
}

// TestReplayByTheGenerator: a schedule that no search would find comes back through every
// door, for several targets in one run too, whose names have other counters.
func TestReplayByTheGenerator(t *testing.T) {
	file := savedSchedule(t, dumpOf(t, "small", "autoscheduler.mode=autogpu"), "--param", "mode=autogpu")
	const split, odd = `"x_i"],"n":32,`, `"x_i"],"n":24,`
	data := text(t, file)
	if strings.Count(data, split) != 2 {
		t.Fatalf("no two splits by 32 in\n%s", data)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(data, split, odd)), 0o666); err != nil {
		t.Fatal(err)
	}
	searched := scheduled(t, "small", cudaTarget, "autoscheduler.mode=autogpu")
	ok(t, nil, compiled(t, "small"), searched...)
	want := strings.ReplaceAll(body(t, searched[3], "small"), "x_i, 32,", "x_i, 24,")
	explicit := scheduled(t, "small", cudaTarget, "autoscheduler.schedule="+file)
	ok(t, nil, compiled(t, "small"), explicit...)
	if got := body(t, explicit[3], "small"); got != want {
		t.Errorf("replayed:\n%s\nwant:\n%s", got, want)
	}
	args, dir := unaware(t)
	ok(t, preloaded(t, "HL_AUTOSCHEDULER=gowarp", "HL_AUTOSCHEDULER_PARAMS=schedule="+file), compiled(t, "small"), args...)
	if got := body(t, dir, "small"); got != want {
		t.Errorf("by the variable:\n%s\nwant:\n%s", got, want)
	}
	two := scheduled(t, "small", cudaTarget+",x86-64-linux-cuda-cuda_capability_50", "-f", "small", "autoscheduler.schedule="+file)
	two[5] = "static_library"
	ok(t, nil, compiled(t, "small"), two...)

	fails(t, nil, compiled(t, "features"), scheduled(t, "features", cudaTarget, "autoscheduler.schedule="+file),
		"gowarp: ", "schedule="+file, "it was made for another pipeline: here are no Funcs sums, out")
	fails(t, nil, compiled(t, "small"), scheduled(t, "small", cudaTarget, "autoscheduler.schedule=/nonexistent.json"),
		"gowarp: ", "schedule=/nonexistent.json", "no such file")
}

// TestSaveByTheGenerator: what is saved is what was applied, also where the check took a runner-up, which the command line,
// whose schedules nothing lowers, cannot know (lens_blur: Halide cannot prove extents that the first answer says).
func TestSaveByTheGenerator(t *testing.T) {
	for name, source := range map[string]string{"small": "bridge/testdata/small.cc", "lens_blur": "benchmarks/programs/lens_blur/lens_blur.cc"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr, dir := tree(t), t.TempDir()
			exe, err := tr.Compile(harness.Generator{Source: source, Name: name})
			if err != nil {
				t.Fatal(err)
			}
			saved, dump := filepath.Join(dir, "saved.json"), filepath.Join(dir, "pipeline.json")
			first := scheduled(t, name, cudaTarget, "autoscheduler.save="+saved, "autoscheduler.dump="+dump)
			said := ok(t, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, exe, first...)
			replayed := scheduled(t, name, cudaTarget, "autoscheduler.schedule="+saved)
			ok(t, nil, exe, replayed...)
			if got, want := body(t, replayed[3], name), body(t, first[3], name); got != want {
				t.Errorf("replayed:\n%s\nsaved:\n%s", got, want)
			}
			unchecked := ok(t, nil, tr.Build("gowarp"), "schedule", "--format", "json", "--param", "check=1", dump)
			if refused := strings.Contains(said, "runner-up"); refused != (name == "lens_blur") || refused == (text(t, saved) == unchecked) {
				t.Errorf("the check took a runner-up: %v; what was saved is the first answer: %v", refused, text(t, saved) == unchecked)
			}
		})
	}
}

// sources are the programs whose schedules are compiled by hand.
var sources = map[string]string{
	"harris": "benchmarks/programs/harris/harris.cc", "hist": "benchmarks/programs/hist/hist.cc",
	"profile": "testdata/strangers/profile/profile.cc", "labels": "testdata/strangers/labels/labels.cc", "pyramid": "testdata/strangers/pyramid/pyramid.cc",
}

// TestScheduleSource: the schedule that -e schedule writes, included into the generator as
// its author's own, gives the same code.
func TestScheduleSource(t *testing.T) {
	tr := tree(t)
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := harness.EmitOptions{Target: strings.TrimPrefix(cudaTarget, "target="), Outputs: []string{"stmt", "device_code", "schedule"}}
			params := map[string]string{"any_size": "0", "fuse_init": "0", "cache_write": "0", "separate": "0"} // which no source says
			options.Scheduler = harness.Gowarp(params)
			auto, err := tr.Emit(harness.Generator{Source: source, Name: name}, options)
			if err != nil {
				t.Fatal(err)
			}
			header := text(t, auto.File("schedule.h"))
			if strings.Contains(header, "// This is not all of the schedule") {
				var passes []string
				for _, do := range schedule.OfPasses() {
					passes = append(passes, string(do))
				}
				plain := lacking(t, harness.Generator{Source: source, Name: name}, params, passes...)
				options.Scheduler = harness.Gowarp(map[string]string{"schedule": plain})
				if auto, err = tr.Emit(harness.Generator{Source: source, Name: name}, options); err != nil {
					t.Fatal(err)
				}
			}
			code := text(t, tr.Path(source))
			if n := strings.Count(code, "    void generate() {"); n != 1 {
				t.Fatalf("%s has %d generate()", source, n)
			}
			code = strings.Replace(code, "    void generate() {", fmt.Sprintf(
				"    void schedule() { apply_schedule_%s(this->get_pipeline(), this->get_target()); }\n\n    void generate() {", name), 1)
			file := filepath.Join(t.TempDir(), name+".cc")
			if err := os.WriteFile(file, []byte(header+code), 0o666); err != nil {
				t.Fatal(err)
			}
			options.Scheduler = harness.Unscheduled()
			byHand, err := tr.Emit(harness.Generator{Source: file, Name: name}, options)
			if err != nil {
				t.Fatal(err)
			}
			for _, ext := range []string{"stmt", "device_code"} {
				got, want := uncounted(text(t, byHand.File(ext))), uncounted(text(t, auto.File(ext)))
				if len(want) == 0 {
					t.Fatalf("no %s", ext)
				}
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Errorf("%s, line %d: by hand %q, by gowarp %q", ext, i+1, append(got, "")[min(i, len(got))], want[i])
						break
					}
				}
			}
		})
	}
}

func text(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// counters are behind what is declared twice ($3), what Halide's simplifier keeps (t17) and
// loops that nobody named (v5).
var counters = regexp.MustCompile(`[A-Za-z_]\w*\$\d+|\bt\d+|_v\d+`)

// again is the number of a loop's name in the name of its kernel, if loops have the same.
var again = regexp.MustCompile(`(_kernel_\w*?)__\d+(_param_\d+)?\b`)

// made is the number in the name of what a factored reduction makes: the plugin has made one of that name before, on a copy.
var made = regexp.MustCompile(`(_intm)(\$|__)\d+`)

// size is that of the PTX with its names.
var size = regexp.MustCompile(`(cuda_gpu_source_kernels\.buffer\)), \d+\)`)

// uncounted numbers Halide's counters anew, by their first appearance: two texts are then
// equal if they differ in those alone. The rest of a name stays.
func uncounted(s string) []string {
	names := map[string]string{}
	s = made.ReplaceAllString(s, "$1")
	s = again.ReplaceAllString(s, "$1$2")
	s = counters.ReplaceAllStringFunc(s, func(name string) string {
		if names[name] == "" {
			names[name] = fmt.Sprintf("%s#%d", strings.TrimRight(name, "0123456789"), len(names))
		}
		return names[name]
	})
	return strings.Split(size.ReplaceAllString(s, "$1)"), "\n")
}

// TestReplayElsewhere: who replays a schedule for another device, or another kind of target, than it was made for is told, and only then.
func TestReplayElsewhere(t *testing.T) {
	file := savedSchedule(t, dumpOf(t, "small"), "--gpu", "rtx3090")
	const said = "gowarp: warning: the schedule in "
	for _, test := range []struct{ target, gpu, words string }{
		{cudaTarget, "", ""},
		{cudaTarget, "rtx3090", ""},
		{cudaTarget, "h100", "was made for rtx3090, and is replayed for h100"},
		{"target=x86-64-linux-cuda-cuda_capability_61", "", "was made for cuda-cuda_capability_86, and is replayed for cuda-cuda_capability_61"},
		{"target=x86-64-linux-opencl", "", "was made for cuda-cuda_capability_86, and is replayed for opencl"},
	} {
		args := []string{"autoscheduler.schedule=" + file}
		if test.gpu != "" {
			args = append(args, "autoscheduler.gpu="+test.gpu)
		}
		out := ok(t, nil, compiled(t, "small"), scheduled(t, "small", test.target, args...)...)
		if told := strings.Contains(out, said); told != (test.words != "") || !strings.Contains(out, test.words) {
			t.Errorf("%s gpu=%s: %q, which should say %q", test.target, test.gpu, out, test.words)
		}
	}
}

// TestDumpRemembersDevice: what the command line makes of a dump is for the device that the plugin scheduled for, unless it is told another.
func TestDumpRemembersDevice(t *testing.T) {
	dir := t.TempDir()
	dump, saved := filepath.Join(dir, "p.json"), filepath.Join(dir, "s.json")
	ok(t, nil, compiled(t, "small"), scheduled(t, "small", cudaTarget, "autoscheduler.gpu=h100", "autoscheduler.dump="+dump, "autoscheduler.save="+saved)...)
	gowarp := tree(t).Build("gowarp")
	if out := ok(t, nil, gowarp, "explain", dump); !strings.HasPrefix(out, "for h100 ") {
		t.Errorf("explained for another: %.60s", out)
	}
	if out := ok(t, nil, gowarp, "explain", dump, "--gpu", "a100"); !strings.HasPrefix(out, "for a100 ") {
		t.Errorf("explained for another than was asked for: %.60s", out)
	}
	want := strings.Replace(text(t, saved), `"gpu":"h100",`, "", 1) // which is no parameter of the command line's
	if out := ok(t, nil, gowarp, "schedule", dump, "--format", "json"); out != want {
		t.Errorf("scheduled:\n%s\nsaved:\n%s", out, want)
	}
}

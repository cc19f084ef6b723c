//go:build halide

package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gowarp/benchmarks/harness"
)

// script is a plan whose cells are shell scripts in place of gowarp, by scheduler.
func script(t *testing.T, scripts map[string]string, log *bytes.Buffer) (*harness.Tree, Plan) {
	t.Helper()
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	target, err := ParseTarget("t4")
	if err != nil {
		t.Fatal(err)
	}
	p, err := FindProgram(tree, tree.Root, "harris")
	if err != nil {
		t.Fatal(err)
	}
	plan := Plan{Programs: []Program{p}, Targets: []Target{target}, UpTo: UpToStatic, Limits: Limits{60, 60, 1 << 33}, Workers: 1, Results: t.TempDir(), Log: log}
	var names []string
	for name := range scripts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s, err := ParseScheduler(name)
		if err != nil {
			t.Fatal(err)
		}
		plan.Schedulers = append(plan.Schedulers, s)
	}
	// The job is on standard input; the script is chosen by the scheduler in it.
	text := "job=$(cat); case \"$job\" in\n"
	for _, name := range names {
		text += fmt.Sprintf("*'\"Scheduler\":{\"name\":\"%s\"'*) %s;;\n", name, scripts[name])
	}
	text += "esac"
	plan.Command = func(ctx context.Context) (*exec.Cmd, error) { return exec.CommandContext(ctx, "sh", "-c", text), nil }
	return tree, plan
}

// TestCellsThatEndBadly: whatever a cell's process does, there is a line of it, with how far
// it came, and the others are run.
func TestCellsThatEndBadly(t *testing.T) {
	var log bytes.Buffer
	tree, plan := script(t, map[string]string{
		"root":          `echo '{"outcome":"ok","launches":3}'`,
		"Li2018":        `echo '{"outcome":"","phase":"ptxas","schedule_seconds":2}'; echo '{"outcome":"o'; kill -9 $$`,
		"Anderson2021":  `echo '{"phase":"schedule"}'; sleep 600 & sleep 600`,
		"Mullapudi2016": `echo nonsense; echo 'gone: cannot go on' >&2; exit 1`,
		"gowarp":        `echo '{"outcome":"ok","program":"another","key":"k","gpu":"h200"}'`,
	}, &log)
	plan.Limits.CellSeconds = 5
	sum, err := Run(t.Context(), tree, plan)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Run != 5 || len(sum.Broken) != 2 || len(sum.Records) != 5 {
		t.Errorf("%+v", sum)
	}
	for _, r := range sum.Records {
		got := r.Outcome + " " + r.Phase + " " + r.Reason
		want := map[string]string{
			"root":          "ok  ",
			"Li2018":        "broken ptxas the cell's process: signal: killed",
			"Anderson2021":  "timed-out schedule stopped after 5 s",
			"Mullapudi2016": "broken  gone: cannot go on",
			"gowarp":        "ok  ",
		}[r.Scheduler]
		if got != want {
			t.Errorf("%s: %q, want %q", r.Scheduler, got, want)
		}
		if r.Program != "harris" || r.GPU != "t4" || len(r.Key) != 24 || r.Versions["halide"] == "" || r.Machine.Cores < 1 {
			t.Errorf("what the cell is comes from the plan: %+v", r)
		}
		if r.Scheduler == "Li2018" && r.ScheduleSeconds != 2 || r.Scheduler == "root" && r.Launches != 3 {
			t.Errorf("%s: what was known is lost", r.Scheduler)
		}
	}
	// What is broken is run again; what was stopped only under a higher limit. Why what is kept
	// is not ok is said again.
	for _, c := range []struct{ limit, run int }{{5, 2}, {6, 3}} {
		plan.Limits.CellSeconds = c.limit
		log.Reset()
		if sum, err = Run(t.Context(), tree, plan); err != nil || sum.Run != c.run || sum.Kept != 5-c.run {
			t.Errorf("limit %d s: %+v, %v", c.limit, sum, err)
		}
		if said := regexp.MustCompile(`(?m)^kept: harris  Anderson2021  t4  timed-out \(.*\): stopped after 5 s$`).MatchString(log.String()); said != (c.limit == 5) {
			t.Errorf("limit %d s: %s", c.limit, log.String())
		}
	}
}

// cancelOn calls stop when what is written holds a word.
type cancelOn struct {
	mu   sync.Mutex
	word string
	stop context.CancelFunc
	text strings.Builder
}

func (c *cancelOn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(p)
	if strings.Contains(c.text.String(), c.word) {
		c.stop()
	}
	return len(p), nil
}

// TestInterruption: what is finished when a run is stopped stays, what is running leaves
// nothing, and the next run goes on.
func TestInterruption(t *testing.T) {
	tree, plan := script(t, map[string]string{
		"Anderson2021": `echo '{"outcome":"ok"}'`,
		"Li2018":       `echo '{"outcome":"ok"}'`,
		"root":         `echo '{"outcome":"ok"}'`,
	}, nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	plan.Log = &cancelOn{word: "1/3", stop: stop}
	sum, err := Run(ctx, tree, plan)
	if err == nil || sum.Run != 1 || sum.Records != nil {
		t.Fatalf("%+v, %v", sum, err)
	}
	records, complaints, err := ReadFile(ResultsFile(plan.Results, "t4"))
	if err != nil || len(records) != 1 || complaints != nil || records[0].Outcome != OK {
		t.Fatalf("%+v %q %v", records, complaints, err)
	}
	plan.Log = &bytes.Buffer{}
	if sum, err = Run(t.Context(), tree, plan); err != nil || sum.Run != 2 || sum.Kept != 1 || len(sum.Records) != 3 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestProgramsTakeNoTarget: what the benchmark's own options say is refused as a program's
// parameter, where it would quietly lose against them, or win.
func TestProgramsTakeNoTarget(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"harris,target=host":           "--gpu says",
		"harris,autoscheduler=Li2018":  "--scheduler NAME:KEY=VALUE says",
		"harris,autoscheduler.gpu=t4":  "--scheduler NAME:KEY=VALUE says",
		"harris,width=300,height=200":  "",
		"harris,autoscheduled=nothing": "", // the generator says that it has none
	} {
		if _, err := FindProgram(tree, tree.Root, word); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", word, err, want)
		}
	}
}

// source writes a generator and finds it.
func source(t *testing.T, tree *harness.Tree, name, body string) Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".cc")
	text := "#include \"Halide.h\"\nusing namespace Halide;\nclass G : public Generator<G> {\npublic:\n    Output<Buffer<float, 2>> out{\"out\"};\n    void generate() {\n        Var x, y;\n        out(x, y) = cast<float>(x + y);\n" +
		body + "\n    }\n};\nHALIDE_REGISTER_GENERATOR(G, " + name + ")\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := FindProgram(tree, tree.Root, path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProgramThatDoesNotCompile: its cells are lines that say so, the others are run, and once it compiles so are its own.
func TestProgramThatDoesNotCompile(t *testing.T) {
	var log bytes.Buffer
	tree, plan := script(t, map[string]string{"root": `echo '{"outcome":"ok"}'`, "Li2018": `echo '{"outcome":"ok"}'`}, &log)
	bad := source(t, tree, "bad", "        nosuch();")
	plan.Programs = append([]Program{bad}, plan.Programs...)
	for range 2 { // what is known of it is not kept: a header of it may be mended
		sum, err := Run(t.Context(), tree, plan)
		if err != nil || len(sum.Failing) != 1 || !strings.HasPrefix(sum.Failing[0], "bad: bad.cc:9") || !strings.Contains(sum.Failing[0], "nosuch") || len(sum.Broken) != 0 || len(sum.Records) != 4 {
			t.Fatalf("%+v, %v", sum, err)
		}
		for _, r := range sum.Records {
			if want := map[string]string{"bad": ProgramFails, "harris": OK}[r.Program]; r.Outcome != want || r.Key == "" {
				t.Errorf("%s %s: %s (%s)", r.Program, r.Scheduler, r.Outcome, r.Reason)
			}
		}
	}
	plan.Programs[0] = source(t, tree, "bad", "")
	sum, err := Run(t.Context(), tree, plan)
	if err != nil || sum.Failing != nil || sum.Run != 2 || sum.Kept != 2 || sum.Records[0].Outcome != OK {
		t.Errorf("mended: %+v, %v", sum, err)
	}
}

// TestProgramsThatFail: what a program does wrong whoever schedules it is not said of a scheduler.
func TestProgramsThatFail(t *testing.T) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	estimated := "        out.set_estimates({{0, 65}, {0, 33}});\n"
	for _, c := range []struct {
		name, body, scheduler string
		seconds               int
		outcome, reason       string
	}{
		{"crashes", estimated + "        *(volatile int *)nullptr = 1;", "gowarp", 60, ProgramFails, "signal: segmentation fault"},
		{"unestimated", "", "gowarp", 60, ProgramFails, "the output out has no estimate"},
		{"hangs", estimated + "        for (volatile int i = 0;; i = i + 1) {}", "gowarp", 1, TimedOut, "1 s of processor time"},
		{"fine", estimated, "gowarp", 60, OK, ""},
		{"fine", estimated, "gowarp:schedule=nosuch.json", 60, FailsToSchedule, "nosuch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := ParseScheduler(c.scheduler)
			if err != nil {
				t.Fatal(err)
			}
			var rec Record
			job := Job{Program: source(t, tree, c.name, c.body), Scheduler: s, GPU: "t4", UpTo: UpToSchedule, Limits: Limits{CPUSeconds: c.seconds}}
			if err := measure(tree, job, &rec, func(*Record) {}); err != nil || rec.Outcome != c.outcome || !strings.Contains(rec.Reason, c.reason) {
				t.Errorf("%s (%s), %v", rec.Outcome, rec.Reason, err)
			}
		})
	}
}

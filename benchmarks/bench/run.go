package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gowarp/benchmarks/harness"
)

// Plan is what is to be run.
type Plan struct {
	Programs   []Program
	Schedulers []Scheduler
	Targets    []Target
	UpTo       string
	// Counted gives the size at which a program's work is counted.
	Counted   func(Program) [2]int
	Tolerance harness.Tolerance
	Limits    Limits
	Workers   int
	// Results is the directory of the lines, a file a GPU.
	Results string
	// Again runs cells even where nothing has changed.
	Again bool
	// Command starts the process of a cell: it calls Cell.
	Command func(ctx context.Context) (*exec.Cmd, error)
	Log     io.Writer
}

// Summary is what became of a run.
type Summary struct {
	Cells, Kept, Run int
	Broken           []string // cells in which the benchmark itself failed
	Failing          []string // programs that fail whoever schedules them, each with the reason
	// Records are those of the plan's cells, run now or before; nil after an interruption.
	Records []Record
}

// ResultsFile is the file of a GPU's lines.
func ResultsFile(dir, gpu string) string { return filepath.Join(dir, gpu+".jsonl") }

// cell is a job with what its line starts from.
type cell struct {
	job      Job
	rec      Record
	expected float64 // seconds
}

// guess is how long a cell takes of which nothing is known, by how far it goes, in seconds.
var guess = map[string]float64{UpToSchedule: 2, UpToStatic: 8, UpToSimulate: 20, UpToCount: 5}

// Run runs the plan's cells that no line stands for yet. When the context ends it stops
// what is running; what was finished stays.
func Run(ctx context.Context, tree *harness.Tree, plan Plan) (*Summary, error) {
	sum := &Summary{}
	stores := map[string]*store{}
	defer func() {
		for _, s := range stores {
			s.close()
		}
	}()
	var todo []cell
	asked := map[[4]string]bool{} // true of those that are kept
	for _, target := range plan.Targets {
		path := ResultsFile(plan.Results, target.Device.Name)
		s, err := openStore(path)
		if err != nil {
			return nil, err
		}
		stores[target.Device.Name] = s
		records, complaints, err := ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, c := range complaints {
			fmt.Fprintln(plan.Log, c)
		}
		cells, err := plan.cells(ctx, tree, target)
		if err != nil {
			return nil, err
		}
		sum.Cells += len(cells)
		for _, c := range cells {
			old, took := known(records, c)
			old = old && !plan.Again
			asked[c.rec.cell()] = old
			if old {
				sum.Kept++
				continue
			}
			c.expected = guess[plan.UpTo]
			if took > 0 {
				c.expected = took
			}
			todo = append(todo, c)
		}
	}
	if sum.Kept > 0 {
		fmt.Fprintf(plan.Log, "%d of %d cells have not changed\n", sum.Kept, sum.Cells)
	}
	if err := plan.work(ctx, tree, todo, stores, sum); err != nil {
		return sum, err
	}
	for _, target := range plan.Targets {
		records, err := stores[target.Device.Name].compact()
		if err != nil {
			return sum, err
		}
		for _, r := range records {
			kept, ok := asked[r.cell()]
			if !ok {
				continue
			}
			sum.Records = append(sum.Records, r)
			if why := r.Program + ": " + r.Reason; r.Outcome == ProgramFails && !slices.ContainsFunc(sum.Failing, func(s string) bool { return strings.HasPrefix(s, r.Program+": ") }) {
				sum.Failing = append(sum.Failing, why)
			}
			if kept && r.Outcome != OK {
				fmt.Fprintf(plan.Log, "kept: %s\n", became(&r))
			}
		}
	}
	return sum, nil
}

// known reports whether a line says what this cell would: it was made from the same, and
// was not stopped by a limit lower than today's. It also returns how long the cell took last.
func known(records []Record, c cell) (same bool, seconds float64) {
	for _, r := range records {
		if c.rec.Outcome != "" {
			return false, 0 // what came of it is known without running it
		}
		if r.cell() != c.rec.cell() {
			continue
		}
		seconds = r.CellSeconds
		same = r.Key == c.rec.Key && r.Outcome != Broken
		switch {
		case r.Outcome == TimedOut:
			same = same && r.Limits.CPUSeconds >= c.job.Limits.CPUSeconds && r.Limits.CellSeconds >= c.job.Limits.CellSeconds
		case r.Outcome == OutOfMemory:
			same = same && r.Limits.MemoryBytes >= c.job.Limits.MemoryBytes
		}
	}
	return same, seconds
}

// cells lists the cells of a target, and compiles the generators, whose content their keys
// hold.
func (plan *Plan) cells(ctx context.Context, tree *harness.Tree, target Target) ([]cell, error) {
	var simulator []string
	if plan.UpTo == UpToSimulate || plan.UpTo == UpToCount {
		simulator = []string{tree.Build("gpusim", "gowarp-gpusim"), tree.Build("gpusim", "libcuda.so")}
	}
	machine, vers, rev := thisMachine(), Versions(tree), Commit(tree)
	var cells []cell
	for _, p := range plan.Programs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		generator, err := tree.Compile(p.Generator(nil))
		outcome, reason, fails := Fault(err, plan.Limits)
		switch {
		case fails: // all that its lines follow from
			if generator = p.Source; !filepath.IsAbs(generator) {
				generator = tree.Path(generator)
			}
		case err != nil:
			return nil, err
		default:
			if err := CheckParams(tree, p, target.Halide(), plan.Limits); err != nil {
				return nil, err
			}
		}
		for _, s := range plan.Schedulers {
			if !s.Does(p) {
				fmt.Fprintf(plan.Log, "%s: no cell of %s: %s itself declares no GeneratorParam schedule (headers are not looked at; --scheduler own takes what a generator does without an autoscheduler)\n", p.Label(), s.Name, p.Source)
				continue
			}
			job := Job{Program: p, Scheduler: s, GPU: target.Device.Name, UpTo: plan.UpTo, Limits: plan.Limits, Tolerance: plan.Tolerance}
			if plan.Counted != nil && (plan.UpTo == UpToSimulate || plan.UpTo == UpToCount) {
				job.Counted = plan.Counted(p)
			}
			with, params := s.harness(target.Device)
			files := append([]string{generator}, simulator...)
			plugin, err := tree.PluginFile(with)
			if err != nil {
				return nil, err
			}
			if plugin != "" {
				files = append(files, plugin)
			}
			if file := s.Params["registers"]; file != "" { // a profile, by which the schedule differs
				if !filepath.IsAbs(file) {
					file = tree.Path(file)
				}
				if _, err := os.Stat(file); err == nil {
					files = append(files, file)
				}
			}
			checked, _ := s.checked()
			about, err := json.Marshal(struct {
				Schema           int
				Params           map[string]string
				With             map[string]string
				Scheduler        string
				Target           Target
				UpTo             string
				Checked, Counted [2]int
				Most             [3]int
				Tolerance        harness.Tolerance
			}{Schema, p.Generator(params).Params, s.Resolved(target.Device), s.Name, target, job.UpTo, checked, job.Counted, [3]int{checkedElements, countedInstructions, sampledBlocks}, job.Tolerance})
			if err != nil {
				return nil, err
			}
			key, err := tree.ContentKey("bench", files, string(about))
			if err != nil {
				return nil, err
			}
			cells = append(cells, cell{job: job, rec: Record{
				Schema: Schema, Key: key, Program: p.Label(), Source: relative(p.Source), Params: p.Params,
				Scheduler: s.Label(), With: s.Resolved(target.Device), GPU: target.Device.Name, Target: target.Halide(), UpTo: plan.UpTo,
				Versions: vers, Commit: rev, Machine: machine, Limits: plan.Limits,
				Outcome: outcome, Phase: map[bool]string{true: phaseCompile}[fails], Reason: reason,
			}})
		}
	}
	return cells, nil
}

// work runs cells, so many at a time.
func (plan *Plan) work(ctx context.Context, tree *harness.Tree, todo []cell, stores map[string]*store, sum *Summary) error {
	var expected []float64
	for _, c := range todo {
		expected = append(expected, c.expected)
	}
	bar := newProgress(plan.Log, plan.Workers, expected)
	queue := make(chan cell)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range plan.Workers {
		wait.Go(func() {
			for c := range queue {
				if ctx.Err() != nil {
					continue
				}
				rec, err := plan.one(ctx, tree, c)
				if ctx.Err() != nil {
					continue // it was stopped: that says nothing
				}
				if err == nil {
					err = stores[rec.GPU].append(rec)
				}
				if err != nil {
					stop(err)
					continue
				}
				mu.Lock()
				sum.Run++
				if rec.Outcome == Broken {
					sum.Broken = append(sum.Broken, fmt.Sprintf("%s %s %s: %s", rec.Program, rec.Scheduler, rec.GPU, rec.Reason))
				}
				mu.Unlock()
				bar.finished(rec, c.expected)
			}
		})
	}
	for _, c := range todo {
		queue <- c
	}
	close(queue)
	wait.Wait()
	return context.Cause(ctx)
}

// one runs a cell in a process of its own and returns its record. An error is that there is
// no such process.
func (plan *Plan) one(ctx context.Context, tree *harness.Tree, c cell) (*Record, error) {
	if c.rec.Outcome != "" {
		rec := c.rec
		rec.Time = time.Now().UTC().Format(time.RFC3339)
		return &rec, nil
	}
	tmp, err := os.MkdirTemp("", "gowarp-bench-")
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(tmp)
	limited, cancel := context.WithTimeout(ctx, time.Duration(c.job.Limits.CellSeconds)*time.Second)
	defer cancel()
	cmd, err := plan.Command(limited)
	if err != nil {
		return nil, err
	}
	job, err := json.Marshal(c.job)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(job), &out, &errs
	cmd.Dir = tree.Root
	// What a cell that is killed leaves behind goes with this.
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	// The signal that the parent's end sends is that of the thread's end.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	group(cmd)
	start := time.Now()
	failed := cmd.Run()
	if failed != nil && cmd.ProcessState == nil {
		return nil, fmt.Errorf("bench: %w", failed)
	}
	rec := c.rec
	rec.Outcome = ""
	for line := range strings.Lines(out.String()) {
		// A process that is killed may leave half a line; the one before holds.
		next := c.rec
		if json.Unmarshal([]byte(line), &partial{&next}) == nil {
			rec = next
		}
	}
	rec.CellSeconds = round(time.Since(start).Seconds())
	rec.Time = start.UTC().Format(time.RFC3339)
	switch {
	case rec.Outcome != "":
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		rec.Outcome, rec.Reason = TimedOut, fmt.Sprintf("stopped after %d s", c.job.Limits.CellSeconds)
	default:
		rec.Outcome, rec.Reason = failure(fmt.Errorf("the cell's process: %v\n%s", failed, errs.String()), c.job.Limits, Broken)
	}
	return &rec, nil
}

func round(seconds float64) float64 { return float64(int(seconds*1000+.5)) / 1000 }

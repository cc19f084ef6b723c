package calibration

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
	"gowarp/halideir"
	"gowarp/internal/ptxas"
)

// Options say what is drawn and how it is counted.
type Options struct {
	Programs  []bench.Program
	Target    bench.Target
	Seed      uint64
	Draws     int    // a program
	Counted   [2]int // the size of the run that is counted
	Limits    bench.Limits
	Tolerance harness.Tolerance
	Workers   int
	Again     bool
	Quick     bool   // bench.UpToCount: for hundreds of schedules
	Uncounted bool   // nothing is run: predictions alone, to stand beside a bundle's times
	Out       string // the file of lines
	// Command starts the process of a cell: it calls bench.Cell.
	Command func(ctx context.Context) (*exec.Cmd, error)
	Log     io.Writer
}

// Summary is what became of it.
type Summary struct {
	Lines, Bad int
	Broken     []string // cells in which the benchmark itself failed
	Failing    []string // programs of which nothing was drawn, each with the reason
}

// Draw draws a program's schedules and writes them to files that the plugin replays. The
// schedulers are parallel to the lines.
func Draw(tree *harness.Tree, p bench.Program, t bench.Target, seed uint64, draws int, l bench.Limits) ([]Line, []bench.Scheduler, error) {
	_, lines, with, err := draw(tree, p, t, seed, draws, l)
	return lines, with, err
}

// draw is Draw, and returns the pipeline too.
func draw(tree *harness.Tree, p bench.Program, t bench.Target, seed uint64, draws int, l bench.Limits) (*halideir.Pipeline, []Line, []bench.Scheduler, error) {
	pipeline, err := Export(tree, p, t, l.CPUSeconds)
	if err != nil {
		return nil, nil, nil, err
	}
	lines, err := Schedules(pipeline, p.Label(), t.Device.Name, seed, draws)
	if err != nil {
		return nil, nil, nil, err
	}
	dir := filepath.Join("build", "calibration", "schedules")
	if err := os.MkdirAll(tree.Path(dir), 0o777); err != nil {
		return nil, nil, nil, fmt.Errorf("calibration: %w", err)
	}
	var with []bench.Scheduler
	for i := range lines {
		l := &lines[i]
		// Generators run at the root of the checkout; a name says what is in the file, so that what is
		// cached under it holds.
		file := filepath.Join(dir, l.Name+".json")
		if err := os.WriteFile(tree.Path(file), l.Schedule, 0o666); err != nil {
			return nil, nil, nil, fmt.Errorf("calibration: %w", err)
		}
		with = append(with, bench.Scheduler{Name: "gowarp", Params: map[string]string{"schedule": file}, As: l.Name})
	}
	return pipeline, lines, with, nil
}

// Make draws, counts and writes the lines, program by program; what was counted before and
// has not changed is not counted again. Lines of other draws that a program has in the file stay, see keep.
func Make(ctx context.Context, tree *harness.Tree, o Options) (*Summary, error) {
	sum := &Summary{}
	for _, p := range o.Programs {
		pipeline, lines, with, err := draw(tree, p, o.Target, o.Seed, o.Draws, o.Limits)
		if _, reason, ok := bench.Fault(err, o.Limits); ok {
			sum.Failing = append(sum.Failing, p.Label()+": "+reason)
			fmt.Fprintf(o.Log, "%s: nothing is drawn: %s\n", p.Label(), reason)
			continue
		}
		if err != nil {
			return sum, err
		}
		fmt.Fprintf(o.Log, "%s: %d schedules\n", p.Label(), len(lines))
		if o.Quick { // ptxas and the comparison see what the check before applying would
			for i := range with {
				with[i].Params["check"] = "0"
			}
		}
		upTo := bench.UpToSimulate
		if o.Quick {
			upTo = bench.UpToCount
		}
		if o.Uncounted {
			sum.Lines += len(lines)
			if err := Replace(o.Out, p.Label(), o.Target.Device.Name, lines); err != nil {
				return sum, err
			}
			continue
		}
		done, err := bench.Run(ctx, tree, bench.Plan{
			Programs: []bench.Program{p}, Schedulers: with, Targets: []bench.Target{o.Target}, UpTo: upTo,
			Counted:   func(bench.Program) [2]int { return o.Counted },
			Tolerance: o.Tolerance, Limits: o.Limits, Workers: o.Workers, Results: tree.Build("calibration", "cells"), Again: o.Again, Command: o.Command, Log: o.Log,
		})
		if err != nil {
			return sum, err
		}
		sum.Broken = append(sum.Broken, done.Broken...)
		by := map[string]*bench.Record{}
		for i := range done.Records {
			by[done.Records[i].Scheduler] = &done.Records[i]
		}
		for i := range lines {
			if r := by[lines[i].Name]; r != nil {
				lines[i].take(r)
			}
		}
		old, err := ReadFile(o.Out)
		if err != nil {
			return sum, err
		}
		if lines, err = keep(pipeline, lines, old, o.Log); err != nil {
			return sum, err
		}
		for i := range lines {
			sum.Lines++
			if lines[i].Outcome != bench.OK {
				sum.Bad++
			}
		}
		if err := Replace(o.Out, p.Label(), o.Target.Device.Name, lines); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// take notes what came of a schedule.
func (l *Line) take(r *bench.Record) {
	l.Outcome, l.Reason, l.Launches = r.Outcome, r.Reason, r.Launches
	for _, k := range r.Kernels {
		l.Registers = max(l.Registers, k.Registers)
		l.SpillBytes += k.SpillBytes
	}
	if r.Counted != nil {
		l.CountedSize, l.BlocksSampled, l.Counted = r.Counted.Size, r.Counted.Blocks, r.Counted.Per32
		for i := range l.Kernels {
			l.Kernels[i].take(r)
		}
	}
}

// take notes what was counted of a kernel. A Func whose label is not its name, as of two with one name, has nothing.
func (k *Kernel) take(r *bench.Record) {
	for i := range r.Kernels {
		c := r.Kernels[i].Count
		if c == nil || !ptxas.Of(r.Kernels[i].Name, k.Func, k.Stage) {
			continue
		}
		per := 32 / float64(r.Counted.Elements)
		k.Counted = map[string]float64{"warp_instructions": short(float64(c.WarpInstructions) * per), "sectors": short(float64(c.Sectors()) * per)}
		return
	}
}

// short is a figure with six digits, which is more than any of them means.
func short(v float64) float64 {
	s, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v
	}
	return s
}

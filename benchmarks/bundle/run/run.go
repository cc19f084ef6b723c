// Package run measures a bundle on the machine that it is on. Each cell has a process of its
// own (cxx/worker.cc), which lives as long as its program is measured: what crashes or hangs
// loses that cell alone, and the schedulers of a program take turns, round by round, so that
// what drifts (clocks, heat, other work) drifts for all.
//
// It knows the manifest and the worker's commands. It does not know Halide, or what CUDA is.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle"
)

// Options say what is measured, and how thoroughly.
type Options struct {
	Dir    string // the bundle
	Out    string // the file of lines, appended to
	Resume bool   // keep lines that are there; else the file is begun anew
	Budget time.Duration
	// Programs, Schedulers and Sizes, where given, are those that are measured.
	Programs, Schedulers, Sizes []string
	Caps                        []int // most registers a thread
	Rounds                      int
	WarmMS, SampleMS            float64       // of each time in a round
	MaxSamples                  int           // of each time in a round
	FlushMiB                    int           // copied before a cold call; 0: three times the L2
	CopyMiB                     int           // copied to measure the bandwidth
	Limit                       time.Duration // for a worker's answer
	ReferenceLimit              time.Duration
	Together                    int // processes that start at a time
	// Micro is a file for the device's constants (cxx/micro.cc), "": they are not measured.
	// MicroBytes and MicroScale are the memory of its copies and, below 1, a rehearsal.
	Micro      string
	MicroBytes int64
	MicroScale float64
	// Counters, where given, is a file of what Nsight Compute counts of each launch of one call of each cell; nothing else is measured then.
	Counters string
	Env      []string
	Log      io.Writer
}

// Default are the options of a run on a GPU.
func Default() Options {
	return Options{
		Caps: []int{64, 255}, Rounds: 5, WarmMS: 10, SampleMS: 20, MaxSamples: 50, CopyMiB: 512, MicroBytes: 1 << 30, MicroScale: 1,
		Limit: 60 * time.Second, ReferenceLimit: 120 * time.Second, Together: 4, Log: io.Discard,
	}
}

// slow is how long a round of a cell may take before it is the cell's last: a schedule that
// takes a second a call is known well enough after one.
const slow = 3 * time.Second

// ErrUnfinished says that the budget, or the user, ended the run before the work was done.
var ErrUnfinished = errors.New("run: stopped before the end; run again with --resume to go on")

// runner is a run.
type runner struct {
	Options
	manifest *bundle.Manifest
	device   Device
	deadline time.Time // zero: none
	scratch  string
	out      *os.File
	done     map[key]bool
	flush    int // MiB
}

// Run measures what the options say and returns all lines of the file for this device and
// bundle.
func Run(ctx context.Context, o Options) (lines []Line, err error) {
	m, err := bundle.Open(o.Dir)
	if err != nil {
		return nil, err
	}
	r := &runner{Options: o, manifest: m, done: map[key]bool{}}
	if os.Getenv("HL_GPU_DEVICE") == "" {
		r.Env = append(slices.Clone(r.Env), "HL_GPU_DEVICE=0")
	}
	if o.Budget > 0 {
		r.deadline = time.Now().Add(o.Budget)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.scratch, err = os.MkdirTemp("", "gowarp-bundle-"); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	defer os.RemoveAll(r.scratch)
	if err := r.askDevice(ctx); err != nil {
		return nil, err
	}
	if err := r.micro(ctx); err != nil {
		return nil, err
	}
	if r.Counters != "" {
		return nil, r.count(ctx)
	}
	if err := r.open(); err != nil {
		return nil, err
	}
	defer r.out.Close()
	unfinished := r.all(ctx)
	all, _, err := ReadFile(o.Out)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		if l.Device.Name == r.device.Name && l.Bundle == m.ID {
			lines = append(lines, l)
		}
	}
	return lines, unfinished
}

// check finds words that name nothing in the bundle.
func (r *runner) check() error {
	var programs, schedulers, sizes []string
	for _, p := range r.manifest.Programs {
		programs = append(programs, p.Name)
		for _, c := range p.Cells {
			schedulers = append(schedulers, c.Scheduler)
		}
		for _, s := range p.Sizes {
			sizes = append(sizes, s.Name)
		}
	}
	for _, list := range []struct {
		what         string
		asked, known []string
	}{{"program", r.Programs, programs}, {"scheduler", r.Schedulers, schedulers}, {"size", r.Sizes, sizes}} {
		for _, w := range list.asked {
			if !slices.Contains(list.known, w) {
				slices.Sort(list.known)
				return fmt.Errorf("run: the bundle has no %s %q; it has %q", list.what, w, slices.Compact(list.known))
			}
		}
	}
	return nil
}

// askDevice measures the device.
func (r *runner) askDevice(ctx context.Context) error {
	w, err := start(ctx, r.Dir, bundle.WorkerFile, r.Env, "cuda")
	if err != nil {
		return err
	}
	defer w.quit()
	var said struct {
		Device
		Rates []float64 `json:"copy_gb_per_s"`
	}
	if err := w.ask(r.Limit, &said, "device %d", r.CopyMiB); err != nil {
		return fmt.Errorf("run: the GPU: %w", err)
	}
	r.device = said.Device
	r.device.CopyGBs = short(median(said.Rates))
	if r.flush = r.FlushMiB; r.flush == 0 {
		r.flush = max(64, int(3*r.device.L2Bytes>>20))
	}
	fmt.Fprintf(r.Log, "%s, compute capability %d.%d, copies %.4g GB/s (%.2f to %.2f)\n", r.device.Name, r.device.Capability/10, r.device.Capability%10,
		r.device.CopyGBs, slices.Min(said.Rates), slices.Max(said.Rates))
	return nil
}

// open opens the file of lines.
func (r *runner) open() (err error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if !r.Resume {
		flags |= os.O_TRUNC
	}
	if r.Resume {
		lines, unread, err := ReadFile(r.Out)
		if err != nil {
			return err
		}
		if unread > 0 {
			fmt.Fprintf(r.Log, "%s: %d lines cannot be read and are left out\n", r.Out, unread)
		}
		for _, l := range lines {
			r.done[l.key()] = l.Outcome != bench.Broken
		}
	}
	if r.out, err = os.OpenFile(r.Out, flags, 0o666); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	// A run that was killed may have left half a line.
	if text, err := os.ReadFile(r.Out); err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
		if _, err := r.out.WriteString("\n"); err != nil {
			return fmt.Errorf("run: %w", err)
		}
	}
	return nil
}

// all measures group by group: size by size, so that all programs come before larger sizes.
func (r *runner) all(ctx context.Context) error {
	var sizes []string
	for _, p := range r.manifest.Programs {
		for _, s := range p.Sizes {
			if !slices.Contains(sizes, s.Name) {
				sizes = append(sizes, s.Name)
			}
		}
	}
	for _, size := range sizes {
		for _, p := range r.manifest.Programs {
			i := slices.IndexFunc(p.Sizes, func(s bundle.Size) bool { return s.Name == size })
			if i < 0 || !asked(r.Programs, p.Name) || !asked(r.Sizes, size) {
				continue
			}
			if err := r.program(ctx, p, p.Sizes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func asked(list []string, word string) bool { return len(list) == 0 || slices.Contains(list, word) }

// program measures a program at a size, under each cap.
func (r *runner) program(ctx context.Context, p bundle.Program, size bundle.Size) error {
	g := &group{runner: r, program: p, size: size}
	defer g.clean()
	for _, c := range r.Caps {
		g.cap = c
		if !g.todo() {
			continue
		}
		start := time.Now()
		lines, err := g.measure(ctx)
		if err != nil {
			return err
		}
		lost := r.lost(ctx, lines)
		if r.over(ctx) {
			return ErrUnfinished
		}
		for i := range lines {
			b, err := json.Marshal(&lines[i])
			if err != nil {
				return fmt.Errorf("run: %w", err)
			}
			if _, err := r.out.Write(append(b, '\n')); err != nil {
				return fmt.Errorf("run: %w", err)
			}
		}
		fmt.Fprintf(r.Log, "%s %s, %d registers: %d cells in %.1f s\n", p.Name, size.Name, c, len(lines), time.Since(start).Seconds())
		if lost != nil {
			return fmt.Errorf("run: the GPU is lost after %s, %s, %d registers: %w; once it is back, --resume goes on behind it", p.Name, size.Name, c, lost)
		}
	}
	return nil
}

// lost asks the device whether it is still there, if a cell ended badly. Where it is not,
// nobody knows which cell is to blame: all that did not end well are lines that say so, and
// are not run again, for they would end the next run too.
func (r *runner) lost(ctx context.Context, lines []Line) error {
	bad := func(l Line) bool {
		return l.FirstMS == 0 && l.Outcome != bench.OK || l.Outcome == Crashed || l.Outcome == bench.TimedOut || l.Outcome == bench.FailsToRun
	}
	if !slices.ContainsFunc(lines, bad) {
		return nil
	}
	w, err := start(ctx, r.Dir, bundle.WorkerFile, r.Env, "cuda")
	if err != nil {
		return err
	}
	defer w.quit()
	if err = w.ask(r.left(r.Limit), nil, "device 1"); err == nil {
		return nil
	}
	for i := range lines {
		if bad(lines[i]) {
			lines[i].Outcome, lines[i].Reason = DeviceLost, fmt.Sprintf("%s: %s", lines[i].Outcome, lines[i].Reason)
		}
	}
	return err
}

// left is how long a worker may take to answer: until its limit, or the budget's end.
func (r *runner) left(limit time.Duration) time.Duration {
	if r.deadline.IsZero() {
		return limit
	}
	return max(time.Millisecond, min(limit, time.Until(r.deadline)))
}

// over reports whether the budget is used up, or the run was stopped.
func (r *runner) over(ctx context.Context) bool {
	return ctx.Err() != nil || !r.deadline.IsZero() && time.Now().After(r.deadline)
}

// file names a file in the scratch folder.
func (r *runner) file(name string) string { return filepath.Join(r.scratch, name) }

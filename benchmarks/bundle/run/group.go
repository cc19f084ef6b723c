package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/bundle"
	"gowarp/benchmarks/harness"
)

// base is the scheduler that the others' times are held against.
const base = "expert"

// group is a program at a size: its schedulers are measured together.
type group struct {
	*runner
	program bundle.Program
	size    bundle.Size
	cap     int

	inputs map[string]string         // files
	want   map[string]*harness.Array // nil: not there yet, or there is none
	none   string                    // why there is none
}

// cell is one of them while it is measured.
type cell struct {
	line   Line
	about  bundle.Cell
	worker *worker // nil: it is over
	times  map[[2]string]*series
	kernel []Kernel
	last   bool // it is too slow for another round
}

func (g *group) cells() []*cell {
	var cells []*cell
	for _, c := range g.program.Cells {
		if !asked(g.Schedulers, c.Scheduler) {
			continue
		}
		l := Line{
			Schema: bundle.Schema, Device: g.device, Bundle: g.manifest.ID, Commit: g.manifest.Commit, Made: g.manifest.GPU,
			Program: g.program.Name, Size: g.size.Name, Elements: g.size.Elements(), Scheduler: c.Scheduler, Cap: g.cap, With: c.With,
			Outcome: c.Outcome, Reason: c.Reason, Time: time.Now().UTC().Format(time.RFC3339), CompulsoryBytes: g.size.CompulsoryBytes(),
		}
		for _, a := range g.size.Arguments {
			if a.Kind == harness.Output && l.Extents == nil {
				l.Extents = a.Shape
			}
		}
		cells = append(cells, &cell{line: l, about: c, times: map[[2]string]*series{}})
	}
	return cells
}

// todo reports whether a cell has no line yet. Those that have one are measured again with
// it: times of other rounds cannot be set beside its.
func (g *group) todo() bool {
	return slices.ContainsFunc(g.cells(), func(c *cell) bool { return !g.done[c.line.key()] })
}

// measure returns a line for each cell. An error is the run's: the budget, the disk.
func (g *group) measure(ctx context.Context) ([]Line, error) {
	cells := g.cells()
	defer func() {
		var wait sync.WaitGroup
		for _, c := range cells {
			if c.worker != nil {
				wait.Go(c.worker.quit) // a context takes its time to go
			}
		}
		wait.Wait()
	}()
	lines := func() (all []Line) {
		g.compare(cells)
		for _, c := range cells {
			all = append(all, c.line)
		}
		return all
	}
	if g.over(ctx) {
		return nil, ErrUnfinished
	}
	if !slices.ContainsFunc(cells, func(c *cell) bool { return c.line.Outcome == bench.OK }) {
		return lines(), nil // there is nothing to run
	}
	if err := g.reference(ctx); err != nil {
		if g.over(ctx) {
			return nil, ErrUnfinished
		}
		for _, c := range cells {
			if c.line.Outcome == bench.OK {
				c.line.Outcome, c.line.Reason = bench.Broken, fmt.Sprintf("nothing to compare with: %v", err)
			}
		}
		return lines(), nil
	}
	g.begin(ctx, cells)
	for round := range g.Rounds {
		began := time.Now()
		for i := range cells {
			// Another one first in each round.
			if c := cells[(i+round)%len(cells)]; c.worker != nil && !c.last && !g.over(ctx) {
				g.round(c, round)
			}
		}
		if g.over(ctx) {
			return nil, ErrUnfinished
		}
		if !g.deadline.IsZero() && time.Now().Add(2*time.Since(began)).After(g.deadline) {
			break // these rounds are better than none
		}
	}
	for _, c := range cells {
		if c.worker != nil && !g.over(ctx) {
			g.again(c)
		}
	}
	if g.over(ctx) {
		return nil, ErrUnfinished
	}
	return lines(), nil
}

// files writes the inputs.
func (g *group) files() error {
	photo := &harness.Array{Type: harness.U8, Shape: g.manifest.Photograph}
	var err error
	if photo.Data, err = os.ReadFile(filepath.Join(g.Dir, bundle.PhotographFile)); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	g.inputs = map[string]string{}
	for _, a := range g.size.Arguments {
		if a.Kind != harness.Input {
			continue
		}
		picture, err := harness.Picture(a, func(w, h int) (*harness.Array, error) { return harness.Mirror(photo, w, h) })
		if err != nil {
			return err
		}
		g.inputs[a.Name] = g.file("input-" + a.Name)
		if err := os.WriteFile(g.inputs[a.Name], picture.Data, 0o666); err != nil {
			return fmt.Errorf("run: %w", err)
		}
	}
	return nil
}

// clean removes the files.
func (g *group) clean() {
	for _, f := range g.inputs {
		_ = os.Remove(f) // the scratch folder goes in the end
	}
}

// reference has the CPU compute what is compared with. What takes it too long or too much
// memory, at sizes that are too much for many schedules on a GPU too, is measured unchecked,
// and the line says so.
func (g *group) reference(ctx context.Context) error {
	if g.want != nil || g.none != "" {
		return nil
	}
	if err := g.files(); err != nil {
		return err
	}
	w, err := start(ctx, g.Dir, bundle.WorkerFile, nil, "cpu", filepath.Join(g.Dir, g.program.Reference), g.program.Function)
	if err != nil {
		return err
	}
	defer w.quit()
	limit := g.left(g.ReferenceLimit)
	if err := w.arguments(limit, g.size, g.inputs); err != nil {
		return err
	}
	if err := w.ask(limit, nil, "first"); (errors.Is(err, errHangs) || errors.Is(err, errSaid)) && !g.over(ctx) {
		g.none = err.Error()
		return nil
	} else if err != nil {
		return err
	}
	want, err := g.outputs(w, "reference")
	if err == nil {
		g.want = want
	}
	return err
}

// outputs fetches a worker's.
func (g *group) outputs(w *worker, name string) (map[string]*harness.Array, error) {
	out := map[string]*harness.Array{}
	for _, a := range g.size.Arguments {
		if a.Kind != harness.Output {
			continue
		}
		path := g.file(name + "-" + a.Name)
		err := w.ask(g.left(g.Limit), nil, "save %s %s", a.Name, path)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		_ = os.Remove(path)
		if err != nil {
			return nil, fmt.Errorf("run: %w", err)
		}
		out[a.Name] = &harness.Array{Type: a.Type, Shape: a.Shape, Data: data}
	}
	return out, nil
}

// begin starts the cells' processes, runs each once and compares what comes of it.
func (g *group) begin(ctx context.Context, cells []*cell) {
	var wait sync.WaitGroup
	limit := make(chan struct{}, max(1, g.Together))
	for i, c := range cells {
		if c.line.Outcome != bench.OK {
			continue
		}
		wait.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if err := g.first(ctx, c, fmt.Sprint("cell", i)); err != nil {
				g.end(c, err)
			}
		})
	}
	wait.Wait()
}

// end closes a cell's line with what became of its process.
func (g *group) end(c *cell, err error) {
	if c.worker != nil {
		c.worker.kill()
		c.worker = nil
	}
	l := &c.line
	l.Reason = strings.Join(strings.Fields(err.Error()), " ")
	if const1k := 1000; len(l.Reason) > const1k {
		l.Reason = l.Reason[:const1k] + "…"
	}
	var wrong *wrongError
	switch {
	case errors.As(err, &wrong):
		l.Outcome = wrong.outcome
	case errors.Is(err, errHangs):
		l.Outcome = bench.TimedOut
	case errors.Is(err, errSaid) && (strings.Contains(l.Reason, "OUT_OF_MEMORY") || strings.Contains(l.Reason, "CUDA error 2")):
		l.Outcome = bench.OutOfMemory
	case errors.Is(err, errSaid) && strings.Contains(l.Reason, "cuLaunchKernel"):
		l.Outcome = bench.CannotLaunch
	case errors.Is(err, errSaid):
		l.Outcome = bench.FailsToRun
	case errors.Is(err, errDied):
		l.Outcome = Crashed
	default:
		l.Outcome = bench.Broken
	}
}

// wrongError is a result that differs.
type wrongError struct {
	outcome, text string
}

func (w *wrongError) Error() string { return w.text }

// environment is a cell's, with its cap.
func (g *group) environment() []string {
	return append(slices.Clone(g.Env), fmt.Sprintf("HL_CUDA_JIT_MAX_REGISTERS=%d", g.cap))
}

// first runs a cell once.
func (g *group) first(ctx context.Context, c *cell, name string) error {
	w, err := start(ctx, g.Dir, bundle.WorkerFile, g.environment(), "cuda", filepath.Join(g.Dir, c.about.Library), g.program.Function)
	if err != nil {
		return err
	}
	c.worker = w
	if err := w.arguments(g.left(g.Limit), g.size, g.inputs); err != nil {
		return err
	}
	var said struct {
		MS       float64 `json:"ms"`
		Launches int     `json:"launches"`
	}
	if err := w.ask(g.left(g.Limit), &said, "first"); err != nil {
		return err
	}
	c.line.FirstMS, c.line.Launches = short(said.MS), said.Launches
	return g.judge(c, name, bench.WrongResult)
}

// judge compares a cell's outputs with the reference.
func (g *group) judge(c *cell, name, outcome string) error {
	c.line.Unchecked = g.none
	got, err := g.outputs(c.worker, name)
	if err != nil {
		return err
	}
	for _, a := range g.size.Arguments {
		if a.Kind != harness.Output || g.want == nil {
			continue
		}
		if err := harness.Compare(got[a.Name], g.want[a.Name], g.program.Tolerance); err != nil {
			return &wrongError{outcome, fmt.Sprintf("output %s: %v", a.Name, err)}
		}
	}
	return nil
}

// What is timed in a round, and where the L2 stands.
var timed = [][2]string{{"gpu", "cold"}, {"wall", "cold"}, {"gpu", "warm"}, {"wall", "warm"}}

// round takes a cell's turn.
func (g *group) round(c *cell, round int) {
	began := time.Now()
	what := timed
	if round == 0 {
		what = append(slices.Clone(timed), [2]string{"kernels", "cold"})
	}
	for _, t := range what {
		var said struct {
			US      []float64 `json:"us"`
			Starved int       `json:"starved"`
			Kernels []struct {
				Name     string    `json:"name"`
				Launches int       `json:"launches"`
				US       []float64 `json:"us"`
			} `json:"kernels"`
		}
		const least = 1
		if err := c.worker.ask(g.left(g.Limit), &said, "time %s %s %g %g %d %d %d", t[0], t[1], g.WarmMS, g.SampleMS, least, g.MaxSamples, g.flush); err != nil {
			g.end(c, err)
			return
		}
		if t[0] == "kernels" {
			for _, k := range said.Kernels {
				c.kernel = append(c.kernel, Kernel{k.Name, k.Launches, short(median(k.US)), short(slices.Min(k.US))})
			}
			continue
		}
		if c.times[t] == nil {
			c.times[t] = &series{}
		}
		c.times[t].add(said.US, said.Starved)
	}
	c.line.Rounds++
	c.last = time.Since(began) > slow
}

// again runs a cell once more after all that timing: what is right only at first is not.
func (g *group) again(c *cell) {
	var said struct {
		Differing int64 `json:"differing_bytes"`
	}
	err := c.worker.ask(g.left(g.Limit), &said, "again")
	if err == nil && said.Differing > 0 {
		err = g.judge(c, "again", Unstable)
	}
	c.line.Differing = said.Differing
	if err != nil {
		g.end(c, err)
	}
}

// compare fills in the figures.
func (g *group) compare(cells []*cell) {
	var against *series
	for _, c := range cells {
		if c.about.Scheduler == base && c.line.Outcome == bench.OK {
			against = c.times[timed[0]]
		}
	}
	for _, c := range cells {
		l := &c.line
		if l.Outcome != bench.OK {
			continue
		}
		for t, to := range map[[2]string]**Times{timed[0]: &l.GPUCold, timed[1]: &l.WallCold, timed[2]: &l.GPUWarm, timed[3]: &l.WallWarm} {
			if s := c.times[t]; s != nil {
				*to = s.times()
			}
		}
		l.Kernels = c.kernel
		mine := c.times[timed[0]]
		if mine == nil {
			continue
		}
		if g.device.CopyGBs > 0 {
			l.CopyShare = short(float64(l.CompulsoryBytes) / (l.GPUCold.Median * 1e-6) / (g.device.CopyGBs * 1e9))
		}
		if against == nil {
			continue
		}
		var ratios []float64
		for i := range min(len(mine.rounds), len(against.rounds)) {
			ratios = append(ratios, mine.rounds[i]/against.rounds[i])
		}
		l.Base, l.OverBase = base, &[3]float64{short(median(ratios)), short(slices.Min(ratios)), short(slices.Max(ratios))}
	}
}

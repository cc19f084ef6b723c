// Package suite is what every program has to pass under gowarp: the results of the
// plainly scheduled CPU build and of an independent reference, on OpenCL at sizes that
// fit no tile and on the simulator of CUDA, clean in both there and under Oclgrind, and
// kernels that every NVIDIA GPU accepts and can launch. Schedules of Halide's own
// autoschedulers run on the simulator beside gowarp's. It does not judge speed.
package suite

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/rows"
	"gowarp/internal/ptxas"
)

// Program is a generator and what it takes to run it.
type Program struct {
	Generator harness.Generator
	// Name is what tables call it, if not what the generator is called.
	Name      string
	Reference string // a script for harness.Reference; it gets the GeneratorParams as well
	// Scales are further sizes that it is scheduled for.
	Scales []Scale
	// Inputs makes the arguments and the shapes of the outputs for a width x height.
	Inputs func(t testing.TB, tree *harness.Tree, width, height int) (harness.Args, map[string][]int)
	Sizes  [][2]int
	// Estimated is the size that the generator's estimates name.
	Estimated [2]int
	// Tiny is a size at which Halide's default schedule, which inlines everything and
	// recomputes reductions at every use, finishes; zero where none does.
	Tiny      [2]int
	Tolerance harness.Tolerance
	// Simulated is the size for the simulator of CUDA, if not the usual one.
	Simulated [2]int
	// Peers says what is seen of another autoscheduler's schedule where it is at fault, and
	// Untried why one is not tried at all.
	Peers, Untried map[string]string
	// Expert is the program's own schedule, if it has one.
	Expert Expert
	// Endless says that a Func is read at places without an end: the CPU's result is then that of
	// Halide's default schedule, since not every Func can be stored.
	Endless bool
	// Environment asks for gowarp by HL_AUTOSCHEDULER instead of by -p.
	Environment bool

	mode       map[string]string // parameters of gowarp's
	unrecorded bool              // a table has no place for what is seen
}

// capabilities are the oldest, a common and the newest that Halide 21 emits code for.
var capabilities = []int{50, 75, 86}

// capabilities are those that the program is compiled for: the common one and, without AllEnv, one of the others, drawn by the program's name.
func (p Program) capabilities() []int {
	return append([]int{tabulated}, p.simulatedCapabilities()...)
}

// tabulated is the capability for which a table names the time to schedule.
const tabulated = 75

// scheduler is gowarp in the program's mode, with more parameters if need be.
func (p Program) scheduler(more map[string]string) harness.Scheduler {
	if p.Environment {
		return harness.GowarpByEnvironment(with(p.mode, more))
	}
	return harness.Gowarp(with(p.mode, more))
}

// plain is the schedule for the CPU that the others are compared with.
func (p Program) plain() harness.Scheduler {
	if p.Endless {
		return harness.Unscheduled()
	}
	return harness.Root()
}

// Run runs all checks.
func Run(t *testing.T, p Program) {
	tree, err := harness.Find()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("cpu", func(t *testing.T) { t.Parallel(); p.cpu(t, tree) })
	t.Run("opencl", func(t *testing.T) { t.Parallel(); p.opencl(t, tree) })
	t.Run("oclgrind", func(t *testing.T) { t.Parallel(); p.oclgrind(t, tree) })
	for _, sm := range p.capabilities() {
		t.Run(fmt.Sprintf("sm_%d", sm), func(t *testing.T) { t.Parallel(); p.cuda(t, tree, sm) })
	}
	t.Run("simulated", func(t *testing.T) { t.Parallel(); p.simulated(t, tree) })
	if p.Expert.Counted != [2]int{} {
		t.Run("expert", func(t *testing.T) { t.Parallel(); p.expert(t, tree) })
	}
	if len(p.Scales) > 0 {
		t.Run("scales", func(t *testing.T) { t.Parallel(); p.scales(t, tree) })
	}
	t.Run("modes", func(t *testing.T) { t.Parallel(); p.modes(t, tree) })
	t.Run("source", func(t *testing.T) { t.Parallel(); p.source(t, tree) })
}

func (p Program) emit(t *testing.T, tree *harness.Tree, o harness.EmitOptions) (*harness.Emission, *harness.Program) {
	t.Helper()
	e, err := tree.Emit(p.Generator, o)
	if err != nil {
		t.Fatal(err)
	}
	program, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	return e, program
}

func run(t *testing.T, program *harness.Program, in harness.Args, out map[string][]int) map[string]*harness.Array {
	t.Helper()
	got, err := program.Run(in, out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (p Program) compare(t *testing.T, what string, got, want map[string]*harness.Array) {
	t.Helper()
	for name := range want {
		if err := harness.Compare(got[name], want[name], p.Tolerance); err != nil {
			t.Errorf("%s: output %s: %v", what, name, err)
		}
	}
}

func (p Program) reference(t *testing.T, tree *harness.Tree, in harness.Args, out map[string][]int) map[string]*harness.Array {
	t.Helper()
	var names []string
	for name := range out {
		names = append(names, name)
	}
	args := maps.Clone(in)
	for name, value := range p.Generator.Params {
		args[name] = value
	}
	want, err := tree.Reference(p.Reference, args, names...)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// record keeps what a check saw, for `make table`, once the test is over.
func (p Program) record(t *testing.T, r rows.Row) {
	t.Cleanup(func() {
		if t.Skipped() || p.unrecorded {
			return
		}
		r.Program = cmp.Or(p.Name, p.Generator.Name)
		if r.Scheduler == "" {
			r.Scheduler = harness.Gowarp(nil).Name()
		}
		if r.Outcome == "" {
			r.Outcome = rows.OK
			if t.Failed() {
				r.Outcome = "wrong"
			}
		}
		if err := rows.Record(r); err != nil {
			t.Error(err)
		}
	})
}

// cpu holds the algorithm against the reference, so that the other checks have
// something to stand on.
func (p Program) cpu(t *testing.T, tree *harness.Tree) {
	p.record(t, rows.Row{Check: rows.CPU, Size: p.Sizes[0]})
	_, root := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: p.plain()})
	for _, size := range p.Sizes {
		in, out := p.Inputs(t, tree, size[0], size[1])
		p.compare(t, fmt.Sprintf("%dx%d against the reference", size[0], size[1]), run(t, root, in, out), p.reference(t, tree, in, out))
	}
	if p.Tiny[0] == 0 {
		return
	}
	_, plain := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: harness.Unscheduled()})
	in, out := p.Inputs(t, tree, p.Tiny[0], p.Tiny[1])
	p.compare(t, "unscheduled against every Func at root", run(t, plain, in, out), run(t, root, in, out))
}

func (p Program) opencl(t *testing.T, tree *harness.Tree) {
	e, gpu := p.emit(t, tree, harness.EmitOptions{Target: "host-opencl", Scheduler: p.scheduler(nil)})
	if e.Log != "" {
		t.Errorf("not quiet by default, the generator printed:\n%s", e.Log)
	}
	// Without this, a schedule that leaves everything on the host would pass.
	if n, err := e.LaunchSites(); err != nil || n == 0 {
		t.Fatalf("%d kernel launches in the lowered pipeline (%v)", n, err)
	}
	_, root := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: p.plain()})
	for _, size := range p.Sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			p.record(t, rows.Row{Check: rows.OpenCL, Size: size})
			in, out := p.Inputs(t, tree, size[0], size[1])
			got := run(t, gpu, in, out)
			p.compare(t, "against the CPU", got, run(t, root, in, out))
			p.compare(t, "against the reference", got, p.reference(t, tree, in, out))
		})
	}
}

// oclgrind has the OpenCL kernels checked at the two smallest sizes, or, without AllEnv, at one of them, by a tool that has
// nothing in common with the simulator for CUDA. Undefined values are looked for in the schedules of mode=autogpu,
// which round nothing up; unchecked, they give no extents either. Without AllEnv that is for half of the programs.
func (p Program) oclgrind(t *testing.T, tree *harness.Tree) {
	t.Run("default", func(t *testing.T) { p.oclgrindOf(t, tree, p.scheduler(nil), false) })
	if !wantsAll() && p.drawn()%2 == 0 {
		return
	}
	t.Run("autogpu", func(t *testing.T) {
		p.unrecorded = true
		p.oclgrindOf(t, tree, p.scheduler(map[string]string{"mode": "autogpu", "check": "0"}), true)
	})
}

func (p Program) oclgrindOf(t *testing.T, tree *harness.Tree, s harness.Scheduler, undefined bool) {
	p.record(t, rows.Row{Check: rows.Memcheck, Size: p.Sizes[len(p.Sizes)-1]})
	_, gpu := p.emit(t, tree, harness.EmitOptions{Target: "host-opencl", Scheduler: s})
	_, root := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: p.plain()})
	sizes := p.Sizes[max(len(p.Sizes)-2, 0):]
	if !wantsAll() && !rows.Wanted() {
		sizes = one(p, sizes)
	}
	for _, size := range sizes {
		in, out := p.Inputs(t, tree, size[0], size[1])
		got, complaints, err := gpu.Oclgrind(in, out, undefined)
		if err != nil {
			t.Fatalf("%dx%d: %v", size[0], size[1], err)
		}
		if complaints != "" {
			t.Errorf("%dx%d: Oclgrind says:\n%.3000s", size[0], size[1], complaints)
		}
		p.compare(t, fmt.Sprintf("%dx%d on Oclgrind", size[0], size[1]), got, run(t, root, in, out))
	}
}

func (p Program) cuda(t *testing.T, tree *harness.Tree, sm int) {
	figures := map[string]float64{}
	p.record(t, rows.Row{Check: rows.PTXAS, Capability: sm, Size: p.Estimated, Figures: figures})
	e, program := p.emit(t, tree, harness.EmitOptions{Target: cudaTarget(sm), Scheduler: p.scheduler(nil)})
	uses, err := tree.CheckPTX(e, sm)
	if err != nil {
		t.Fatal(err)
	}
	registers := map[string]ptxas.Use{}
	for _, u := range uses {
		registers[u.Kernel] = u
		figures["registers"] = max(figures["registers"], float64(u.Registers))
		figures["spills"] += float64(u.SpillBytes())
	}
	for _, size := range append([][2]int{p.Estimated}, p.Sizes...) {
		in, out := p.Inputs(t, tree, size[0], size[1])
		launches, err := program.Launches(in, out)
		if err != nil {
			t.Fatalf("%dx%d: %v", size[0], size[1], err)
		}
		if size == p.Estimated && !tiled(p.mode) {
			p.predicted(t, e, launches)
		}
		for _, l := range launches {
			if err := l.Check(); err != nil {
				t.Errorf("%dx%d: %v", size[0], size[1], err)
			}
			if size == p.Estimated {
				u := registers[l.Kernel]
				t.Logf("%s: blocks %v, threads %v, %d bytes shared, %d registers, %d bytes spilled", l.Kernel, l.Blocks, l.Threads, l.SharedBytes, u.Registers, u.SpillBytes())
			}
		}
	}
}

// predicted checks that the kernels which the scheduler says it makes are those which are
// launched at the estimated size: blocks, threads and shared memory, figure by figure.
func (p Program) predicted(t *testing.T, e *harness.Emission, launches []harness.Launch) {
	t.Helper()
	pipeline, err := e.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	params, err := autoscheduler.ParseParams(p.mode)
	if err != nil {
		t.Fatal(err)
	}
	r, err := autoscheduler.Run(pipeline, params)
	if err != nil {
		t.Fatal(err)
	}
	type launch struct{ blocks, threads [3]int64 }
	want, shared := map[launch][]int64{}, map[launch][]int64{}
	sizedAtRunTime := false
	for _, l := range r.Launches() {
		key := launch{l.Blocks, l.Threads}
		want[key] = append(want[key], l.SharedBytes)
		sizedAtRunTime = sizedAtRunTime || !l.SharedExact
	}
	for _, l := range launches {
		key := launch{l.Blocks, l.Threads}
		shared[key] = append(shared[key], int64(l.SharedBytes))
	}
	for key, predicted := range want {
		got := shared[key]
		delete(shared, key)
		slices.Sort(predicted)
		slices.Sort(got)
		if len(got) != len(predicted) {
			t.Errorf("%d kernels of %v blocks of %v threads are predicted, %d launched", len(predicted), key.blocks, key.threads, len(got))
			continue
		}
		for i := range got {
			// Where Halide sizes shared memory at run time the prediction is the most it may take.
			if got[i] > predicted[i] || got[i] != predicted[i] && !sizedAtRunTime {
				t.Errorf("a kernel of %v blocks of %v threads takes %d B of shared memory, %d are predicted", key.blocks, key.threads, got[i], predicted[i])
			}
		}
	}
	for key, got := range shared {
		t.Errorf("%d kernels of %v blocks of %v threads are launched, none is predicted", len(got), key.blocks, key.threads)
	}
}

// dumpedTo is the parameter that every emission has its own of.
var dumpedTo = regexp.MustCompile(` autoscheduler\.dump=\S+`)

// source checks that the C++ which Halide writes of a schedule compiles, and that the schedule is the same on every run:
// golden files hold the default ones of most programs, and, without AllEnv, a third of all programs is scheduled again here. It
// records what scheduling took.
func (p Program) source(t *testing.T, tree *harness.Tree) {
	figures := map[string]float64{}
	p.record(t, rows.Row{Check: rows.Schedule, Capability: tabulated, Size: p.Estimated, Figures: figures})
	o := harness.EmitOptions{Target: cudaTarget(tabulated), Scheduler: p.scheduler(nil)}
	e, err := tree.Emit(p.Generator, o)
	if err != nil {
		t.Fatal(err)
	}
	read := func(e *harness.Emission) string {
		text, err := os.ReadFile(e.File("schedule.h"))
		if err != nil {
			t.Fatal(err)
		}
		return dumpedTo.ReplaceAllString(string(text), "")
	}
	text := read(e)
	if wantsAll() || rows.Wanted() || p.drawn()%3 == 0 {
		o.Outputs, o.Env, o.Fresh = []string{"schedule"}, []string{"HL_DEBUG_AUTOSCHEDULE=1"}, true
		again, err := tree.Emit(p.Generator, o)
		if err != nil {
			t.Fatal(err)
		}
		if second := read(again); second != text {
			t.Errorf("two runs, two schedules:\n%s\n%s", text, second)
		}
		pipeline, err := again.Pipeline()
		if err != nil {
			t.Fatal(err)
		}
		spent, err := again.ScheduleTime()
		if err != nil {
			t.Fatal(err)
		}
		figures["funcs"], figures["ms"] = float64(len(pipeline.Funcs)), spent.Total()
		figures["export_ms"], figures["schedule_ms"], figures["apply_ms"] = spent.Export, spent.Schedule, spent.Apply
		if err := again.Remove(); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(text, "gpu_") {
		t.Errorf("the schedule's source uses no GPU:\n%s", text)
	}
	header := filepath.Join(t.TempDir(), "schedule.h")
	if err := os.WriteFile(header, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := tree.Syntax(header); err != nil {
		t.Errorf("the schedule's source does not compile: %v\n%s", err, text)
	}
}

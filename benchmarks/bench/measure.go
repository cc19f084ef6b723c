package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gowarp/benchmarks/harness"
	"gowarp/gpusim/count"
	"gowarp/gpusim/exec"
	"gowarp/gpusim/libcuda/simulator"
	"gowarp/occupancy"
)

// How far a cell goes. Each includes those before it.
const (
	UpToSchedule = "schedule" // the schedule alone: nothing is lowered
	UpToStatic   = "static"   // kernels compiled by ptxas, launches recorded
	UpToSimulate = "simulate" // kernels run on the simulator
)

// UpToCount is for sets of many schedules of one program: kernels compiled by ptxas and counted on the simulator, and the result of that
// run compared. Nothing is timed, launches at the estimated size are not recorded, and the simulator checks no access.
const UpToCount = "count"

// Stages are the values of UpTo for people.
var Stages = []string{UpToSchedule, UpToStatic, UpToSimulate}

// Phases of a cell, for who wants to know where it ended.
const (
	phaseCompile  = "compile" // of the generator, before there is a cell
	phaseSchedule = "schedule"
	phaseLower    = "lower"
	phaseLink     = "link"
	phasePtxas    = "ptxas"
	phaseLaunch   = "launch"
	phaseCheck    = "check"
	phaseCount    = "count"
)

// Job is a cell as the process that runs it gets it.
type Job struct {
	Program   Program
	Scheduler Scheduler
	GPU       string
	UpTo      string
	Counted   [2]int // size of the run that is counted
	Limits    Limits
	Tolerance harness.Tolerance
}

// checkedSize is that of the run with all checks: many blocks, whole and cut, and seconds.
// Schedules by hand may ask for extents that their tiles divide: they get handSize. Of a
// program with more than a few channels either is made smaller, until its outputs have at
// most checkedElements or it is leastSize: tiles that are shifted inwards at an edge refuse
// extents below their own.
var (
	checkedSize = [2]int{264, 152}
	handSize    = [2]int{256, 128}
)

const (
	checkedElements = 264 * 152 * 3
	leastSize       = 64
)

// checked is the size of the run with all checks, and how it is made smaller.
func (s Scheduler) checked() (size [2]int, less func(int, float64) int) {
	if kinds[s.Name].byHand {
		return handSize, func(n int, _ float64) int { return max(leastSize, n/2) }
	}
	return checkedSize, func(n int, f float64) int { return max(leastSize, int(float64(n)*f)) }
}

// countedInstructions is how many warp instructions the counted run may take, a minute or two;
// where it would be more, only sampledBlocks of a launch run and the counts are scaled.
const (
	countedInstructions = 1_000_000_000
	sampledBlocks       = 256
)

// measurement is a cell while it is run.
type measurement struct {
	tree   *harness.Tree
	job    Job
	target Target
	rec    *Record
	// plan is what gowarp says of its kernels, in launch order.
	plan []planned
	// tell hands on the record as it is: the process may be killed at any time.
	tell func(*Record)
}

// measure runs a cell. What the scheduler does wrong is in the record; an error is the
// benchmark's own.
func measure(tree *harness.Tree, job Job, rec *Record, tell func(*Record)) error {
	target, err := ParseTarget(job.GPU)
	if err != nil {
		return err
	}
	m := &measurement{tree: tree, job: job, target: target, rec: rec, tell: tell}
	err = m.run()
	var fault *ownFault
	if errors.As(err, &fault) {
		return m.ends(failure(err, job.Limits, ProgramFails))
	}
	return err
}

func (m *measurement) phase(p string) {
	m.rec.Phase = p
	m.tell(m.rec)
}

// ends closes the record with an outcome that is not ok.
func (m *measurement) ends(outcome, reason string) error {
	m.rec.Outcome, m.rec.Reason = outcome, reason
	return nil
}

func (m *measurement) run() error {
	scheduler, params := m.job.Scheduler.harness(m.target.Device)
	g := m.job.Program.Generator(params)
	m.phase(phaseSchedule)
	if err := m.funcs(); err != nil {
		return err
	}
	options := harness.EmitOptions{Target: m.target.Halide(), Scheduler: scheduler, Outputs: []string{"schedule"}, Fresh: true, CPUSeconds: m.job.Limits.CPUSeconds}
	if m.job.Scheduler.Name == "gowarp" {
		options.Env = []string{"HL_DEBUG_AUTOSCHEDULE=1"} // to have it say what it took
	}
	if m.job.UpTo == UpToSchedule {
		scheduled, err := m.schedule(g, options)
		if err != nil || !scheduled {
			return err
		}
		return m.ends(OK, "")
	}
	// Lowering comes with scheduling; what scheduling takes of it is seen by scheduling alone.
	// The order is this one so that a peer that takes too long does so once.
	full := options
	full.Outputs, full.Env = nil, nil
	e, err := m.tree.Emit(g, full)
	if err != nil {
		outcome, reason := failure(err, m.job.Limits, FailsToLower)
		if outcome == FailsToLower && m.job.UpTo != UpToCount {
			if scheduled, err := m.schedule(g, options); err != nil || !scheduled {
				return err
			}
			m.rec.Phase = phaseLower
		}
		return m.blame(outcome, reason)
	}
	defer e.Remove()
	m.rec.PeakBytes = e.PeakBytes
	if m.job.UpTo == UpToCount {
		return m.kernels(e)
	}
	if scheduled, err := m.schedule(g, options); err != nil || !scheduled {
		return err
	}
	m.rec.LowerSeconds = round(max(0, e.Wall.Seconds()-m.rec.ScheduleSeconds))
	m.rec.LowerCPUSeconds = round(max(0, e.CPU.Seconds()-m.rec.ScheduleCPUSeconds))
	if m.job.Scheduler.Name == "gowarp" {
		if err := m.planning(g, options); err != nil {
			return err
		}
	}
	return m.kernels(e)
}

// funcs counts the program's Funcs: those that the scheduler of no schedule sees.
func (m *measurement) funcs() error {
	e, err := funcsOf(m.tree, m.job.Program, m.target.Halide(), m.job.Limits)
	var failed *harness.GeneratorFailure
	if errors.As(err, &failed) {
		return nil // a source that schedules itself cannot be counted so
	} else if err != nil {
		return err
	}
	if n := regexp.MustCompile(`RootGPU: (\d+) Funcs`).FindStringSubmatch(e.Log); n != nil {
		m.rec.Funcs, err = strconv.Atoi(n[1])
	}
	return err
}

// schedule times the generator where it schedules and lowers nothing.
func (m *measurement) schedule(g harness.Generator, o harness.EmitOptions) (ok bool, err error) {
	e, err := m.tree.Emit(g, o)
	if err != nil {
		return false, m.blame(failure(err, m.job.Limits, FailsToSchedule))
	}
	m.rec.ScheduleSeconds, m.rec.ScheduleCPUSeconds = round(e.Wall.Seconds()), round(e.CPU.Seconds())
	m.rec.PeakBytes = max(m.rec.PeakBytes, e.PeakBytes)
	if m.job.Scheduler.Name == "gowarp" {
		took, err := e.ScheduleTime()
		if err != nil {
			return false, err
		}
		m.rec.PluginMS = map[string]float64{"export": took.Export, "schedule": took.Schedule, "apply": took.Apply}
	}
	return true, e.Remove()
}

// failure names the end of a generator: that of a limit, or else the outcome otherwise with what the generator said.
func failure(err error, l Limits, otherwise string) (outcome, reason string) {
	var failed *harness.GeneratorFailure
	switch {
	case errors.As(err, &failed) && failed.TooSlow:
		return TimedOut, fmt.Sprintf("stopped after %d s of processor time", l.CPUSeconds)
	case noMemory(err.Error()):
		return OutOfMemory, fmt.Sprintf("stopped at %.1f GiB", float64(l.MemoryBytes)/(1<<30))
	}
	return otherwise, firstLine(err.Error())
}

// noMemory finds what processes say that got no more memory: C++, LLVM and compilers, the C library, Go's runtime, and
// Halide's of the simulator's driver, which is such a process.
func noMemory(text string) bool {
	for _, words := range []string{"bad_alloc", "ut of memory", "annot allocate memory", "CUDA_ERROR_OUT_OF_MEMORY"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// said are lines in which Halide, a compiler or a dying process says what is wrong.
var said = regexp.MustCompile(`(?i)error|fail|assert|cannot|terminate|unknown|not `)

// firstLine is the line of an error that says what is wrong, without the machine's paths.
func firstLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	best, rank := lines[0], 0 // the harness's own words: which program ended, and how
	goesOn := false           // the best ends with a colon, as Halide's do that say where before they say what
	for _, l := range lines[1:] {
		if more := strings.TrimSpace(l); goesOn && more != "" {
			best += " " + more
		}
		goesOn = false
		l = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(l), "Unhandled exception:"))
		l = strings.TrimSpace(strings.TrimPrefix(l, "what():"))
		r := 1
		switch {
		case l == "" || l == "Error:":
			continue
		case strings.Contains(l, "Error:") || strings.Contains(l, "error:"):
			r = 3
		case said.MatchString(l):
			r = 2
		}
		if r > rank {
			best, rank, goesOn = l, r, strings.HasSuffix(l, ":")
		}
	}
	const most = 240
	best = clean(best)
	if len(best) > most {
		best = best[:most] + "…"
	}
	return best
}

var absolute = regexp.MustCompile(`(?:/[\w.+~-]+)+/([\w.+~-]+)`)

// clean shortens absolute paths to their last word: a record is the same on every machine.
func clean(text string) string { return absolute.ReplaceAllString(text, "$1") }

// kernels asks ptxas, records the launches and runs the simulator.
func (m *measurement) kernels(e *harness.Emission) error {
	m.phase(phasePtxas)
	if sites, err := e.LaunchSites(); err != nil {
		return err
	} else if sites == 0 {
		return m.ends(FailsToSchedule, "nothing runs on the GPU")
	}
	uses, err := m.tree.CheckPTX(e, m.target.Device.Capability)
	if err != nil {
		return m.ends(failure(err, m.job.Limits, CannotLaunch))
	}
	for _, u := range uses {
		m.rec.Kernels = append(m.rec.Kernels, Kernel{Name: u.Kernel, Registers: u.Registers, SpillBytes: u.SpillBytes(), StackBytes: u.StackBytes})
	}
	m.phase(phaseLink)
	program, err := m.tree.Link(e)
	if err != nil {
		return m.ends(failure(err, m.job.Limits, FailsToLower))
	}
	root, err := m.plain()
	if err != nil {
		return own(err)
	}
	if m.job.UpTo == UpToCount {
		return m.countOnly(program, root)
	}
	m.phase(phaseLaunch)
	if ended, err := m.launches(program, root); err != nil || ended {
		return err
	}
	if m.job.UpTo == UpToStatic {
		return m.ends(OK, "")
	}
	return m.simulate(program, root)
}

// arguments makes arguments of a size; the first output's estimates where it is 0.
func (m *measurement) arguments(root *harness.Emission, size [2]int) (*arguments, error) {
	description, err := m.tree.Describe(root, size[0], size[1])
	if err != nil {
		return nil, own(err)
	}
	return fill(m.tree, description)
}

// checkedArguments makes arguments for the run with all checks.
func (m *measurement) checkedArguments(root *harness.Emission) (*arguments, error) {
	size, less := m.job.Scheduler.checked()
	for {
		description, err := m.tree.Describe(root, size[0], size[1])
		if err != nil {
			return nil, own(err)
		}
		if n := harness.OutputElements(description); n > checkedElements && max(size[0], size[1]) > leastSize {
			for i := range size {
				size[i] = less(size[i], math.Sqrt(checkedElements/float64(n)))
			}
			continue
		}
		return fill(m.tree, description)
	}
}

// launches records the launches at the estimated size.
func (m *measurement) launches(program *harness.Program, root *harness.Emission) (ended bool, err error) {
	args, err := m.arguments(root, [2]int{})
	if err != nil {
		return false, err
	}
	m.rec.Size = args.size
	program.Mins = args.mins
	launches, err := program.Launches(args.in, args.out)
	if err != nil {
		return true, m.ends(failure(err, m.job.Limits, FailsToRun))
	}
	m.rec.Launches = len(launches)
	m.assign(launches)
	threads := func(l harness.Launch) int64 {
		return l.Threads[0] * l.Threads[1] * l.Threads[2] * l.Blocks[0] * l.Blocks[1] * l.Blocks[2]
	}
	largest := map[string]harness.Launch{}
	times := map[string]int{}
	var refused []string
	for _, l := range launches {
		times[l.Kernel]++
		if old, ok := largest[l.Kernel]; !ok || threads(l) > threads(old) {
			largest[l.Kernel] = l
		}
		if err := l.Check(); err != nil {
			refused = append(refused, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	for i := range m.rec.Kernels {
		k := &m.rec.Kernels[i]
		l, ok := largest[k.Name]
		if !ok {
			continue
		}
		k.Launches, k.Blocks, k.Threads, k.SharedBytes = times[k.Name], l.Blocks, l.Threads, l.SharedBytes
		block := int(l.Threads[0] * l.Threads[1] * l.Threads[2])
		o, err := m.target.Device.Occupancy(occupancy.Usage{Threads: block, Registers: k.Registers, SharedBytes: int(l.SharedBytes)})
		if err != nil {
			continue // it cannot launch, which Check says in more words
		}
		k.ActiveBlocks, k.Occupancy = o.ActiveBlocks, o.Occupancy
		for _, lim := range o.Limiters.List() {
			k.Limiters = append(k.Limiters, string(lim))
		}
		if o.ActiveBlocks == 0 && refused == nil {
			refused = append(refused, fmt.Sprintf("kernel %s: %s holds no block of it: %s", k.Name, m.target.Device.Title, o.Limiters))
		}
	}
	if refused != nil {
		return true, m.ends(CannotLaunch, clean(slices.Compact(refused)[0]))
	}
	return false, nil
}

// onCPU is what a program has to compute, by every Func at root.
func (m *measurement) onCPU(program *harness.Program, root *harness.Emission, args *arguments) (map[string]*harness.Array, error) {
	plain, err := m.tree.Link(root)
	if err != nil {
		return nil, own(err)
	}
	plain.Mins, program.Mins = args.mins, args.mins
	want, err := plain.Run(args.in, args.out)
	if err != nil {
		return nil, own(fmt.Errorf("every Func at root on the CPU, for comparison: %w", err))
	}
	return want, nil
}

// simulate runs the kernels with all checks at a small size, then counts at a larger one.
func (m *measurement) simulate(program *harness.Program, root *harness.Emission) error {
	m.phase(phaseCheck)
	args, err := m.checkedArguments(root)
	if err != nil {
		return err
	}
	want, err := m.onCPU(program, root, args)
	if err != nil {
		return err
	}
	o := harness.SimulateOptions{Capability: m.target.Device.Capability, GPU: m.target.Device.Name}
	start := time.Now()
	s, err := program.SimulateWith(args.in, args.out, o)
	if err != nil {
		return err
	}
	m.rec.Checked = &Simulated{Size: args.size, Elements: args.all, CompulsoryBytes: args.compulsory, Seconds: round(time.Since(start).Seconds())}
	if ended, err := m.judge(s, want); err != nil || ended {
		return err
	}
	m.phase(phaseCount)
	size := m.job.Counted
	counted, err := m.arguments(root, size)
	if err != nil {
		return err
	}
	program.Mins = counted.mins
	o.CountOnly = true
	var done count.Kernel
	for _, k := range s.Report.Kernels {
		done.Add(&k.Count)
	}
	if float64(done.WarpInstructions)*float64(counted.all)/float64(args.all) > countedInstructions {
		o.Blocks = sampledBlocks
	}
	start = time.Now()
	if s, err = program.SimulateWith(counted.in, counted.out, o); err != nil {
		return err
	}
	m.rec.Counted = &Simulated{Size: counted.size, Elements: counted.all, CompulsoryBytes: counted.compulsory, Seconds: round(time.Since(start).Seconds())}
	if s.Failure != nil || s.Report == nil {
		if s.Failure == nil {
			s.Failure = errors.New("nothing ran on the GPU")
		}
		outcome, reason := failure(s.Failure, m.job.Limits, FailsToRun)
		return m.ends(outcome, fmt.Sprintf("at %s: %s", Extents(counted.size), reason))
	}
	m.count(s.Report)
	return m.ends(OK, "")
}

// countOnly runs the kernels once, at the size that is counted, and compares what comes out.
func (m *measurement) countOnly(program *harness.Program, root *harness.Emission) error {
	m.phase(phaseCount)
	args, err := m.arguments(root, m.job.Counted)
	if err != nil {
		return err
	}
	want, err := m.onCPU(program, root, args)
	if err != nil {
		return err
	}
	s, err := program.SimulateWith(args.in, args.out, harness.SimulateOptions{Capability: m.target.Device.Capability, GPU: m.target.Device.Name, CountOnly: true})
	if err != nil {
		return err
	}
	m.rec.Counted = &Simulated{Size: args.size, Elements: args.all, CompulsoryBytes: args.compulsory}
	if ended, err := m.judge(s, want); err != nil || ended {
		return err
	}
	m.count(s.Report)
	return m.ends(OK, "")
}

// judge says what is wrong with a run that was checked.
func (m *measurement) judge(s *harness.Simulation, want map[string]*harness.Array) (ended bool, err error) {
	var findings []string // kinds, each once
	first := ""
	if s.Report != nil {
		for _, e := range s.Report.Errors {
			if strings.Contains(e, strings.TrimPrefix(exec.ErrLaunch.Error(), "exec: ")) {
				return true, m.ends(CannotLaunch, clean(e))
			}
		}
		kinds := map[string]int{}
		for _, f := range s.Report.Findings {
			if !f.Kind.Note() {
				kinds[string(f.Kind)]++
				if kinds[string(f.Kind)] == 1 {
					findings = append(findings, fmt.Sprint(f.Kind))
				}
				if first == "" {
					first = f.String()
				}
			}
		}
		slices.Sort(findings)
	}
	found := strings.Join(findings, ", ")
	if s.Failure != nil {
		if found != "" {
			return true, m.ends(WrongResult, found)
		}
		return true, m.ends(failure(s.Failure, m.job.Limits, FailsToRun))
	}
	if s.Report == nil || len(s.Report.Kernels) == 0 {
		return true, m.ends(FailsToSchedule, "nothing runs on the GPU")
	}
	for name := range want {
		if err := harness.Compare(s.Results[name], want[name], m.job.Tolerance); err != nil {
			if found != "" {
				found += "; "
			}
			return true, m.ends(WrongResult, fmt.Sprintf("%soutput %s: %v", found, name, err))
		}
	}
	if found != "" {
		return true, m.ends(Faulty, found+"; the first: "+first)
	}
	return false, nil
}

// count takes over what the simulator counted.
func (m *measurement) count(r *simulator.Report) {
	run := m.rec.Counted
	run.Total = &count.Kernel{}
	byName := map[string]*simulator.Kernel{}
	for _, k := range r.Kernels {
		run.Total.Add(&k.Count)
		byName[k.Name] = k
		for _, s := range k.Shapes {
			run.Launches += s.Launches
			if s.BlocksRun < s.Grid[0]*s.Grid[1]*s.Grid[2] {
				run.Blocks = r.Blocks
			}
		}
	}
	var dram int64
	for i := range m.rec.Kernels {
		k := &m.rec.Kernels[i]
		if s := byName[k.Name]; s != nil {
			k.Count = &s.Count
			if s.L2 != nil {
				k.DRAMBytes = s.L2.DRAMReadBytes + s.L2.DRAMWriteBytes
				dram += k.DRAMBytes
			}
		}
	}
	per := func(n int64) float64 {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(n)*32/float64(run.Elements), 'g', 6, 64), 64)
		return v
	}
	t := run.Total
	run.Per32 = map[string]float64{
		"warp_instructions": per(t.WarpInstructions), "integer": per(t.Integer), "float": per(t.Float), "special": per(t.Special), "memory": per(t.Memory), "control": per(t.Control),
		"requests": per(t.Requests()), "sectors": per(t.Sectors()), "shared_wavefronts": per(t.SharedWavefronts), "barriers": per(t.Barriers), "shuffles": per(t.Shuffles),
	}
	// Bytes of blocks that did not run are not known.
	if run.Blocks == 0 {
		run.Per32["cold_bytes"] = per(t.ColdBytes)
		run.Per32["compulsory_bytes"] = per(run.CompulsoryBytes)
		run.Per32["dram_bytes"] = per(dram)
	}
}

// Cell is the main function of a cell's process: it reads the job from in, and writes the
// record to out as often as it grows.
func Cell(in *os.File, out *os.File) error {
	var job Job
	if err := json.NewDecoder(in).Decode(&job); err != nil {
		return fmt.Errorf("bench: the job: %w", err)
	}
	tree, err := harness.Find()
	if err != nil {
		return err
	}
	if err := LimitMemory(job.Limits.MemoryBytes); err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	rec := &Record{}
	tell := func(r *Record) { _ = encoder.Encode(r) } // a closed pipe: the parent is gone, and this process with it
	if err := measure(tree, job, rec, tell); err != nil {
		rec.Outcome, rec.Reason = failure(err, job.Limits, Broken)
	}
	if rec.Outcome == OK {
		rec.Phase = ""
	}
	tell(rec)
	return nil
}

// relative is a source as records name it.
func relative(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Base(path)
	}
	return path
}

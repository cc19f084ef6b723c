package random

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gowarp/benchmarks/harness"
	"gowarp/gpusim/libcuda/simulator"
	"gowarp/internal/ptxas"
)

// Outcome is what became of a pipeline.
type Outcome string

const (
	OK      Outcome = "ok"
	Skip    Outcome = "skip"    // the pipeline itself fails at root: the generator's mistake
	Wrong   Outcome = "wrong"   // results differ
	Error   Outcome = "error"   // Halide or gowarp says no
	Crash   Outcome = "crash"   // the process died
	Hang    Outcome = "hang"    // no answer in time
	Memory  Outcome = "memory"  // the process grew beyond a limit
	Finding Outcome = "finding" // the simulator found something
	Trap    Outcome = "trap"    // a kernel checks what cannot be wrong
	Host    Outcome = "host"    // no kernel was launched
	Refused Outcome = "refused" // gowarp says that no kernel can be done as the parameter tiling asks
)

// Failed reports whether gowarp, or what it stands on, is wrong.
func (o Outcome) Failed() bool { return o != OK && o != Skip && o != Refused }

// notSo is what gowarp says where a tiling that is asked for by name cannot be.
const notSo = "no kernel of this pipeline is done so"

// Job is a pipeline to run, with a number that no other of the batch has.
type Job struct {
	Number   uint64
	Pipeline *Pipeline
}

// Result is what became of a job.
type Result struct {
	Number  uint64
	Outcome Outcome
	Text    string
	Kernels int // launched on the simulator
	// Exchanges are the shuffles and the requests to shared memory that its kernels made there.
	Exchanges int64
	Seconds   float64
	root      bool // it ran at root
}

// Runner runs pipelines in processes of their own.
type Runner struct {
	Program string // random.cc, compiled
	Plugin  string
	Drivers string // the folder of the simulator's libcuda.so
	Env     []string
	Limit   time.Duration // of CPU time for one pipeline, and a tenth of the wall time
	Bytes   int           // of memory
}

// NewRunner compiles the program.
func NewRunner(tree *harness.Tree) (*Runner, error) {
	program, err := tree.HalideProgram("benchmarks/random/cxx/random.cc")
	if err != nil {
		return nil, err
	}
	return &Runner{Program: program, Plugin: tree.Plugin(), Drivers: tree.Build("gpusim"), Env: tree.OpenCLEnv(),
		Limit: 3 * time.Minute, Bytes: 4 << 30}, nil
}

// Run runs jobs one after another, in as few processes as will do, and returns their
// results in the same order. Cancelling stops at the next job.
func (r *Runner) Run(ctx context.Context, jobs []Job) ([]Result, error) {
	var all []Result
	for len(jobs) > 0 {
		done, err := r.process(ctx, jobs)
		if err != nil {
			return all, err
		}
		all = append(all, done...)
		jobs = jobs[len(done):]
	}
	return all, nil
}

// process runs jobs in one process until one fails, and returns what it did: at least one
// result if there is no error.
func (r *Runner) process(ctx context.Context, jobs []Job) ([]Result, error) {
	dir, err := os.MkdirTemp("", "gowarp-random-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var input strings.Builder
	for _, j := range jobs {
		fmt.Fprintf(&input, "%d %s\n", j.Number, j.Pipeline)
	}
	cmd := exec.CommandContext(ctx, r.Program, r.Plugin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Stdin = strings.NewReader(input.String())
	var last tail
	cmd.Stderr = &last
	cmd.Env = append(append(os.Environ(), r.Env...),
		"LD_LIBRARY_PATH="+strings.TrimSuffix(r.Drivers+":"+os.Getenv("LD_LIBRARY_PATH"), ":"),
		"GOWARP_GPUSIM_REPORTS="+dir, "GOWARP_GPUSIM_CAPABILITY=86", "GOWARP_GPUSIM_MEMORY_MB=1024", "GOWARP_GPUSIM_MAX_STEPS=4194304",
		"GOWARP_GPUSIM_SEED="+strconv.FormatUint(jobs[0].Number, 10))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("random: %w", err)
	}
	results, killed := r.follow(cmd, out)
	failed := cmd.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if n := len(results); n > 0 && results[n-1].Outcome == "" {
		results[n-1].Outcome, results[n-1].Text = killed, fmt.Sprintf("%v; %s", failed, last.text())
		switch {
		case !results[n-1].root: // Halide alone did it: bounds queries read inputs that are not there yet
			results[n-1].Outcome = Skip
		case killed == "":
			results[n-1].Outcome = Crash
		}
	} else if len(results) == 0 {
		return nil, fmt.Errorf("random: %s did nothing: %v: %s", filepath.Base(r.Program), failed, last.text())
	}
	err = findings(dir, jobs, results)
	if n := len(results) - 1; killed != "" && errors.Is(err, simulator.ErrNoReport) {
		// The simulator was killed with it, and what it found in those before is lost.
		if n == 0 {
			return results, nil
		}
		before, err := r.process(ctx, jobs[:n])
		if err == nil && len(before) == n {
			before = append(before, results[n])
		}
		return before, err
	}
	return results, err
}

// follow reads what the process says, and kills it when it says nothing for too long or
// grows too large.
func (r *Runner) follow(cmd *exec.Cmd, out interface{ Read([]byte) (int, error) }) (results []Result, killed Outcome) {
	lines := make(chan string)
	go func() {
		s := bufio.NewScanner(out)
		s.Buffer(nil, 1<<24)
		for s.Scan() {
			lines <- s.Text()
		}
		close(lines)
	}()
	start, spent := time.Now(), time.Duration(0)
	look := time.NewTicker(time.Second / 2)
	defer look.Stop()
	for {
		select {
		case line, more := <-lines:
			if !more {
				return results, killed
			}
			word, rest, _ := strings.Cut(line, " ")
			number, rest, _ := strings.Cut(rest, " ")
			n, err := strconv.ParseUint(number, 10, 64)
			if err != nil {
				continue
			}
			switch word {
			case "begin":
				results = append(results, Result{Number: n})
				start, spent = time.Now(), processorTime(cmd.Process.Pid)
			case "root":
				results[len(results)-1].root = true
			case "end":
				outcome, text, _ := strings.Cut(rest, " ")
				at := &results[len(results)-1]
				at.Outcome, at.Text, at.Seconds = Outcome(outcome), text, time.Since(start).Seconds()
				if at.Outcome == Error && strings.Contains(text, notSo) {
					at.Outcome = Refused
				}
			}
		case <-look.C:
			switch {
			case killed != "":
				continue
			case processorTime(cmd.Process.Pid)-spent > r.Limit, time.Since(start) > 10*r.Limit: // on a busy machine
				killed = Hang
			case resident(cmd.Process.Pid) > r.Bytes:
				killed = Memory
			default:
				continue
			}
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended just now
		}
	}
}

// processorTime is the CPU time that a process has used, 0 if it cannot be told.
func processorTime(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The second field is a name that may hold anything; user and system time are the 14th
	// and 15th, in hundredths of a second.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 13 {
		return 0
	}
	user, err1 := strconv.Atoi(f[11])
	system, err2 := strconv.Atoi(f[12])
	if err1 != nil || err2 != nil {
		return 0
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// resident is a process's resident set in bytes, 0 if it cannot be told.
func resident(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(f[1])
	if err != nil {
		return 0
	}
	return pages * os.Getpagesize()
}

// numbered finds a job's number in a kernel's name: names of Funcs begin with it.
var numbered = regexp.MustCompile(`(?:^|_)n(\d+)_`)

// findings adds to results what the simulator found. Kernels carry the number of their
// pipeline.
func findings(dir string, jobs []Job, results []Result) error {
	reports, err := simulator.Collect(dir)
	if err != nil {
		return err
	}
	byNumber := map[string]*Result{}
	for i := range results {
		byNumber[strconv.FormatUint(results[i].Number, 10)] = &results[i]
	}
	of := func(text string) *Result {
		if m := numbered.FindStringSubmatch(text); m != nil {
			return byNumber[m[1]]
		}
		return nil
	}
	var lost []error
	add := func(name string, o Outcome, text string) {
		r := of(name)
		for i := range results { // boundary conditions have names of Halide's
			if r == nil && results[i].Outcome == OK && results[i].Kernels == 0 && jobs[i].Pipeline.bounded() {
				r = &results[i]
			}
		}
		if r == nil {
			lost = append(lost, fmt.Errorf("random: nobody's: %s", text))
			return
		}
		if r.Outcome == OK {
			r.Outcome = o
		}
		if o != Host {
			r.Text += "; " + text
		}
	}
	for _, rep := range reports {
		traps := map[string]bool{}
		for _, k := range rep.Kernels {
			if r := of(k.Name); r != nil {
				for _, s := range k.Shapes {
					r.Kernels += s.Launches
				}
				r.Exchanges += k.Count.Shuffles + k.Count.SharedLoads
			}
			if k.Module != "" && !traps[k.Module] {
				traps[k.Module] = true
				b, err := os.ReadFile(filepath.Join(dir, k.Module))
				if err != nil {
					return err
				}
				for name, body := range ptxas.Bodies(string(b)) {
					if strings.Contains(body, "trap;") {
						add(name, Trap, "a trap in the PTX of "+name)
					}
				}
			}
		}
		for _, f := range rep.Findings {
			if !f.Kind.Note() {
				add(f.Kernel, Finding, f.String())
			}
		}
		for _, e := range rep.Errors {
			if of(e) == nil && len(results) > 0 { // a failing call is of the pipeline that stopped the process
				last := &results[len(results)-1]
				last.Text += "; " + e
				if last.Outcome == OK {
					last.Outcome = Finding
				}
				continue
			}
			add(e, Finding, e)
		}
	}
	for i, r := range results {
		if r.Outcome == OK && r.Kernels == 0 && strings.Contains(jobs[i].Pipeline.Target, "cuda") && !jobs[i].Pipeline.bounded() {
			results[i].Outcome, results[i].Text = Host, "no kernel was launched"
		}
	}
	return errors.Join(lost...)
}

// bounded reports whether a pipeline has boundary conditions, whose kernels do not carry
// its number.
func (p *Pipeline) bounded() bool {
	return slices.ContainsFunc(p.Funcs, func(f *Func) bool { return f.Boundary != "" })
}

// tail keeps the end of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	t.b = append(t.b, p...)
	if len(t.b) > most {
		t.b = append([]byte{}, t.b[len(t.b)-most:]...)
	}
	return len(p), nil
}

// text leaves out Halide's warning that half floats are slow on the CPU.
func (t *tail) text() string {
	var kept []string
	for line := range strings.Lines(string(t.b)) {
		if !strings.Contains(line, "float16 type operation is emulated") && !strings.Contains(line, "It is meaningless to bound") {
			kept = append(kept, strings.TrimSpace(line))
		}
	}
	return strings.Join(kept, " ")
}

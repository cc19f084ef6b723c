package suite

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/rows"
	"gowarp/gpusim/count"
	"gowarp/gpusim/exec"
	"gowarp/gpusim/libcuda/simulator"
)

// simulatedCapabilities are those whose code the simulator runs: old and new shuffles,
// atomics and barriers differ between them.
var simulatedCapabilities = []int{50, 86}

// simulatedCapabilities are those, or, without AllEnv, the one that is drawn by the program's name.
func (p Program) simulatedCapabilities() []int {
	if wantsAll() || rows.Wanted() {
		return simulatedCapabilities
	}
	return one(p, simulatedCapabilities)
}

// simulatedSize keeps a run within seconds and still has many blocks, whole and cut.
var simulatedSize = [2]int{259, 150}

// peerSeconds is the processor time in which a peer has to schedule a program.
const peerSeconds = 40

// peers are the schedulers for GPUs that come with Halide.
var peers = []harness.Scheduler{
	harness.Peer("Li2018", nil),
	harness.Peer("Mullapudi2016", map[string]string{"experimental_gpu_schedule": "1"}),
	harness.Peer("Anderson2021", nil),
}

// What can be seen of a schedule; findings of the simulator go by their own names.
const (
	right         = "ok"
	unscheduled   = "cannot be scheduled" // the scheduler or Halide's lowering fails
	unlaunchable  = "cannot launch"       // no GPU takes a kernel with so many threads or so much memory
	failing       = "fails"               // the program stops for another reason
	wrongResult   = "wrong result"
	nothingOnCUDA = "launches nothing"
)

// outcome says in a word or a few what a simulation showed.
func outcome(s *harness.Simulation, want map[string]*harness.Array, tolerance harness.Tolerance) string {
	seen := map[string]bool{}
	if s.Report != nil {
		for _, f := range s.Report.Findings {
			if !f.Kind.Note() {
				seen[string(f.Kind)] = true
			}
		}
		for _, e := range s.Report.Errors {
			if strings.Contains(e, strings.TrimPrefix(exec.ErrLaunch.Error(), "exec: ")) {
				seen[unlaunchable] = true
			}
		}
		// A fault stops a launch, and what else is seen of it by then is up to chance: blocks run side by side.
		for _, f := range s.Report.Findings {
			if fatal := "failed: " + string(f.Kind); slices.ContainsFunc(s.Report.Errors, func(e string) bool { return strings.Contains(e, fatal) }) {
				clear(seen)
				seen[string(f.Kind)] = true
				break
			}
		}
	}
	switch {
	case s.Failure != nil && len(seen) == 0:
		seen[failing] = true
	case s.Failure == nil && (s.Report == nil || len(s.Report.Kernels) == 0):
		seen[nothingOnCUDA] = true
	case s.Failure == nil:
		for name := range want {
			if harness.Compare(s.Results[name], want[name], tolerance) != nil {
				seen[wrongResult] = true
			}
		}
	}
	if len(seen) == 0 {
		return right
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), ", ")
}

// simulated runs the program's CUDA kernels on the simulator, with all its checks, as
// gowarp and as its peers schedule them. gowarp's have to be right, with no finding. A peer
// may be at fault: what is seen of it has to be what the program's Peers say, so that where
// a peer is right the simulator is held to be silent and to agree with the CPU. Without AllEnv it does so for the newest capability, and, where nobody
// wants rows for the table, for one peer, drawn by the program's name: they take up to half a minute for a schedule.
func (p Program) simulated(t *testing.T, tree *harness.Tree) {
	size := p.Simulated
	if size == [2]int{} {
		size = simulatedSize
	}
	_, root := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: p.plain()})
	each := func(name string, o harness.EmitOptions, expected string, size [2]int, capabilities []int) {
		p.simulateOn(t, tree, root, name, o, expected, size, capabilities, rows.Simulated)
	}
	for _, size := range [][2]int{size, p.Sizes[len(p.Sizes)-1]} {
		each("gowarp", harness.EmitOptions{Scheduler: p.scheduler(nil)}, right, size, p.simulatedCapabilities())
	}
	capabilities, tried := simulatedCapabilities, peers
	if !wantsAll() {
		capabilities = capabilities[len(capabilities)-1:]
		if !rows.Wanted() {
			tried = slices.DeleteFunc(slices.Clone(peers), func(s harness.Scheduler) bool { return p.Untried[s.Name()] != "" })
			tried = one(p, tried)
		}
	}
	for _, peer := range tried {
		if reason := p.Untried[peer.Name()]; reason != "" {
			t.Run(peer.Name(), func(t *testing.T) { t.Skip(reason) })
			continue
		}
		each(peer.Name(), harness.EmitOptions{Scheduler: peer, CPUSeconds: peerSeconds}, cmp.Or(p.Peers[peer.Name()], right), size, capabilities)
	}
}

// simulateOn runs one schedule on simulated GPUs and holds what is seen against what is
// expected.
func (p Program) simulateOn(t *testing.T, tree *harness.Tree, root *harness.Program, name string, o harness.EmitOptions, expected string, size [2]int, capabilities []int, check string) {
	in, out := p.Inputs(t, tree, size[0], size[1])
	want := run(t, root, in, out)
	for _, capability := range capabilities {
		t.Run(fmt.Sprintf("%s/%dx%d/sm_%d", name, size[0], size[1], capability), func(t *testing.T) {
			o.Target = cudaTarget(capability)
			row := rows.Row{Check: check, Scheduler: strings.Split(name, "/")[0], Capability: capability, Size: size, Figures: map[string]float64{}}
			seen, text := p.simulate(t, tree, o, capability, in, out, want, row.Figures)
			row.Outcome = seen
			p.record(t, row)
			if seen != expected {
				t.Errorf("%s is expected, seen is: %s\n%s", expected, seen, text)
				return
			}
			t.Logf("%s\n%s", seen, text)
		})
	}
}

// simulate returns the outcome and, for people, what it rests on. It fills in the figures.
func (p Program) simulate(t *testing.T, tree *harness.Tree, o harness.EmitOptions, capability int, in harness.Args, out map[string][]int, want map[string]*harness.Array, figures map[string]float64) (seen, text string) {
	t.Helper()
	e, err := tree.Emit(p.Generator, o)
	var failure *harness.GeneratorFailure
	switch {
	case errors.As(err, &failure) && failure.TooSlow:
		t.Skipf("%s takes more than %d s to schedule this", o.Scheduler.Name(), o.CPUSeconds)
	case errors.As(err, &failure):
		return unscheduled, failure.Text
	case err != nil:
		t.Fatal(err)
	}
	program, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := program.Simulate(in, out, capability)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if s.Failure != nil {
		fmt.Fprintln(&b, s.Failure)
	} else {
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if err := harness.Compare(s.Results[name], want[name], p.Tolerance); err != nil {
				fmt.Fprintf(&b, "output %s: %v\n", name, err)
			}
		}
	}
	if s.Report != nil {
		describe(&b, s.Report, want, figures)
	}
	return outcome(s, want, p.Tolerance), b.String()
}

// describe writes what was found and what the kernels did for 32 elements of output.
func describe(b *strings.Builder, r *simulator.Report, want map[string]*harness.Array, figures map[string]float64) {
	const most = 6
	findings, notes := 0, 0
	for _, f := range r.Findings {
		if f.Kind.Note() {
			notes++
		} else if findings++; findings <= most {
			fmt.Fprintln(b, f)
		}
	}
	fmt.Fprintf(b, "%d findings, %d notes\n", findings, notes)
	for _, e := range r.Errors {
		fmt.Fprintln(b, e)
	}
	elements := 0
	for _, a := range want {
		elements += a.Len()
	}
	var total count.Kernel
	for _, k := range r.Kernels {
		total.Add(&k.Count)
	}
	per := func(n int64) float64 { return float64(n) * 32 / float64(elements) }
	figures["kernels"], figures["launches"], figures["findings"] = float64(len(r.Kernels)), float64(total.Launches), float64(findings)
	figures["instructions"], figures["requests"], figures["sectors"] = per(total.WarpInstructions), per(total.Requests()), per(total.GlobalLoadSectors+total.GlobalStoreSectors)
	figures["cold_bytes"] = per(total.ColdBytes)
	fmt.Fprintf(b, "%d kernels, %d launches; for 32 elements of output %.1f warp instructions, %.1f requests to memory, %.1f sectors, %.0f bytes between cold caches and DRAM\n",
		len(r.Kernels), total.Launches, figures["instructions"], figures["requests"], figures["sectors"], figures["cold_bytes"])
	for _, k := range r.Kernels {
		fmt.Fprintf(b, "%s: %d launches, %.1f warp instructions (%.1f integer, %.1f float, %.1f special, %.1f memory, %.1f control), %.1f requests, %.1f sectors, %d registers, %d bytes spilled, %v\n", k.Name, k.Count.Launches,
			per(k.Count.WarpInstructions), per(k.Count.Integer), per(k.Count.Float), per(k.Count.Special), per(k.Count.Memory), per(k.Count.Control), per(k.Count.Requests()), per(k.Count.Sectors()), k.Registers, k.SpillBytes, k.Shapes)
	}
}

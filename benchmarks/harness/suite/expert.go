package suite

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/rows"
)

// Expert says how a program's schedule by hand (schedule=expert) is tried.
type Expert struct {
	// Counted is the size at which its work is compared with that of Halide's own apps.
	Counted [2]int
	// Sizes are those at which it is tried, where it does not serve every size.
	Sizes [][2]int
	// Lanes says that it exchanges values between the lanes of a warp, which only CUDA can.
	Lanes bool
}

// CountEnv asks for the comparison with Halide's apps at full size, for `make experts`.
const CountEnv = "GOWARP_COUNT_EXPERTS"

// expertCapabilities are the one that the apps were counted for, and the one of the table
// of all schedulers.
var expertCapabilities = []int{countedCapability, 86}

const countedCapability = 75

// expertSizes are those at which a schedule is tried that is not counted: one of many
// blocks and the smallest.
func (p Program) expertSizes() [][2]int {
	if p.Expert.Sizes != nil {
		return p.Expert.Sizes
	}
	many := p.Simulated
	if many == [2]int{} {
		many = simulatedSize
	}
	return [][2]int{many, p.Sizes[len(p.Sizes)-1]}
}

// byHand is the program with the schedule that its generator holds.
func (p Program) byHand() Program {
	return p.withParams(map[string]string{"schedule": "expert"})
}

// expert holds the program's own schedule against the CPU: on the simulator with all
// checks, and on OpenCL where it can run there. ptxas has to accept its kernels, and every
// GPU has to be able to launch them.
func (p Program) expert(t *testing.T, tree *harness.Tree) {
	_, root := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: p.plain()})
	by := p.byHand()
	own := harness.EmitOptions{Scheduler: harness.Unscheduled()}
	if os.Getenv(CountEnv) != "" {
		by.launchable(t, tree)
		by.simulateOn(t, tree, root, rows.Expert, own, right, p.Expert.Counted, []int{countedCapability}, rows.Counted)
		return
	}
	for _, size := range p.expertSizes() {
		by.simulateOn(t, tree, root, rows.Expert, own, right, size, expertCapabilities, rows.Simulated)
	}
	t.Run("left as it is", func(t *testing.T) { by.leftAsItIs(t, tree) })
	t.Run("launches", func(t *testing.T) { by.launchable(t, tree) })
	if !p.Expert.Lanes {
		t.Run("opencl", func(t *testing.T) { by.expertOpenCL(t, tree, root) })
	}
}

// leftAsItIs: where HL_AUTOSCHEDULER asks for gowarp, a schedule by hand comes out as without.
func (p Program) leftAsItIs(t *testing.T, tree *harness.Tree) {
	var texts []string
	for _, o := range []harness.EmitOptions{{Scheduler: harness.Unscheduled()}, {Scheduler: harness.GowarpByEnvironment(nil), Outputs: []string{"device_code"}}} {
		o.Target = cudaTarget(countedCapability)
		e, err := tree.Emit(p.Generator, o)
		if err != nil {
			t.Fatal(err)
		}
		ptx, err := e.PTX()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, ptx)
	}
	if texts[0] != texts[1] {
		t.Error("other kernels under HL_AUTOSCHEDULER=gowarp than without")
	}
}

// launchable: ptxas takes the kernels, and their launches are within a GPU's limits at the
// estimated size and the smallest.
func (p Program) launchable(t *testing.T, tree *harness.Tree) {
	e, program := p.emit(t, tree, harness.EmitOptions{Target: fmt.Sprintf("host-cuda-cuda_capability_%d", countedCapability), Scheduler: harness.Unscheduled()})
	uses, err := tree.CheckPTX(e, countedCapability)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	p.record(t, rows.Row{Check: rows.PTXAS, Scheduler: rows.Expert, Capability: countedCapability, Size: p.Estimated, Figures: figures})
	for _, u := range uses {
		figures["registers"] = max(figures["registers"], float64(u.Registers))
		figures["spills"] += float64(u.SpillBytes())
		t.Logf("%s: %d registers, %d bytes spilled", u.Kernel, u.Registers, u.SpillBytes())
	}
	for _, size := range append(slices.Clone(p.expertSizes()), p.Estimated) {
		in, out := p.Inputs(t, tree, size[0], size[1])
		launches, err := program.Launches(in, out)
		if err != nil {
			t.Fatalf("%dx%d: %v", size[0], size[1], err)
		}
		for _, l := range launches {
			if err := l.Check(); err != nil {
				t.Errorf("%dx%d: %v", size[0], size[1], err)
			}
		}
	}
}

func (p Program) expertOpenCL(t *testing.T, tree *harness.Tree, root *harness.Program) {
	e, gpu := p.emit(t, tree, harness.EmitOptions{Target: "host-opencl", Scheduler: harness.Unscheduled()})
	if n, err := e.LaunchSites(); err != nil || n == 0 {
		t.Fatalf("%d kernel launches in the lowered pipeline (%v)", n, err)
	}
	for _, size := range p.expertSizes() {
		in, out := p.Inputs(t, tree, size[0], size[1])
		p.compare(t, fmt.Sprintf("%dx%d on OpenCL", size[0], size[1]), run(t, gpu, in, out), run(t, root, in, out))
	}
}

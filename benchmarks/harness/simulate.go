package harness

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"gowarp/gpusim/libcuda/simulator"
)

// Simulation is what a program emitted for CUDA did on the simulator.
type Simulation struct {
	Results map[string]*Array // nil if the program failed
	Failure error             // the program's own
	// Report is nil if the program never came to use CUDA.
	Report *simulator.Report
}

// SimulateOptions say what is simulated, and how thoroughly.
type SimulateOptions struct {
	Capability int    // 86 for 8.6
	GPU        string // whose SMs and L2 the estimates are for; "": the capability's representative
	CountOnly  bool   // no checks
	Shuffles   string // file for a line a shuffle (simulator.ShuffleLine), "" for none
	Blocks     int    // run this many blocks of a launch and scale the counts; 0: all
}

// Simulate runs a program emitted for CUDA on the simulator, as `gowarp verify` does, with
// all checks. A program that fails there is no error: what it did is in the result.
func (p *Program) Simulate(in Args, out map[string][]int, capability int) (*Simulation, error) {
	return p.SimulateWith(in, out, SimulateOptions{Capability: capability})
}

// SimulateWith is Simulate with options.
func (p *Program) SimulateWith(in Args, out map[string][]int, o SimulateOptions) (*Simulation, error) {
	// Opened so that `go test` knows that its result depends on them.
	for _, file := range []string{"libcuda.so", "gowarp-gpusim"} {
		f, err := os.Open(p.tree.Build("gpusim", file))
		if err != nil {
			return nil, fmt.Errorf("harness: no simulator, run `make build`: %w", err)
		}
		f.Close()
	}
	reports, err := tempDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(reports)
	simulated := &Program{tree: p.tree, Path: p.Path, Mins: p.Mins, Parts: p.Parts, Env: append(slices.Clone(p.Env),
		"LD_LIBRARY_PATH="+p.tree.Build("gpusim"),
		"GOWARP_GPUSIM_REPORTS="+reports,
		"GOWARP_GPUSIM_CAPABILITY="+strconv.Itoa(o.Capability),
		"GOWARP_GPUSIM_BLOCKS="+strconv.Itoa(o.Blocks),
		"HL_GPU_DEVICE=0")}
	if o.GPU != "" {
		simulated.Env = append(simulated.Env, "GOWARP_GPUSIM_GPU="+o.GPU)
	}
	if o.Shuffles != "" {
		simulated.Env = append(simulated.Env, "GOWARP_GPUSIM_SHUFFLES="+o.Shuffles)
	}
	if o.CountOnly {
		simulated.Env = append(simulated.Env, "GOWARP_GPUSIM_CHECKS=0")
	}
	s := &Simulation{}
	s.Results, s.Failure = simulated.Run(in, out)
	found, err := simulator.Collect(reports)
	switch {
	case err != nil:
		return nil, fmt.Errorf("harness: %w", errors.Join(err, s.Failure))
	case len(found) > 1:
		return nil, fmt.Errorf("harness: %d processes used the simulator, one is run", len(found))
	case len(found) == 1:
		s.Report = found[0]
	}
	return s, nil
}

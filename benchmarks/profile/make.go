// Package profile makes profiles (autoscheduler/profile): each stage of a program as a kernel of its own, with nothing inlined and a point a
// thread, compiled by ptxas for its registers and counted on the simulator for the time of an iteration. No GPU is needed, and
// the same program gives the same profile everywhere.
//
// Jangda and Guha 2020, section 6, measure the time of one thread in which loads from global memory have become loads from shared memory.
// Here it is the counted instructions of a thread by class, times latencies (coster.Cycles).
package profile

import (
	"fmt"
	"math"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/profile"
	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/calibration"
	"gowarp/benchmarks/harness"
	"gowarp/gpusim/libcuda/simulator"
	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
	"gowarp/internal/ptxas"
	"gowarp/occupancy"
)

const (
	// sampledBlocks is how many blocks of each launch run: all threads do the same.
	sampledBlocks = 8
	// uncapped is the most registers of a thread: a cap would hide what a stage wants.
	uncapped = 255
)

// Make profiles a program for a device. Stages that are no kernel (extern ones, what stays on the host) are said to be estimated.
func Make(tree *harness.Tree, p bench.Program, t bench.Target) (*profile.Profile, error) {
	pipeline, err := calibration.Export(tree, p, t, 0)
	if err != nil {
		return nil, err
	}
	regions, err := bounds.Analyze(pipeline)
	if err != nil {
		return nil, err
	}
	emitted, err := tree.Emit(p.Generator(nil), harness.EmitOptions{Target: t.Halide(), Scheduler: harness.RootGPU()})
	if err != nil {
		return nil, fmt.Errorf("profile: %s with a kernel a stage: %w", p.Label(), err)
	}
	// Which regions of its inputs the pipeline needs its CPU build says.
	host, err := tree.Emit(p.Generator(nil), harness.EmitOptions{Target: "host", Scheduler: harness.Root()})
	if err != nil {
		return nil, fmt.Errorf("profile: %s on the CPU: %w", p.Label(), err)
	}
	uses, report, err := count(tree, emitted, host, t)
	if err != nil {
		return nil, fmt.Errorf("profile: %s: %w", p.Label(), err)
	}
	m := measured{pipeline, regions, t.Device, uses, report}
	made := &profile.Profile{Format: profile.FormatName, Version: profile.Version, Pipeline: p.Label(), Digest: profile.Digest(pipeline), Device: t.Device.Name}
	var kernels []stageCount
	for id := range pipeline.Funcs {
		f := &pipeline.Funcs[id]
		for stage := range max(1, len(f.Stages)) {
			c, ok, err := m.stage(f, stage)
			if err != nil {
				return nil, err
			}
			if !ok {
				made.Estimated = append(made.Estimated, profile.Name(f.Label, stage))
				continue
			}
			kernels = append(kernels, c)
		}
	}
	place := places(kernels)
	for i := range kernels {
		k := &kernels[i]
		cycles := coster.Cycles(&m.device, k.whole-place[k.loops], k.float, k.special, k.memory, 0) / k.iterations
		made.Stages = append(made.Stages, profile.Stage{Func: k.label, Stage: k.stage, Registers: k.registers, Cycles: math.Round(cycles*100) / 100})
	}
	if len(made.Stages) == 0 {
		return nil, fmt.Errorf("profile: %s: none of its stages is a kernel", p.Label())
	}
	return made, nil
}

// count compiles the kernels, and runs some blocks of each launch at the estimated size.
func count(tree *harness.Tree, e, host *harness.Emission, t bench.Target) ([]ptxas.Use, *simulator.Report, error) {
	ptx, err := e.PTX()
	if err != nil {
		return nil, nil, err
	}
	uses, err := tree.Ptxas(ptx, t.Device.Capability, uncapped)
	if err != nil {
		return nil, nil, err
	}
	program, err := tree.Link(e)
	if err != nil {
		return nil, nil, err
	}
	description, err := tree.Describe(host, 0, 0)
	if err != nil {
		return nil, nil, err
	}
	in, out, mins, err := bench.Fill(tree, description)
	if err != nil {
		return nil, nil, err
	}
	program.Mins = mins
	s, err := program.SimulateWith(in, out, harness.SimulateOptions{Capability: t.Device.Capability, GPU: t.Device.Name, CountOnly: true, Blocks: sampledBlocks})
	switch {
	case err != nil:
		return nil, nil, err
	case s.Failure != nil:
		return nil, nil, s.Failure
	case s.Report == nil:
		return nil, nil, fmt.Errorf("nothing runs on the GPU")
	}
	return uses, s.Report, nil
}

// measured is what is known of a program's kernels.
type measured struct {
	p       *halideir.Pipeline
	regions *bounds.Regions
	device  occupancy.Device
	uses    []ptxas.Use
	report  *simulator.Report
}

// stageCount is what a thread of a stage's kernel does, in instructions.
type stageCount struct {
	label                         string
	stage, loops, registers       int
	whole, float, special, memory float64 // whole: integers and control
	iterations                    float64 // of loops over reduction domains
}

// stage is what is known of a stage, if it is a kernel.
func (m *measured) stage(f *halideir.Func, stage int) (out stageCount, ok bool, err error) {
	named := func(name string) bool { return ptxas.Of(name, f.Name, stage) }
	u := slices.IndexFunc(m.uses, func(u ptxas.Use) bool { return named(u.Kernel) })
	k := slices.IndexFunc(m.report.Kernels, func(k *simulator.Kernel) bool { return named(k.Name) })
	if u < 0 || k < 0 || m.report.Kernels[k].Count.Threads == 0 {
		return out, false, nil
	}
	c := &m.report.Kernels[k].Count
	warps := 0.0 // of each block whole ones, whatever of the last is idle
	for _, s := range m.report.Kernels[k].Shapes {
		threads := s.Block[0] * s.Block[1] * s.Block[2]
		warps += float64(s.Launches) * float64(s.BlocksRun) * math.Ceil(float64(threads)/plan.WarpLanes)
	}
	each := func(n int64) float64 { return float64(n) / warps }
	out = stageCount{
		label: f.Label, stage: stage, registers: m.uses[u].Registers, iterations: 1,
		whole: each(c.Integer + c.Control), float: each(c.Float), special: each(c.Special), memory: each(c.GlobalLoads + c.GlobalStores + c.GlobalAtomics + c.LocalLoads + c.LocalStores), // not the loads of a kernel's arguments
	}
	box, err := m.regions.Loops(m.p, f.ID, stage)
	if err != nil {
		return out, false, err
	}
	for l, loop := range f.Stages[stage].Loops {
		if loop.Kind == halideir.LoopPure {
			out.loops++
		} else { // a thread runs through it
			out.iterations *= float64(max(box[l].Extent(), 1))
		}
	}
	return out, true, nil
}

// places is what a thread does to find its place, by the number of loops: the least integer and control instructions of any stage. The loop
// that the paper times a stage in does it once for a million iterations.
func places(kernels []stageCount) map[int]float64 {
	least := map[int]float64{}
	for i := range kernels {
		k := &kernels[i]
		if l, ok := least[k.loops]; !ok || k.whole < l {
			least[k.loops] = k.whole
		}
	}
	return least
}

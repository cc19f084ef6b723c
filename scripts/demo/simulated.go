package main

import (
	"fmt"

	"gowarp/benchmarks/harness"
	"gowarp/gpusim/count"
)

// capability of the GPU that is simulated: the newest that Halide 21 emits code for.
const capability = 86

// simulated schedules the generator for CUDA, runs its kernels on the simulator, holds the
// result against want, and says in three lines what a GPU would have done.
func simulated(tree *harness.Tree, g harness.Generator, in harness.Args, want *harness.Array, tolerance harness.Tolerance) error {
	target := fmt.Sprintf("host-cuda-cuda_capability_%d", capability)
	step("no GPU here: scheduling it for %s as well, running those kernels on the simulator", target)
	e, err := tree.Emit(g, harness.EmitOptions{Target: target, Scheduler: harness.GowarpByEnvironment(nil)})
	if err != nil {
		return err
	}
	program, err := tree.Link(e)
	if err != nil {
		return err
	}
	s, err := program.Simulate(in, map[string][]int{"output": want.Shape}, capability)
	if err != nil {
		return err
	}
	if s.Failure != nil {
		return fmt.Errorf("on the simulator: %w", s.Failure)
	}
	if s.Report == nil || len(s.Report.Kernels) == 0 {
		return fmt.Errorf("on the simulator: no kernel was launched")
	}
	if s.Report.Wrong() {
		return fmt.Errorf("the simulator found %v %v", s.Report.Findings, s.Report.Errors)
	}
	if err := harness.Compare(s.Results["output"], want, tolerance); err != nil {
		return fmt.Errorf("the simulated result is not the CPU's: %w", err)
	}
	step("the simulated GPU's result is the CPU's too; no access out of bounds, race, undefined value or stray barrier in %.1f s", s.Report.Seconds)

	var c count.Kernel
	for _, k := range s.Report.Kernels {
		c.Add(&k.Count)
		for _, shape := range k.Shapes {
			g, b := shape.Grid, shape.Block
			step("  kernel %s: %dx%dx%d blocks of %dx%dx%d threads, %d bytes of shared memory", k.Name, g[0], g[1], g[2], b[0], b[1], b[2], shape.SharedBytes)
		}
	}
	per := func(n int64) float64 { return float64(n) * 32 / float64(want.Len()) }
	step("  for 32 pixels %.0f warp instructions (%.0f of them floating-point), %.1f requests to memory, %.1f barriers; %.0f%% of the branches diverge",
		per(c.WarpInstructions), per(c.Float+c.Special), per(c.Requests()), per(c.Barriers), percent(c.DivergentBranches, c.Branches))
	const sector = 32 // bytes
	step("  %.1f MB asked of global memory in sectors, %.1f MB of it different; %.0f%% of the shared-memory wavefronts are bank conflicts",
		float64((c.GlobalLoadSectors+c.GlobalStoreSectors)*sector)/1e6, float64(c.ColdBytes)/1e6, percent(c.SharedConflicts, c.SharedWavefronts))
	return nil
}

func percent(part, whole int64) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

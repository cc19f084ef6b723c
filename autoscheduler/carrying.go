package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/halideir/carried"
	"gowarp/internal/plan"
)

// A launch an iteration pays where the iterations within it would take longer one after the other, in nanoseconds by what the model makes of dynamic programs on an RTX 2080 Ti: 74 an iteration of
// four loads, 220 of 36, and 3,800 a launch of one or the other.
const (
	launchStep    = 4000.
	iterationStep = 55.
	loadStep      = 4.7
)

// carrying is the loops of an update that the host is to run, a launch an iteration, since they carry all dependences between others (package carried), and of the loops within a launch those
// that become threads. There are none unless the loops that are parallel anyway leave most of the device idle, and a launch has iterations enough to be worth it.
func (s *state) carrying(fn, stage int, a *access.Analysis, box bounds.Box) (loops carried.Loops, tiled []int) {
	st := &s.p.Funcs[fn].Stages[stage]
	parallel, serial := iterations(st, box)
	if s.params.Mode != "gowarp" || s.tried.plain || slices.Contains(s.tried.simple, fn) || !s.leavesIdle(parallel, serial) || slices.Contains(predicated(s.p, st), true) {
		return carried.Loops{}, nil
	}
	loops = carried.Of(s.p, a, fn, stage)
	within, inOrder := int64(1), int64(1) // iterations of a launch that are independent, and of each of them those of reductions, which a thread runs through
	for l, loop := range st.Loops {
		n := &inOrder
		if slices.Contains(loops.Parallel, l) {
			n = &within
		} else if loop.Kind.Parallel() || slices.Contains(loops.Carrying, l) {
			continue
		}
		*n = times(*n, box[l].Extent())
	}
	tiled, threads := tiledWithin(st, a.Stage(fn, stage), box, loops)
	step := (iterationStep + loadStep*float64(len(a.Stage(fn, stage).Loads))) * float64(inOrder)
	if float64(within)*step < launchStep || threads < plan.WarpLanes {
		return carried.Loops{}, nil
	}
	return loops, tiled
}

// tiledWithin are the loops within a launch that become threads, that along which memory is contiguous first, and how many iterations those have together. Of the parallel ones that would have to run
// in order only the innermost is among them: Halide does not let one that is inside another go outside a part of it.
func tiledWithin(st *halideir.Stage, at *access.Stage, box bounds.Box, loops carried.Loops) (tiled []int, threads int64) {
	neighbours := func(l int) bool { return len(at.Store) > 0 && at.Store[0].DependsOn(l) }
	for l, loop := range st.Loops {
		n := box[l].Extent()
		if !loop.Kind.Parallel() && (len(loops.Parallel) == 0 || l != loops.Parallel[0]) || n < minTiledExtent && !(neighbours(l) && n > strategy.MaxSerialExtent) {
			continue
		}
		if neighbours(l) {
			tiled = slices.Insert(tiled, 0, l)
		} else {
			tiled = append(tiled, l)
		}
	}
	tiled = tiled[:min(len(tiled), maxTiled)]
	threads = 1
	for _, l := range tiled {
		threads *= box[l].Extent()
	}
	// What lies along memory alone may be no warp.
	if threads < plan.WarpLanes && len(loops.Parallel) > 0 && !slices.Contains(tiled, loops.Parallel[0]) {
		if n := box[loops.Parallel[0]].Extent(); n > strategy.MaxSerialExtent {
			tiled, threads = append(tiled, loops.Parallel[0]), threads*n
		}
	}
	return tiled, threads
}

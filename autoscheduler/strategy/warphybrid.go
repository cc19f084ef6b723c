package strategy

import (
	"math"

	"gowarp/internal/plan"
)

// WarpHybrid is WarpRegisters with a fraction of every member's registers in a scratch of the warp in shared memory: a
// hybrid tile (Jangda and Guha 2020, algorithm 1). Lanes read there what they would have shuffled, so that a tile
// may be taller than the registers allow. Halide has no directive for it; the lowering pass of bridge/halidecc/demote.cc
// carries it out. The rows that come first are in shared memory, as the paper has the tiles at the left.
type WarpHybrid struct{}

// Name implements Strategy.
func (WarpHybrid) Name() string { return "warp-hybrid" }

// Prepare implements Strategy.
func (WarpHybrid) Prepare(pr *plan.Problem, g *plan.Group, o Options) (Prepared, error) {
	return prepareWarps(pr, g, o, WarpHybrid{}.Name(), o.InRegisters)
}

// WarpShared is WarpHybrid with nothing left in registers: an overlapped tile a warp in shared memory (Jangda and Guha
// 2020, section 4).
type WarpShared struct{}

// Name implements Strategy.
func (WarpShared) Name() string { return "warp-shared" }

// Prepare implements Strategy.
func (WarpShared) Prepare(pr *plan.Problem, g *plan.Group, o Options) (Prepared, error) {
	return prepareWarps(pr, g, o, WarpShared{}.Name(), 0)
}

// demoted is how many of a member's registers of a lane go to the scratch: to the nearest whole register.
func (w *warpTiles) demoted(slots int64) int64 {
	return slots - int64(math.Floor(w.inRegisters*float64(slots)+0.5))
}

// scratch is the shared memory of a warp with such a tile, in bytes.
func (w *warpTiles) scratch(s *warpSet, lp lanePoints, width int64) int64 {
	if w.inRegisters >= 1 {
		return 0
	}
	k := &plan.Kernel{Out: plan.Nest{Func: w.g.Out}, Warp: w.tile(lp, width, 1)}
	w.members(s, k)
	return k.Warp.Scratch
}

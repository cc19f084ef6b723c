package strategy

import (
	"fmt"
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

// WarpFractions is WarpHybrid and WarpShared with several fractions, for a coster to choose from.
type WarpFractions struct {
	InRegisters []float64
	// Taller offers only tiles that registers alone do not hold.
	Taller bool
}

// Name implements Strategy.
func (WarpFractions) Name() string { return WarpHybrid{}.Name() }

// WhileGrouping implements GroupingSkipper: what is computed together is decided without, which would take as many times as long.
func (WarpFractions) WhileGrouping() bool { return false }

// Prepare implements Strategy.
func (f WarpFractions) Prepare(pr *plan.Problem, g *plan.Group, o Options) (Prepared, error) {
	p, err := prepareWarps(pr, g, o, f.Name(), 1)
	whole, ok := p.(*warpTiles)
	if err != nil || !ok {
		return nil, err
	}
	var all fractions
	for _, in := range f.InRegisters {
		w := whole.hybrid(in)
		w.taller = f.Taller
		if in == 0 {
			w.name = WarpShared{}.Name()
		}
		all = append(all, w)
	}
	return all, nil
}

// fractions is a group that is set to run with each of several fractions in registers.
type fractions []*warpTiles

// Choices implements Chooser.
func (f fractions) Choices(stage int, step Step) []plan.Choice {
	var all []plan.Choice
	for _, w := range f {
		all = append(all, w.Choices(stage, step)...)
	}
	return all
}

// Kernel implements Prepared.
func (f fractions) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	for _, w := range f {
		if w.inRegisters == c.Warp.InRegisters {
			return w.Kernel(stage, c)
		}
	}
	return nil, fmt.Errorf("%s: %g is none of the fractions in registers", c.Strategy, c.Warp.InRegisters)
}

// hybrid is a group that is set to run with all in registers, set to run with a fraction.
func (w *warpTiles) hybrid(inRegisters float64) *warpTiles {
	h := *w
	h.whole, h.inRegisters, h.counted = w, inRegisters, newWarpCounts()
	return &h
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

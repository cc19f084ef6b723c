package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/strategy"
	"gowarp/halideir/bounds"
)

// acrossLoops are the short loops of an output along which all points need the same part of a stored Func before it, one of several points (a transform of blocks of 8x8 reads a block's rows for each of its coefficients): a tile that has
// them all computes that once. The loop along which memory is contiguous is short, too, and comes first. How many points there are has to be known.
func (s *state) acrossLoops(id, stage int, extent []int64) (across []int) {
	f, fits := &s.p.Funcs[id], s.problem.Fits
	if s.params.Mode != "gowarp" {
		return nil
	}
	short := func(l int) bool {
		loop := f.Stages[stage].Loops[l]
		if loop.Arg < 0 || !loop.Kind.Parallel() || extent[l] < 2 || extent[l] >= minTiledExtent {
			return false
		}
		_, whole := fits.Whole(id, loop.Arg)
		return whole
	}
	first := contiguous(&f.Stages[stage])
	if first < 0 || !short(first) {
		return nil
	}
	near := func(fn int) bool { return id-fn < heldReach }
	var grown *bounds.Group
	for l, loop := range f.Stages[stage].Loops {
		if !short(l) {
			continue
		}
		if grown == nil {
			grown = fits.Grow(id, stage, nil, near, s.problem.Stored)
		}
		shared := false
		for fn, gs := range grown.Funcs {
			shared = shared || fn != id && !s.problem.Inlined[fn] && !slices.ContainsFunc(gs, func(g bounds.Growth) bool { return !g.Provable() || !g.Fixed }) && sharedAlong(gs, loop.Arg, len(s.p.Funcs[fn].Stages) > 1)
		}
		for _, gs := range grown.Inputs {
			shared = shared || sharedAlong(gs, loop.Arg, false)
		}
		if shared {
			across = append(across, l)
		}
	}
	if len(across) > 0 && !slices.Contains(across, first) {
		across = slices.Insert(across, 0, first)
	}
	if len(across) == 1 && extent[first] <= strategy.MaxSerialExtent {
		return nil // a thread has them
	}
	return across
}

// sharedAlong reports whether what a tile needs of something is its own, does not move along a dimension, and is several points, or all, of another that it does not move along, or a reduction.
func sharedAlong(gs []bounds.Growth, dim int, reduction bool) bool {
	several, own := reduction, false
	for _, g := range gs {
		switch {
		case !g.Known:
			several = true
		case g.Dim == dim:
			return false
		case g.Dim >= 0:
			own = true
		default:
			several = several || g.Extent(1) > 1
		}
	}
	return several && own
}

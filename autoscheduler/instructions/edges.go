package instructions

import (
	"slices"

	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// interior is the share of a kernel's blocks that lie at no edge, of those whose code Halide partitions: it makes a copy of it for the interior without what boundary conditions clamp and without the
// tests of points at the end. It partitions no loop that holds a barrier, and none of a kernel in loops of the host (see the emitter).
func (e *Estimator) interior(k *plan.Kernel) float64 {
	if len(k.Out.Host) > 0 || slices.ContainsFunc(k.Members, func(m plan.Member) bool { return m.Where == plan.AtBlock || m.Where == plan.AtBlockGlobal }) {
		return 0
	}
	if len(k.Members) > 0 || e.pr.ExpandOf(&k.Out).Likely {
		return e.Inside(k, ^uint64(0))
	}
	return e.Inside(k, 0)
}

// Inside is the share of a kernel's blocks that lie at no edge: along these loops (bits of access.LoopBit) at neither end, or of too few points; along the others those that have all their points.
func (e *Estimator) Inside(k *plan.Kernel, both uint64) float64 {
	share := 1.0
	for _, u := range k.Out.Blocks {
		if u.Tile == 0 {
			continue
		}
		inside := e.extent(&k.Out, u.Loop) / u.Tile // all whole tiles
		if both&access.LoopBit(u.Loop) != 0 {
			inside = max(0, u.Extent-2)
		}
		share *= float64(inside) / float64(max(1, u.Extent))
	}
	return share
}

// onePiece reports whether a kernel's loops over blocks are one piece of code, in which all work is behind one test of the thread (see the emitter's): what only that needs to know warps
// without work do not load.
func (e *Estimator) onePiece(k *plan.Kernel) bool {
	return k.OneTest(e.pr.P) && !e.pr.ExpandOf(&k.Out).Likely
}

// untested are points side by side as they are where none lies beyond the end.
func untested(unrolled []plan.Use) []plan.Use {
	out := slices.Clone(unrolled)
	for i := range out {
		if out[i].Guarded() {
			out[i].Tail = plan.RoundUp
		}
	}
	return out
}

// averageWarps is the number of warps, of all blocks on average, in which a kernel's output keeps a thread busy: the last blocks of a grid have fewer points.
func (e *Estimator) averageWarps(k *plan.Kernel) float64 {
	n := &k.Out
	full := [3]int64{1, 1, 1}
	last := full
	blocks := [3]int64{1, 1, 1}
	for i, u := range n.Threads {
		d := min(i, 2)
		full[d] = u.Extent
		last[d] = u.Extent
		b := slices.IndexFunc(n.Blocks, func(b plan.Use) bool { return b.Loop == u.Loop })
		if b < 0 || n.Blocks[b].Tile == 0 || i > 2 {
			continue
		}
		points := int64(1)
		if p, ok := n.UnrolledUse(u.Loop); ok && p.Apart == 0 {
			points = p.Extent
		}
		blocks[d] = n.Blocks[b].Extent
		rest := e.extent(n, u.Loop) - (blocks[d]-1)*n.Blocks[b].Tile
		last[d] = max(1, min(u.Extent, (rest+points-1)/points))
	}
	if last == full {
		return warpsOf(k, full)
	}
	sum := 0.0
	for at := range 8 {
		ext, times := full, 1.0
		for d := range ext {
			if at>>d&1 == 1 {
				ext[d] = last[d]
			} else {
				times *= float64(blocks[d] - 1)
			}
		}
		if times > 0 {
			sum += times * warpsOf(k, ext)
		}
	}
	return sum / float64(blocks[0]*blocks[1]*blocks[2])
}

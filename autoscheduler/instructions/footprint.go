package instructions

import (
	"slices"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// mostFootprint is up to how many bytes a block's part of its buffers stays in L1 until its other warps have asked for it: half of the least that an SM has.
const mostFootprint = TableBytes

// span is from where to where a block accesses a dimension of a buffer, at how many places at most, and how far that moves from block to block.
type span struct{ lo, hi, places, step int64 }

// box is what a block accesses of a buffer.
type box []span

// access widens a box by an access of points of such extents. Where no loop gives a place it is anywhere in the buffer; it is false where that has no known size.
func (b box) access(of bounds.Box, idx []access.Index, extents []int64) (known, ok bool) {
	known = true
	for d := range idx {
		x, s := &idx[d], &b[d]
		terms, ok := x.Terms()
		if !ok {
			if d >= len(of) {
				return false, false
			}
			*s = span{of[d].Lo, of[d].Hi, of[d].Extent(), 1}
			known = false
			continue
		}
		lo, hi, places, step := x.Offset, x.Offset, int64(1), int64(0)
		for _, t := range terms {
			last := t.Num * (extents[t.Loop] - 1)
			lo, hi = lo+min(last, 0), hi+max(last, 0)
			places *= extents[t.Loop]
			step |= t.Num * extents[t.Loop]
		}
		if x.Den > 1 {
			lo, hi, step = bounds.FloorDiv(lo, x.Den), bounds.FloorDiv(hi+x.Den-1, x.Den), step|1
		}
		if s.places == 0 {
			*s = span{lo, hi, places, step}
			continue
		}
		*s = span{min(s.lo, lo), max(s.hi, hi), s.places + places, s.step | step}
	}
	return known, true
}

// sectors is how many sectors a box has, of rows that begin where one does if they are aligned.
func (b box) sectors(bytes int64, aligned bool) float64 {
	n := 1.0
	for d, s := range b {
		if d > 0 {
			n *= float64(min(s.hi-s.lo+1, s.places))
			continue
		}
		if first := s.step * bytes; aligned && first%SectorBytes == 0 {
			n *= float64(bounds.FloorDiv(s.hi*bytes, SectorBytes) - bounds.FloorDiv(s.lo*bytes, SectorBytes) + 1)
		} else {
			n *= 1 + float64((s.hi-s.lo)*bytes)/SectorBytes
		}
	}
	return n
}

// aligned reports whether all rows of a buffer begin with a sector.
func (e *Estimator) aligned(fn, input int, bytes int64) bool {
	of := e.box(fn, input)
	return len(of) > 0 && of[0].Lo*bytes%SectorBytes == 0 && (len(of) == 1 || of[0].Extent()*bytes%SectorBytes == 0)
}

// loadedOnce is how many sectors a block loads in a stage if L1 keeps them until the other warps and the next turns of its loops have asked for them: those of the boxes that
// its points read of each buffer in global memory. It is false where that is not known, or where what one turn loads is too much to be kept.
func (e *Estimator) loadedOnce(k *plan.Kernel, n *plan.Nest) (sum float64, ok bool) {
	extents, ok := e.blockExtents(k, n)
	if !ok {
		return 0, false
	}
	turn := slices.Clone(extents)
	for _, u := range n.Serial {
		if !u.Unroll {
			turn[u.Loop] /= max(u.Extent, 1)
		}
	}
	turns := !slices.Equal(turn, extents)
	held := 0.0
	for _, from := range e.pr.ExpandOf(n).Sources {
		if where, in := k.PlaceOf(from[0]); in && where != plan.AtBlockGlobal {
			continue
		}
		all, ok := e.boxOf(n, from, extents)
		if !ok {
			return 0, false
		}
		sum += all
		if turns {
			all, _ = e.boxOf(n, from, turn)
		}
		held += all
	}
	return sum, held*SectorBytes <= mostFootprint
}

// boxOf is how many sectors points of such extents load of a buffer.
func (e *Estimator) boxOf(n *plan.Nest, from [2]int, extents []int64) (float64, bool) {
	ex := e.pr.ExpandOf(n)
	var b box
	bytes, lookedUp := int64(1), 0.0
	for i := range ex.Loads {
		t := &ex.Loads[i]
		if t.Func != from[0] || t.Input != from[1] {
			continue
		}
		if b == nil {
			b, bytes = make(box, len(t.Index)), t.Bytes
		}
		known, ok := b.access(e.box(t.Func, t.Input), t.Index, extents)
		if !ok {
			return 0, false
		}
		if !known {
			lookedUp++
		}
	}
	sectors := b.sectors(bytes, e.aligned(from[0], from[1], bytes))
	if lookedUp > 0 {
		for _, n := range extents {
			lookedUp *= float64(n)
		}
		sectors = min(sectors, lookedUp/2) // points near each other look up near each other: half of them the same sector
	}
	return sectors, true
}

// blockExtents is how many iterations of each loop of a stage a block runs.
func (e *Estimator) blockExtents(k *plan.Kernel, n *plan.Nest) (out []int64, ok bool) {
	out = e.iterations(n, n.Unrolled, n.Serial, n.Threads)
	if where, in := k.PlaceOf(n.Func); !in || where != plan.AtThread {
		return out, true
	}
	// A thread's own: the places of its reader's threads are apart by what these are.
	reader := e.readerOf(k, n.Func)
	if reader == nil {
		return nil, false
	}
	of, ok := e.blockExtents(k, reader)
	if !ok {
		return nil, false
	}
	thread := e.iterations(reader, reader.Unrolled, reader.Serial)
	loads := e.pr.ExpandOf(reader).Loads
	for l, loop := range e.pr.P.Funcs[n.Func].Stages[n.Stage].Loops {
		apart := int64(0)
		for i := range loads {
			if loads[i].Func != n.Func || loop.Arg < 0 {
				continue
			}
			terms, ok := loads[i].Index[loop.Arg].Terms()
			if !ok {
				return nil, false
			}
			sum := int64(0)
			for _, t := range terms {
				sum += max(t.Num, -t.Num) * (of[t.Loop] - thread[t.Loop])
			}
			apart = max(apart, sum/max(loads[i].Index[loop.Arg].Den, 1))
		}
		out[l] += apart
	}
	return out, true
}

// readerOf is a stage of a kernel that reads a member.
func (e *Estimator) readerOf(k *plan.Kernel, fn int) *plan.Nest {
	reads := func(n *plan.Nest) bool {
		return n.Func != fn && slices.ContainsFunc(e.pr.ExpandOf(n).Loads, func(t plan.Tap) bool { return t.Func == fn })
	}
	if reads(&k.Out) {
		return &k.Out
	}
	for i := range slices.Backward(k.Members) {
		for j := range k.Members[i].Nests {
			if n := &k.Members[i].Nests[j]; reads(n) {
				return n
			}
		}
	}
	return nil
}

// iterations is how many there are of each loop of a stage in some of its nest's levels together.
func (e *Estimator) iterations(n *plan.Nest, levels ...[]plan.Use) []int64 {
	out := slices.Repeat([]int64{1}, len(e.pr.Dims[e.pr.StageIndex(n.Func, n.Stage)].Extent))
	for _, uses := range levels {
		for _, u := range uses {
			out[u.Loop] *= max(u.Extent, 1)
		}
	}
	return out
}

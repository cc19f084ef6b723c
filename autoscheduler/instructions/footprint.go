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

// form is what the loads of a stage access of one dimension of a buffer, whatever the tile: at the same loops times the same numbers, and offsets from lo to hi.
type form struct {
	terms  []access.Term
	den    int64
	lo, hi int64
	loads  int64
}

// footprint is what a stage loads of a buffer.
type footprint struct {
	from     [2]int
	dims     []dimension
	bytes    int64   // of an element
	aligned  bool    // rows begin where a sector does
	lookedUp float64 // loads at places that no loop gives
	unknown  bool    // such a place is in a buffer that has no known size
}

// dimension is the forms of one, beside all of it where a place is not known.
type dimension struct {
	all   span
	forms []form
}

// footprints are those of a stage, of each buffer that it loads from.
func (e *Estimator) footprints(n *plan.Nest) []footprint {
	ex := e.pr.ExpandOf(n)
	return plan.Remember(&ex.Counted, []byte{byte(askedFootprints), together(n)}, func() []footprint {
		out := make([]footprint, len(ex.Sources))
		for i, from := range ex.Sources {
			out[i] = e.footprint(ex, n, from)
		}
		return out
	})
}

func (e *Estimator) footprint(ex *plan.Expand, n *plan.Nest, from [2]int) footprint {
	f, of := footprint{from: from}, e.box(from[0], from[1])
	for i := range ex.Loads {
		t := &ex.Loads[i]
		if t.Func != from[0] || t.Input != from[1] || n.Together() && e.pr.HandedOn(n, t) {
			continue
		}
		if f.dims == nil {
			f.dims, f.bytes = make([]dimension, len(t.Index)), t.Bytes
		}
		known := true
		for d := range t.Index {
			x, dim := &t.Index[d], &f.dims[d]
			terms, ok := x.Terms()
			if ok || x.Kind == access.Affine {
				dim.add(terms, x)
				continue
			}
			known = false
			if d >= len(of) {
				f.unknown = true
				return f
			}
			*dim = dimension{all: span{of[d].Lo, of[d].Hi, of[d].Extent(), 1}}
		}
		if !known {
			f.lookedUp++
		}
	}
	f.aligned = e.aligned(from[0], from[1], f.bytes)
	return f
}

func (d *dimension) add(terms []access.Term, x *access.Index) {
	i := slices.IndexFunc(d.forms, func(f form) bool { return f.den == x.Den && slices.Equal(f.terms, terms) })
	if i < 0 {
		d.forms = append(d.forms, form{slices.Clone(terms), x.Den, x.Offset, x.Offset, 1})
		return
	}
	f := &d.forms[i]
	f.lo, f.hi, f.loads = min(f.lo, x.Offset), max(f.hi, x.Offset), f.loads+1
}

// span is what points of such extents access.
func (d *dimension) span(extents []int64) span {
	s := d.all
	for i := range d.forms {
		f := &d.forms[i]
		lo, hi, places, step := f.lo, f.hi, f.loads, int64(0)
		for _, t := range f.terms {
			last := t.Num * (extents[t.Loop] - 1)
			lo, hi = lo+min(last, 0), hi+max(last, 0)
			places *= extents[t.Loop]
			step |= t.Num * extents[t.Loop]
		}
		if f.den > 1 {
			lo, hi, step = bounds.FloorDiv(lo, f.den), bounds.FloorDiv(hi+f.den-1, f.den), step|1
		}
		if s.places == 0 {
			s = span{lo, hi, places, step}
			continue
		}
		s = span{min(s.lo, lo), max(s.hi, hi), s.places + places, s.step | step}
	}
	return s
}

// sectors is how many sectors points of such extents load of the buffer.
func (f *footprint) sectors(extents []int64) float64 {
	if f.dims == nil {
		return 0 // all of it is handed on
	}
	n := 1.0
	for d := range f.dims {
		s := f.dims[d].span(extents)
		if d > 0 {
			n *= float64(min(s.hi-s.lo+1, s.places))
			continue
		}
		if first := s.step * f.bytes; f.aligned && first%SectorBytes == 0 {
			n *= float64(bounds.FloorDiv(s.hi*f.bytes, SectorBytes) - bounds.FloorDiv(s.lo*f.bytes, SectorBytes) + 1)
		} else {
			n *= 1 + float64((s.hi-s.lo)*f.bytes)/SectorBytes
		}
	}
	if f.lookedUp > 0 {
		lookedUp := f.lookedUp
		for _, n := range extents {
			lookedUp *= float64(n)
		}
		n = min(n, lookedUp/2) // points near each other look up near each other: half of them the same sector
	}
	return n
}

// aligned reports whether all rows of a buffer begin with a sector.
func (e *Estimator) aligned(fn, input int, bytes int64) bool {
	of := e.box(fn, input)
	return len(of) > 0 && of[0].Lo*bytes%SectorBytes == 0 && (len(of) == 1 || e.row(fn, input)*bytes%SectorBytes == 0)
}

// loadedOnce is how many sectors a block loads in a stage if L1 keeps them until the other warps and the next turns of its loops have asked for them: those of the boxes that
// its points read of each buffer in global memory. It is false where that is not known, or where what one turn loads is too much to be kept.
func (e *Estimator) loadedOnce(k *plan.Kernel, n *plan.Nest) (sum float64, ok bool) {
	var few [2][fewLoops]int64
	extents, ok := e.blockExtents(few[0][:0], k, n)
	if !ok {
		return 0, false
	}
	turn := append(few[1][:0], extents...)
	for _, u := range n.Serial {
		if !u.Unroll {
			turn[u.Loop] /= max(u.Extent, 1)
		}
	}
	turns := !slices.Equal(turn, extents)
	held := 0.0
	of := e.footprints(n)
	for i := range of {
		f := &of[i]
		if k.OnChip(f.from[0]) {
			continue
		}
		if f.unknown {
			return 0, false
		}
		all := f.sectors(extents)
		sum += all
		if turns {
			all = f.sectors(turn)
		}
		held += all
	}
	return sum, held*SectorBytes <= mostFootprint
}

// fewLoops is more loops than all but the strangest stages have.
const fewLoops = 8

// blockExtents is how many iterations of each loop of a stage a block runs; out has room for them.
func (e *Estimator) blockExtents(out []int64, k *plan.Kernel, n *plan.Nest) (_ []int64, ok bool) {
	out = e.iterations(out, n, n.Unrolled, n.Serial, n.Threads)
	if where, in := k.PlaceOf(n.Func); !in || where != plan.AtThread {
		return out, true
	}
	// A thread's own: the places of its reader's threads are apart by what these are.
	reader := e.readerOf(k, n.Func)
	if reader == nil {
		return nil, false
	}
	of, ok := e.blockExtents(nil, k, reader)
	if !ok {
		return nil, false
	}
	thread := e.iterations(nil, reader, reader.Unrolled, reader.Serial)
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

// iterations is how many there are of each loop of a stage in some of its nest's levels together; out has room for them.
func (e *Estimator) iterations(out []int64, n *plan.Nest, levels ...[]plan.Use) []int64 {
	for range e.pr.Dims[e.pr.StageIndex(n.Func, n.Stage)].Extent {
		out = append(out, 1)
	}
	for _, uses := range levels {
		for _, u := range uses {
			out[u.Loop] *= max(u.Extent, 1)
		}
	}
	return out
}

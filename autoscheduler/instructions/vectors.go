package instructions

import (
	"math/bits"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// allLanes has a bit for each element of a vector.
const allLanes = 1<<plan.VectorLanes - 1

// vectorLoads is how many loads take elements of a vector, a bit each: of all of it one, of all of a half one.
func vectorLoads(elements int32, lanes int) int {
	if all := int32(1)<<lanes - 1; elements == all {
		return 1
	}
	half := lanes / 2
	if half < 2 {
		return bits.OnesCount32(uint32(elements))
	}
	return vectorLoads(elements>>half, half) + vectorLoads(elements&(1<<half-1), half)
}

// vectors reports whether an access of a nest's thread is at vectors of its own, if all of one is accessed: neighbours in the buffer lie side by side in the
// thread's code, from a multiple of plan.VectorLanes on, by the sizes estimated. bridge/halidecc/addresschains.cc makes vectors of those.
func (e *Estimator) vectors(n *plan.Nest, fn, input, out int, idx []access.Index) bool {
	if !e.pr.Vectors || e.plain || !inVectors(e.element(fn, input, out)) || len(idx) == 0 || slices.ContainsFunc(n.Unrolled, plan.Use.Guarded) || fn == n.Func && e.readsItself(n) {
		return false
	}
	if len(e.box(fn, input)) == 0 {
		return false
	}
	beside, ok := e.inStep(n, &idx[0], 1)
	if !ok || !beside {
		return false
	}
	stride := int64(1)
	for k := 1; k < len(idx); k++ {
		if stride = e.stride(fn, input, k); stride == 0 {
			continue
		}
		if fn >= 0 && !e.pr.P.Funcs[fn].Output {
			return false // the pass knows no size of what Halide allocates
		}
		if _, ok := e.inStep(n, &idx[k], stride); !ok {
			return false
		}
	}
	return true
}

// inVectors reports whether as many elements as a vector has are one access, as in bridge/halidecc/addresschains.cc.
func inVectors(t halideir.Type) bool {
	return t.Lanes <= 1 && (t.Bits == 32 || t.IsInt() && (t.Bits == 16 || t.Bits == 8))
}

// Unpacking is how many instructions take an element out of a vector, Packing how many put one into it: of narrow ones several share a register, of bytes
// pairs are put together first.
func Unpacking(bytes int64) float64 {
	if bytes < 4 {
		return 1
	}
	return 0
}

func Packing(bytes int64) float64 {
	switch bytes {
	case 1:
		return 1.75
	case 2:
		return 1
	}
	return 0
}

// element is the type of a buffer's elements: of a value of a Func, else of an input; none for neither.
func (e *Estimator) element(fn, input, out int) halideir.Type {
	switch {
	case fn >= 0:
		return e.pr.P.Funcs[fn].Types[out]
	case input >= 0:
		return e.pr.P.Inputs[input].Type
	}
	return halideir.Type{}
}

// InVectors reports whether a lane whose points begin at multiples of plan.VectorLanes accesses what of a buffer's rows is a whole vector at once, and where
// each row begins, as all do in their vectors where one is a multiple of those long.
func (e *Estimator) InVectors(fn, input, out int) (first int64, ok bool) {
	box := e.box(fn, input)
	if !e.pr.Vectors || !inVectors(e.element(fn, input, out)) || len(box) == 0 || len(box) > 1 && e.stride(fn, input, 1) != 0 {
		return 0, false
	}
	return box[0].Lo, true
}

// inStep reports whether an index times a stride is at the same place of a vector for all threads and turns: whatever differs from one to the other is a
// multiple of plan.VectorLanes. beside says that neighbours in the thread's code are neighbours in memory.
func (e *Estimator) inStep(n *plan.Nest, x *access.Index, stride int64) (beside, ok bool) {
	terms, ok := x.Terms()
	if !ok || x.Den > 1 || x.Clamped {
		return false, false
	}
	for _, t := range terms {
		u, there := n.UnrolledUse(t.Loop)
		step := t.Num * stride
		switch {
		case step%plan.VectorLanes == 0:
		case !there || u.Apart > 0:
			return false, false
		case u.Extent*step%plan.VectorLanes == 0:
			beside = beside || step == 1
		case u.Extent != e.extent(n, t.Loop):
			return false, false // where it begins differs from turn to turn
		}
	}
	return beside, true
}

// stride is how far neighbours of a dimension are apart, as far as it tells an element's place in its vector.
func (e *Estimator) stride(fn, input, dim int) int64 {
	stride := int64(1)
	for k, iv := range e.box(fn, input)[:dim] {
		extent := iv.Extent()
		if k == 0 {
			extent = e.row(fn, input)
		}
		stride = stride * (extent % plan.VectorLanes) % plan.VectorLanes
	}
	return stride
}

// row is how long a buffer's rows are in memory.
func (e *Estimator) row(fn, input int) int64 {
	row := e.box(fn, input)[0].Extent()
	if fn >= 0 && e.pr.Vectors {
		n := e.Padding(fn, row)
		return (row + n - 1) / n * n
	}
	return row
}

// mostPadding is by which part a row may become longer.
const mostPadding = 16

// Padding is of how many elements the length of a Func's rows in global memory is to be a multiple, where rows of the estimated length are no whole vectors: of those of a sector, else of a
// vector, if that is a small part of the row. It is 1 where rows stay as they are. Of a region with a halo each row would begin elsewhere in its vector, and in its sector, than the row before.
//
// Nor does it pay where nobody reads along rows (a grid that is looked up, or enlarged): a stride that is said to be a multiple is a product for each address.
func (e *Estimator) Padding(fn int, row int64) int64 {
	f := &e.pr.P.Funcs[fn]
	if f.Output || len(f.Args) < 2 || row%plan.VectorLanes == 0 || !e.rowsRead()[fn] {
		return 1
	}
	least := int64(SectorBytes)
	for _, t := range f.Types {
		least = min(least, t.Bytes())
	}
	for _, n := range []int64{SectorBytes / least, plan.VectorLanes} {
		if more := (n - row%n) % n; more*mostPadding <= row {
			return n
		}
	}
	return 1
}

// rowsRead says of each Func whether some stage reads its neighbours for neighbours.
func rowsRead(pr *plan.Problem) []bool {
	out := make([]bool, len(pr.P.Funcs))
	for fn := range pr.P.Funcs {
		for stage := range pr.P.Funcs[fn].Stages {
			s := pr.Access.Stage(fn, stage)
			if s == nil {
				continue
			}
			for i := range s.Loads {
				if l := &s.Loads[i]; l.Func >= 0 && l.Func != fn && len(l.Index) > 0 {
					_, ok := l.Index[0].Terms()
					out[l.Func] = out[l.Func] || ok && l.Index[0].Den <= 1
				}
			}
		}
	}
	return out
}

// begins is where in a buffer's row a nest's first point accesses an element without an offset: what the estimated regions begin at.
func (e *Estimator) begins(n *plan.Nest, x *access.Index, fn, input int) int64 {
	at := -e.box(fn, input)[0].Lo
	terms, _ := x.Terms()
	for _, t := range terms {
		if arg := e.pr.P.Funcs[n.Func].Stages[n.Stage].Loops[t.Loop].Arg; arg >= 0 {
			at += t.Num * e.pr.Regions.Funcs[n.Func][arg].Lo
		}
	}
	return at
}

// phase is where a row begins in its vector, of an access that a point makes.
func (e *Estimator) phase(fn, input int, idx []access.Index, s Shift) int64 {
	sum := int64(0)
	for k := 1; k < len(idx); k++ {
		if stride := e.stride(fn, input, k); stride != 0 {
			sum += stride * (along(&idx[k], s) - e.box(fn, input)[k].Lo)
		}
	}
	return sum
}

// readsItself reports whether a stage reads what it writes: the compiler keeps that in registers where it can, by elements.
func (e *Estimator) readsItself(n *plan.Nest) bool {
	return slices.ContainsFunc(e.pr.ExpandOf(n).Loads, func(t plan.Tap) bool { return t.Func == n.Func })
}

// widen counts what a point loads as an element of a vector or of half a one, once all of that is loaded.
func (c *Part) widen(e *Estimator, n *plan.Nest, t *plan.Tap, s Shift, each float64, w *wide) {
	at, row := e.begins(n, &t.Index[0], t.Func, t.Input)+e.phase(t.Func, t.Input, t.Index, s)+along(&t.Index[0], s), placeKey(t.Func, t.Input, t.Out, rest(t.Index), s)
	first := bounds.FloorDiv(at, plan.VectorLanes)
	lane := int32(1) << (at - first*plan.VectorLanes)
	elements := e.seen.vectors.Or(uint64(row.and(first)), lane)
	saved := 1 + vectorLoads(elements&^lane, plan.VectorLanes) - vectorLoads(elements, plan.VectorLanes)
	if saved > 0 {
		w.saved += float64(saved)
		e.seen.wideRows.Add(uint64(row))
		e.seen.wideBuffers.Add(uint64(placeKey(t.Func, t.Input, 0, nil, nil)))
	}
	c.Terms[Packed] += each * Unpacking(t.Bytes)
	fewer := each * float64(saved)
	c.Memory -= fewer
	c.Global -= fewer
	c.Loads -= fewer
	c.Asked -= fewer * e.loadSectors(n, t)
	c.Requests -= fewer * e.ways(n, t.Index, t.Bytes)
	if elements == allLanes && n.Along.Loop >= 0 && t.Index[0].DependsOn(n.Along.Loop) && e.seen.widened.Add(uint64(row)) {
		// Sectors were counted for each of the points along a row of threads that there were, of which up to four load a vector together; of those that follow they are not. (Of a sum's iterations over neighbours all are one point's.)
		columns := bits.OnesCount32(uint32(e.seen.columnsOf.Or(uint64(row), 0)))
		c.Sectors -= each * float64(min(plan.VectorLanes, columns)-1) * e.loadSectors(n, t)
	}
}

// inputBoxes is where inputs begin and end (bounds.Regions.Input).
func inputBoxes(pr *plan.Problem) []bounds.Box {
	out := make([]bounds.Box, len(pr.P.Inputs))
	for i := range out {
		out[i] = pr.Regions.Input(pr.P, i)
	}
	return out
}

// box is where a buffer begins and ends: that of a Func, else of an input.
func (e *Estimator) box(fn, input int) bounds.Box {
	switch {
	case fn >= 0:
		return e.pr.Regions.Funcs[fn]
	case input >= 0:
		return e.inputs[input]
	}
	return nil
}

// extent is that of a loop of a nest's stage, by the sizes estimated.
func (e *Estimator) extent(n *plan.Nest, loop int) int64 {
	return e.pr.Dims[e.pr.StageIndex(n.Func, n.Stage)].Extent[loop]
}

// along is where a point accesses a dimension, relative to where its thread does in this turn.
func along(x *access.Index, s Shift) int64 {
	at := x.Offset
	terms, _ := x.Terms()
	for _, t := range terms {
		at += t.Num * s.of(t.Loop)
	}
	return at
}

package instructions

import (
	"slices"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

const vectorBytes = 4 // of each element

// allLanes has a bit for each element of a vector.
const allLanes = 1<<plan.VectorLanes - 1

// vectors reports whether an access of a nest's thread is at vectors of its own, if all of one is accessed: neighbours in the buffer lie side by side in the
// thread's code, from a multiple of plan.VectorLanes on, by the sizes estimated. bridge/halidecc/addresschains.cc makes vectors of those.
func (e *Estimator) vectors(n *plan.Nest, fn, input int, bytes int64, idx []access.Index) bool {
	if !e.pr.Vectors || bytes != vectorBytes || len(idx) == 0 || slices.ContainsFunc(n.Unrolled, plan.Use.Guarded) || fn == n.Func && e.readsItself(n) {
		return false
	}
	if row, ok := e.row(fn, input); !ok || row.Lo%plan.VectorLanes != 0 || len(idx) > 1 && (row.Hi+1-row.Lo)%plan.VectorLanes != 0 {
		return false
	}
	x := &idx[0]
	terms, ok := x.Terms()
	if !ok || x.Den > 1 || x.Clamped {
		return false
	}
	beside := false
	for _, t := range terms {
		u, there := n.UnrolledUse(t.Loop)
		switch {
		case t.Num%plan.VectorLanes == 0:
		case t.Num != 1 || !there || u.Apart > 0:
			return false
		case u.Extent%plan.VectorLanes == 0:
			beside = true
		case u.Extent != e.extent(n, t.Loop):
			return false // where it begins differs from turn to turn
		}
	}
	return beside
}

// readsItself reports whether a stage reads what it writes: the compiler keeps that in registers where it can, by elements.
func (e *Estimator) readsItself(n *plan.Nest) bool {
	return slices.ContainsFunc(e.pr.Expand[e.pr.StageIndex(n.Func, n.Stage)].Loads, func(t plan.Tap) bool { return t.Func == n.Func })
}

// widen counts what a point loads as an element of a vector, once all of that is loaded.
func (c *Count) widen(e *Estimator, n *plan.Nest, t *plan.Tap, s Shift) {
	at, row := along(&t.Index[0], s), placeKey(t.Func, t.Input, t.Out, rest(t.Index), s)
	first := bounds.FloorDiv(at, plan.VectorLanes)
	if e.seen.vectors.Or(uint64(row.and(first)), 1<<(at-first*plan.VectorLanes)) != allLanes {
		return
	}
	const fewer = plan.VectorLanes - 1
	c.Memory -= fewer
	c.Global -= fewer
	c.Requests -= fewer * e.ways(n, t.Index, t.Bytes)
	if n.Along.Loop >= 0 && t.Index[0].DependsOn(n.Along.Loop) && e.seen.widened.Add(uint64(row)) {
		c.Sectors -= fewer * e.loadSectors(n, t)
	}
}

// row is where a row of a buffer begins and ends: of a Func, else of an input.
func (e *Estimator) row(fn, input int) (bounds.Interval, bool) {
	switch {
	case fn >= 0:
		box := e.pr.Regions.Funcs[fn]
		return box[0], true
	case input >= 0:
		if d := e.pr.P.Inputs[input].Dims[0]; d.MinEstimate != nil && d.ExtentEstimate != nil {
			return bounds.Interval{Lo: *d.MinEstimate, Hi: *d.MinEstimate + *d.ExtentEstimate - 1}, true
		}
		return e.pr.Regions.Inputs[input][0], true
	}
	return bounds.Interval{}, false
}

// extent is that of a loop of a nest's stage, by the sizes estimated.
func (e *Estimator) extent(n *plan.Nest, loop int) int64 {
	return e.pr.Dims[e.pr.StageIndex(n.Func, n.Stage)].Extent[loop]
}

// along is where a point accesses a row, relative to a vector's beginning.
func along(x *access.Index, s Shift) int64 {
	at := x.Offset
	terms, _ := x.Terms()
	for _, t := range terms {
		at += t.Num * s.of(t.Loop)
	}
	return at
}

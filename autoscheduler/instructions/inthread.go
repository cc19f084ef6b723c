package instructions

import (
	"slices"
	"sync"

	"gowarp/internal/keymap"
	"gowarp/internal/plan"
)

// inThread is what a thread has loaded for the stages that it computes in registers, one after the other. No store to memory stands between them, so that the compiler
// loads once what several read at the same place, and works out where that is once.
type inThread struct {
	points                []plan.Use // of the stages so far: others are not at the same places
	loaded, rows, buffers keymap.Map
}

// allInThread are those of which nobody asks any more, kept for the memory of their tables.
var allInThread = sync.Pool{New: func() any { return new(inThread) }}

// done has the tables kept for another kernel.
func (h *inThread) done() {
	h.points = nil
	for _, m := range []*keymap.Map{&h.loaded, &h.rows, &h.buffers} {
		m.Clear()
	}
	allInThread.Put(h)
}

// accessed are the keys of what a stage loads from global memory at places that are known and no turn of its loops moves: of elements, of their rows, and of their buffers, each once.
type accessed struct{ elements, rows, buffers []uint64 }

func (e *Estimator) accessed(k *plan.Kernel, n *plan.Nest) *accessed {
	return remember(e, askedAccessed, k, n, func() *accessed {
		var a accessed
		turn := turning(n)
		for _, some := range e.kinds(n, Shifts(n)) {
			for i := range some.ex.Loads {
				t := &some.ex.Loads[i]
				if _, in := k.PlaceOf(t.Func); in || nowhere(t.Index) || movesAny(t.Index, turn) {
					continue
				}
				for _, s := range some.points {
					a.elements = append(a.elements, uint64(e.placeOf(n, t.Func, t.Input, t.Out, t.Index, s)))
					a.rows = append(a.rows, uint64(placeKey(t.Func, t.Input, t.Out, rest(t.Index), s)))
					a.buffers = append(a.buffers, uint64(placeKey(t.Func, t.Input, t.Out, nil, nil)))
				}
			}
		}
		for _, of := range []*[]uint64{&a.elements, &a.rows, &a.buffers} {
			slices.Sort(*of)
			*of = slices.Compact(*of)
		}
		return &a
	})
}

// perRow are the terms of an address that there are once for each row, and perBuffer those for each buffer.
var (
	perRow    = [...]Term{Row, VectorRow, ClampedRow, ClampedElement, LikelyRow, LikelyElement}
	perBuffer = [...]Term{Buffer, Stride, Scaled, Step, ClampedColumn, LikelyColumn}
)

// share takes out of what a stage in registers costs what stages before it have loaded.
func (h *inThread) share(e *Estimator, k *plan.Kernel, n *plan.Nest, c *Part) {
	if h.points != nil && !slices.Equal(h.points, n.Unrolled) {
		return
	}
	h.points = n.Unrolled
	a := e.accessed(k, n)
	already := known(&h.loaded, a.elements)
	loaded := already * c.Global
	c.Memory -= loaded
	c.Requests -= loaded
	c.Global -= loaded
	c.Loads *= 1 - already
	c.Asked *= 1 - already
	rows, buffers := known(&h.rows, a.rows), known(&h.buffers, a.buffers)
	for _, t := range perRow {
		c.Terms[t] *= 1 - rows
	}
	for _, t := range perBuffer {
		c.Terms[t] *= 1 - buffers
	}
}

// known is the share of keys that are in a table, into which all are put.
func known(table *keymap.Map, keys []uint64) float64 {
	n := 0.0
	for _, k := range keys {
		if !table.Add(k) {
			n++
		}
	}
	return n / float64(max(1, len(keys)))
}

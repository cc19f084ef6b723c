package instructions

import (
	"encoding/binary"
	"sync"

	"gowarp/internal/keymap"
	"gowarp/internal/plan"
)

// shapeBytes is as long as most shapes are.
const shapeBytes = 192

// asked is what is kept of a stage.
type asked byte

// What is kept.
const (
	askedCount    asked = iota
	askedRegister       // a count of points that are stored in registers
	askedPlain          // both without vectors
	askedPlainRegister
	askedRows
	askedOperands
	askedInvariants
	askedFootprints
	askedAccessed
)

// remember works something out once for each shape of a stage as it runs. What is asked must hang on nothing else, or it would hang on who asks first.
func remember[V any](e *Estimator, what asked, k *plan.Kernel, n *plan.Nest, work func() V) V {
	var buf [shapeBytes]byte
	ex := e.pr.ExpandOf(n)
	return plan.Remember(&ex.Counted, shape(append(buf[:0], byte(what)), ex, k, n), work)
}

// shape appends all that the points of a nest's thread cost by, beside the stage's expansion: its unrolled loops, those that turn, and where what it reads is.
func shape(b []byte, ex *plan.Expand, k *plan.Kernel, n *plan.Nest) []byte {
	b = append(b, together(n), byte(len(n.Unrolled)))
	for _, u := range n.Unrolled {
		split := byte(0)
		if u.Tile > 0 {
			split = 1
		}
		b = append(binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, int64(u.Loop)), u.Extent), u.Apart), byte(u.Tail), split)
	}
	b = binary.AppendVarint(binary.AppendVarint(b, int64(n.Along.Loop)), min(n.Along.Extent, plan.WarpLanes))
	b = append(b, byte(lanesOf(n)))
	for _, u := range n.Serial {
		if u.Extent > 1 && !u.Unroll {
			b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(append(b, 1), int64(u.Loop)), u.Extent), u.Steps)
		}
	}
	b = append(b, 0)
	if n.Func == k.Out.Func && n.Fused > 1 {
		for _, u := range n.FusedLoops() { // which of them are told apart
			b = binary.AppendVarint(b, int64(u.Loop))
		}
	}
	place := func(fn int) {
		where, in := k.PlaceOf(fn)
		if in {
			where++
		}
		b = append(b, byte(where))
	}
	b = append(b, 0)
	place(n.Func)
	if !ex.Saturated {
		for _, fn := range ex.Reads {
			place(fn)
		}
		return b
	}
	for i := range k.Members { // it may read Funcs that its expansion does not get to
		b = binary.AppendVarint(append(b, byte(k.Members[i].Where)), int64(k.Members[i].Func))
	}
	return b
}

// together tells apart what threads that run through a scan together load, which is not what they hand on.
func together(n *plan.Nest) byte {
	if n.Together() {
		return 1
	}
	return 0
}

// seen is what a count has met so far.
type seen struct {
	called, loaded, rows, columns, pointers, buffers, stores, sectors, vectors, columnsOf, widened, clamped, rowsOf, steps, wideRows, wideBuffers, repeats, moved keymap.Map

	products Products
}

// allSeen are those that nobody counts with, kept for their memory.
var allSeen = sync.Pool{New: func() any { return new(seen) }}

package access

import (
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/internal/keymap"
)

// Repeat is an operation of floats that a definition has at one place or more, the same but for where it is: of a Sobel filter, the difference of what is left and right of a row. What one point computes at one place its neighbour may compute
// at another, and the compiler's common-subexpression elimination then has it once. Integers are not among them: their sums are put in another order first (LLVM's Reassociate), so that neighbours share others than the definition has.
type Repeat struct {
	Ops   Ops       // of one place; with a sum the product that is one instruction with it
	Loops []int     // those that it moves with, ascending
	At    [][]int64 // for each place, how far it is along each of Loops, in their steps
}

// place is what an expression is but for where, and where that is.
type place struct {
	key   uint64
	at    []int64 // by loop
	moves uint64  // loops that it moves with, a bit each
	ok    bool    // it moves as a whole
}

// mostRepeatedLoops is more loops than all but the strangest stages have.
const mostRepeatedLoops = 16

// moving is that of an expression, of whose operands it is known.
func (w *walker) moving(id halideir.NodeID, loops int) place {
	n := &w.p.Nodes[id]
	out := place{key: keymap.Mix(keymap.Mix(1, uint64(n.Op)), uint64(n.Type.Code)<<16|uint64(n.Type.Bits)), ok: loops <= mostRepeatedLoops && n.Type.Lanes <= 1}
	for _, c := range []byte(n.Name) {
		out.key = keymap.Mix(out.key, uint64(c))
	}
	switch {
	case n.Op == halideir.OpInt, n.Op == halideir.OpUint, n.Op == halideir.OpFloat, n.Op == halideir.OpVar && n.Kind.Given():
		out.key = keymap.Mix(2, uint64(id))
		return out
	case n.Op == halideir.OpVar:
		l := w.loopIndex(n)
		if l < 0 || l >= loops {
			return place{}
		}
		out.key = keymap.Mix(3, uint64(l))
		out.along(l, 0, loops)
		return out
	case isLoad(n):
		return w.movingLoad(id, n, out, loops)
	}
	for _, a := range n.Args {
		of := &w.placed[w.a.canonical[a]]
		if !of.ok {
			return place{}
		}
		out.key = keymap.Mix(out.key, of.key)
		for l, v := range of.at {
			if of.moves>>l&1 != 0 {
				out.along(l, v, loops)
			}
		}
	}
	return out
}

// along has an expression move with a loop, of which a part is so far along it.
func (m *place) along(loop int, by int64, loops int) {
	if m.at == nil {
		m.at = make([]int64, loops)
	}
	if m.moves>>loop&1 == 0 {
		m.moves |= 1 << loop
		m.at[loop] = by
	}
	m.key = keymap.Mix(keymap.Mix(m.key, uint64(loop)), uint64(by-m.at[loop]))
}

func (w *walker) movingLoad(id halideir.NodeID, n *halideir.Node, out place, loops int) place {
	l, ok := w.load(id, n)
	if !ok {
		return place{}
	}
	out.key = keymap.Mix(keymap.Mix(keymap.Mix(out.key, uint64(l.Func)), uint64(l.Input)), uint64(l.Out))
	for d := range l.Index {
		x := &l.Index[d]
		if x.Clamped {
			out.key = keymap.Mix(out.key, 3)
		}
		switch {
		case x.Kind == Constant:
			out.key = keymap.Mix(out.key, uint64(x.Offset))
		case x.Kind == Affine && x.Den == 1 && x.Loop < loops:
			by := bounds.FloorDiv(x.Offset, x.Num)
			out.key = keymap.Mix(keymap.Mix(out.key, uint64(x.Num)), uint64(x.Offset-by*x.Num))
			out.along(x.Loop, by, loops)
		case x.IsSum():
			// What a step along one loop and one back along another find the same is not told.
			terms, _ := x.Terms()
			by := bounds.FloorDiv(x.Offset, terms[0].Num)
			out.key = keymap.Mix(out.key, uint64(x.Offset-by*terms[0].Num))
			for _, t := range terms {
				if t.Loop >= loops {
					return place{}
				}
				out.key = keymap.Mix(out.key, uint64(t.Num))
				out.along(t.Loop, by, loops)
				by = 0
			}
		default:
			return place{}
		}
	}
	return out
}

// repeats are those of a stage's values, which are given operands first. Of those that move with all loops and are at one place no other point has any: they are left out. A product that a sum is one instruction with belongs to the sum.
func (w *walker) repeats(values []halideir.NodeID, loops int) []Repeat {
	if w.placed == nil {
		w.placed = make([]place, len(w.p.Nodes))
	}
	joined := map[halideir.NodeID]bool{} // products that are one instruction with their sum
	for _, id := range values {
		w.placed[id] = w.moving(id, loops)
		n := &w.p.Nodes[id]
		if n.Op != halideir.OpAdd && n.Op != halideir.OpSub {
			continue
		}
		for i := range n.Args {
			if w.arg(n, i).Op == halideir.OpMul {
				joined[w.a.canonical[n.Args[i]]] = true
			}
		}
	}
	var out []Repeat
	index := map[uint64]int{}
	for _, id := range values {
		m, n := &w.placed[id], &w.p.Nodes[id]
		if !m.ok || m.moves == 0 || !n.Type.IsFloat() || isLoad(n) || joined[id] || n.Op == halideir.OpCast {
			continue
		}
		i, ok := index[m.key]
		if !ok {
			var ops Ops
			ops.count(w.p, n)
			if n.Op == halideir.OpAdd || n.Op == halideir.OpSub {
				for i := range n.Args {
					if joined[w.a.canonical[n.Args[i]]] {
						ops.count(w.p, w.arg(n, i))
					}
				}
			}
			if ops.Total() == 0 {
				continue
			}
			i = len(out)
			index[m.key] = i
			r := Repeat{Ops: ops}
			for l := range loops {
				if m.moves>>l&1 != 0 {
					r.Loops = append(r.Loops, l)
				}
			}
			out = append(out, r)
		}
		r, at := &out[i], []int64(nil)
		for _, l := range r.Loops {
			at = append(at, m.at[l])
		}
		r.At = append(r.At, at)
	}
	return slices.DeleteFunc(out, func(r Repeat) bool { return len(r.At) == 1 && len(r.Loops) == loops })
}

// Package instructions estimates how many instructions the warps of a kernel issue: what unrolled points of
// a thread load and compute together counts once, as the compiler's elimination of common subexpressions leaves
// it. It knows Layouts and nothing of time, occupancy or memory.
package instructions

import (
	"encoding/binary"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// Instructions of PTX for what an expression does not show. They are fitted to gpusim's counts of
// harris, unsharp and blur (RATIONALE.md, "Instructions").
const (
	kernelStart = 20  // a warp: indices of block and thread, parameters, pointers
	nestStart   = 8   // a warp and stage: the test of the thread, the first address
	barrier     = 1   // a warp and stage in shared memory
	bufferStart = 4   // a thread and buffer in global memory: the first address
	rowAddress  = 2   // a row of a buffer in global memory, beyond the first: the address
	clampedRow  = 3   // more for one whose place is clamped
	clampedAt   = 3   // an element whose place in its row is clamped, once for all rows
	anyAddress  = 4   // an element at a place that no loop gives
	guardTest   = 1.5 // a test of an unrolled point
	loopStep    = 3   // an iteration of a serial loop
)

// Count is the instructions of one thread, by what they are for.
type Count struct {
	Arithmetic, Address, Memory, Control float64
}

// Total is all of them.
func (c Count) Total() float64 { return c.Arithmetic + c.Address + c.Memory + c.Control }

// Estimator estimates kernels of one problem. What a nest's points cost together does not depend on
// tiles and is kept. It is not for several goroutines.
type Estimator struct {
	pr   *plan.Problem
	memo map[string]Count
	buf  []byte
}

// New makes an Estimator.
func New(pr *plan.Problem) *Estimator { return &Estimator{pr: pr, memo: map[string]Count{}} }

// PerOutput is the warp instructions of a kernel for 32 points of its output.
func (e *Estimator) PerOutput(k *plan.Kernel) float64 {
	points := 1.0
	for _, n := range e.pr.Dims[e.pr.StageIndex(k.Out.Func, k.Out.Stage)].Extent {
		points *= float64(n)
	}
	return e.Block(k) * float64(k.Tiles()) * 32 / max(points, 1)
}

// Block is the warp instructions of one block.
func (e *Estimator) Block(k *plan.Kernel) float64 {
	warps := float64((k.ThreadsPerBlock() + 31) / 32)
	total := warps * kernelStart
	for i := range k.Members {
		m := &k.Members[i]
		for j := range m.Nests {
			if m.Where == plan.AtThread {
				total += activeWarps(k, &k.Out) * e.thread(k, &m.Nests[j], true)
				continue
			}
			total += warps*(nestStart+barrier) + activeWarps(k, &m.Nests[j])*e.thread(k, &m.Nests[j], false)
		}
	}
	return total + warps*nestStart + activeWarps(k, &k.Out)*e.thread(k, &k.Out, false)
}

// activeWarps is the number of warps in which a nest keeps a thread busy.
func activeWarps(k *plan.Kernel, n *plan.Nest) float64 {
	ext := [3]int64{1, 1, 1}
	for i, u := range n.Threads {
		ext[min(i, 2)] = u.Extent
	}
	warps, last := 0.0, int64(-1)
	for z := range ext[2] {
		for y := range ext[1] {
			from := (z*k.Block[1] + y) * k.Block[0]
			lo, hi := from/32, (from+ext[0]-1)/32
			if lo <= last {
				lo = last + 1
			}
			if hi >= lo {
				warps += float64(hi - lo + 1)
				last = hi
			}
		}
	}
	return warps
}

// thread is the instructions of one thread for a nest: its points, as often as its serial loops run.
func (e *Estimator) thread(k *plan.Kernel, n *plan.Nest, register bool) float64 {
	c := e.points(k, n, register)
	times := 1.0
	for _, u := range n.Serial {
		times *= float64(max(u.Extent, 1))
	}
	t := c.Total() * times
	if times > 1 {
		t += loopStep * times
	}
	return t
}

// points is what the unrolled points of a thread cost together.
func (e *Estimator) points(k *plan.Kernel, n *plan.Nest, register bool) Count {
	b := binary.AppendVarint(e.buf[:0], int64(e.pr.StageIndex(n.Func, n.Stage)))
	for _, u := range n.Unrolled {
		b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, int64(u.Loop)), u.Extent), int64(u.Tail))
	}
	if register {
		b = append(b, 1)
	}
	for i := range k.Members {
		b = append(b, byte(k.Members[i].Where))
		b = binary.AppendVarint(b, int64(k.Members[i].Func))
	}
	e.buf = b
	if c, ok := e.memo[string(b)]; ok {
		return c
	}
	key := string(b)
	c := e.count(k, n, register)
	e.memo[key] = c
	return c
}

func (e *Estimator) count(k *plan.Kernel, n *plan.Nest, register bool) Count {
	ex := &e.pr.Expand[e.pr.StageIndex(n.Func, n.Stage)]
	shifts := Shifts(n)
	points := float64(len(shifts))
	c := Count{Arithmetic: points * float64(ex.Own)}
	for _, u := range n.Unrolled {
		if u.Tile > 0 && u.Tail == plan.Guarded {
			c.Control += guardTest * float64(u.Extent)
		}
	}
	called := map[string]bool{}
	for i := range ex.Calls {
		call := &ex.Calls[i]
		for _, s := range shifts {
			if key := placeKey(e.buf[:0], int64(call.Func), 0, 0, call.Index, s); !called[key] {
				called[key] = true
				c.Arithmetic += float64(call.Ops)
			}
		}
	}
	loaded, rows, columns, buffers := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[[2]int]bool{}
	for i := range ex.Loads {
		t := &ex.Loads[i]
		where, in := place(k, t.Func)
		if in && where == plan.AtThread {
			continue // in a register
		}
		for _, s := range shifts {
			key := placeKey(e.buf[:0], int64(t.Func), int64(t.Input), int64(t.Out), t.Index, s)
			if loaded[key] {
				continue
			}
			loaded[key] = true
			c.Memory++
			for _, x := range t.Index {
				if x.Kind == access.Unknown {
					c.Address += anyAddress
				}
			}
			if in {
				continue // a constant behind the thread's first address
			}
			if b := [2]int{t.Func, t.Input}; !buffers[b] {
				buffers[b] = true
				c.Address += bufferStart
			}
			if len(t.Index) == 0 {
				continue
			}
			row := placeKey(e.buf[:0], int64(t.Func), int64(t.Input), 0, t.Index[1:], s)
			if !rows[row] {
				rows[row] = true
				c.Address += rowAddress
				for _, x := range t.Index[1:] {
					if x.Clamped {
						c.Address += clampedRow
					}
				}
			}
			if x := t.Index[0]; x.Clamped {
				c.Address++ // it is no constant behind the row's address
				if key := placeKey(e.buf[:0], int64(t.Func), int64(t.Input), 0, t.Index[:1], s); !columns[key] {
					columns[key] = true
					c.Address += clampedAt
				}
			}
		}
	}
	if !register {
		c.Memory += points * float64(len(e.pr.P.Funcs[n.Func].Types))
		if _, in := place(k, n.Func); !in {
			store := map[string]bool{}
			for _, s := range shifts {
				var idx []access.Index
				if st := e.pr.Access.Stage(n.Func, n.Stage); st != nil && len(st.Store) > 0 {
					idx = st.Store[1:]
				}
				store[placeKey(e.buf[:0], 0, 0, 0, idx, s)] = true
			}
			c.Address += bufferStart + rowAddress*float64(len(store))
		}
	}
	return c
}

func place(k *plan.Kernel, fn int) (plan.Where, bool) {
	for i := range k.Members {
		if fn >= 0 && k.Members[i].Func == fn {
			return k.Members[i].Where, true
		}
	}
	return 0, false
}

// Shift is how far a point of a thread is from its first, by loop.
type Shift map[int]int64

// Shifts are the points that a thread computes side by side.
func Shifts(n *plan.Nest) []Shift {
	out := []Shift{{}}
	for _, u := range n.Unrolled {
		var next []Shift
		for _, s := range out {
			for d := range u.Extent {
				t := Shift{u.Loop: d}
				for l, v := range s {
					t[l] = v
				}
				next = append(next, t)
			}
		}
		out = next
	}
	return out
}

// placeKey names an element relative to the thread's first point.
func placeKey(b []byte, fn, input, out int64, idx []access.Index, s Shift) string {
	b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, fn), input), out)
	for _, x := range idx {
		off := x.Offset
		if x.Kind == access.Affine {
			off = x.Offset + x.Num*s[x.Loop]
			if x.Den > 1 {
				off = bounds.FloorDiv(off, x.Den)
			}
		} else if x.Kind == access.Unknown {
			for l, d := range s {
				if x.DependsOn(l) && d != 0 {
					b = binary.AppendVarint(binary.AppendVarint(b, int64(l)), d)
				}
			}
		}
		b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, int64(x.Kind)), int64(x.Loop)), off)
		b = binary.AppendVarint(b, x.Num)
	}
	return string(b)
}

// Package instructions estimates how many instructions the warps of a kernel issue: what unrolled points of
// a thread load and compute together counts once, as the compiler's elimination of common subexpressions leaves
// it. It knows Layouts and nothing of time, occupancy or memory.
package instructions

import (
	"encoding/binary"
	"slices"

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
	division    = 6   // of integers, most by constants
	special     = 12  // exp, sin and the like
)

// Count is the instructions of one thread, by what they are for.
type Count struct {
	Arithmetic, Address, Memory, Control float64
	// Requests are what the load/store unit is busy with for the Memory instructions: more than one each
	// where the lanes of a warp are so far apart that banks or lines conflict.
	Requests float64
}

// Total is all instructions.
func (c Count) Total() float64 { return c.Arithmetic + c.Address + c.Memory + c.Control }

// Estimator estimates kernels of one problem. What a nest's points cost together does not depend on
// tiles and is kept. It is not for several goroutines.
type Estimator struct {
	pr   *plan.Problem
	memo map[string]Count
	buf  []byte
}

type kept struct{}

// For is the Estimator of a problem.
func For(pr *plan.Problem) *Estimator {
	if e, ok := pr.Kept[kept{}].(*Estimator); ok {
		return e
	}
	e := &Estimator{pr: pr, memo: map[string]Count{}}
	pr.Kept[kept{}] = e
	return e
}

// PerOutput is the warp instructions of a kernel for 32 points of its output, and the
// requests to the load/store unit.
func (e *Estimator) PerOutput(k *plan.Kernel) (issued, requests float64) {
	points := 1.0
	for _, n := range e.pr.Dims[e.pr.StageIndex(k.Out.Func, k.Out.Stage)].Extent {
		points *= float64(n)
	}
	issued, requests = e.Block(k)
	each := float64(k.Tiles()) * 32 / max(points, 1)
	return issued * each, requests * each
}

// Block is the warp instructions of one block, and its requests to the load/store unit.
func (e *Estimator) Block(k *plan.Kernel) (issued, requests float64) {
	warps := float64((k.ThreadsPerBlock() + 31) / 32)
	issued = warps * kernelStart
	add := func(active float64, n *plan.Nest, register bool) {
		c, times := e.points(k, n, register), 1.0
		for _, u := range n.Serial {
			times *= float64(max(u.Extent, 1))
		}
		t := c.Total() * times
		if times > 1 {
			t += loopStep * times
		}
		issued += active * t
		requests += active * c.Requests * times
	}
	for i := range k.Members {
		m := &k.Members[i]
		for j := range m.Nests {
			if m.Where == plan.AtThread {
				add(activeWarps(k, &k.Out), &m.Nests[j], true)
				continue
			}
			issued += warps * (nestStart + barrier)
			add(activeWarps(k, &m.Nests[j]), &m.Nests[j], false)
		}
	}
	issued += warps * nestStart
	add(activeWarps(k, &k.Out), &k.Out, false)
	return issued, requests
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
	shifts, tests := together(n), 1.0
	if len(shifts) < len(Shifts(n)) {
		// Points that are tested one by one are in branches of their own, in which the compiler finds about half
		// of what it would find in one piece of code.
		alone := *n
		alone.Unrolled = slices.DeleteFunc(slices.Clone(n.Unrolled), func(u plan.Use) bool { return guarded(u) })
		tests = float64(len(Shifts(n)) / len(shifts))
		one, all := e.straight(k, &alone, shifts, register), e.straight(k, n, Shifts(n), register)
		half := func(a, b float64) float64 { return (a*tests + b) / 2 }
		c := Count{half(one.Arithmetic, all.Arithmetic), half(one.Address, all.Address), half(one.Memory, all.Memory), all.Control, half(one.Requests, all.Requests)}
		for _, u := range n.Unrolled {
			if guarded(u) {
				c.Control += guardTest * float64(len(Shifts(n)))
			}
		}
		return c
	}
	return e.straight(k, n, shifts, register)
}

// guarded reports whether the points are tested one by one.
func guarded(u plan.Use) bool { return u.Tile > 0 && u.Tail == plan.Guarded }

// together are the points of a thread with no test between them.
func together(n *plan.Nest) []Shift {
	m := *n
	m.Unrolled = slices.DeleteFunc(slices.Clone(n.Unrolled), guarded)
	return Shifts(&m)
}

// straight is what points cost in one piece of code.
func (e *Estimator) straight(k *plan.Kernel, n *plan.Nest, shifts []Shift, register bool) Count {
	ex := &e.pr.Expand[e.pr.StageIndex(n.Func, n.Stage)]
	points := float64(len(shifts))
	c := Count{}
	own, casts := arithmetic(&e.pr.Access.Stage(n.Func, n.Stage).Value)
	c.Arithmetic = points * own
	called := map[string]bool{}
	for i := range ex.Calls {
		call := &ex.Calls[i]
		for _, s := range shifts {
			if key := placeKey(e.buf[:0], int64(call.Func), 0, 0, call.Index, s); !called[key] {
				called[key] = true
				ops, more := arithmetic(&e.pr.Access.Stage(call.Func, 0).Value)
				c.Arithmetic += ops + more
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
			c.Requests += e.ways(n, t.Index, t.Bytes)
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
	// Most conversions are of what was loaded, once for all points that use it.
	if taps := points * float64(len(ex.Loads)); taps > 0 {
		casts *= min(1, max(float64(len(loaded))/taps, 1/points))
	}
	c.Arithmetic += points * casts
	if !register {
		if st := e.pr.Access.Stage(n.Func, n.Stage); st != nil {
			c.Requests += points * e.ways(n, st.Store, e.pr.Bytes(n.Func))
		}
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

// arithmetic is the instructions of an expression, conversions apart. Products of floats that are added to
// something are one instruction with the sum.
func arithmetic(o *access.Ops) (ops, casts float64) {
	var class [access.NumClasses]int
	fused := 0
	for c := range o.Count {
		for _, n := range o.Count[c] {
			class[c] += n
		}
	}
	for _, kind := range []access.Kind{access.Float16, access.Float32, access.Float64} {
		fused += min(o.Count[access.Mul][kind], o.Count[access.AddSub][kind])
	}
	ops = float64(o.Total() - class[access.Cast] - fused)
	ops += float64((division-1)*(class[access.Div]+class[access.Mod]) + (special-1)*class[access.Special])
	return ops, float64(class[access.Cast])
}

// ways is the number of requests that a warp's access makes where its lanes, with several points each, are
// that many elements apart: shared memory has 32 banks of 4 bytes, and a line of the cache as many words.
func (e *Estimator) ways(n *plan.Nest, idx []access.Index, bytes int64) float64 {
	if len(idx) == 0 || n.Along.Loop < 0 {
		return 1
	}
	x := idx[0]
	if x.Kind != access.Affine || x.Loop != n.Along.Loop {
		return 1
	}
	stride := max(x.Num, -x.Num)
	if u, ok := n.UnrolledUse(x.Loop); ok && u.Tile > 0 {
		stride *= u.Extent
	}
	return max(1, float64(stride*bytes)/float64(4*x.Den))
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

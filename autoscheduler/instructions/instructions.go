// Package instructions estimates how many instructions the warps of a kernel issue: what unrolled points of
// a thread load and compute together counts once, as the compiler's elimination of common subexpressions leaves
// it. It knows Layouts and nothing of time, occupancy or memory.
package instructions

import (
	"encoding/binary"
	"slices"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/keymap"
	"gowarp/internal/plan"
)

// Instructions of PTX for what an expression does not show. They are fitted to gpusim's counts of
// harris, unsharp and blur (RATIONALE.md, "Instructions").
const (
	kernelStart   = 20  // a warp: indices of block and thread, parameters, pointers
	nestStart     = 8   // a warp and stage: the test of the thread, the first address
	looseStart    = 25  // more for each dimension of it whose ends are worked out at run time
	barrier       = 1   // a warp and stage in shared memory
	bufferStart   = 4   // a thread and buffer in global memory: the first address
	rowAddress    = 2   // a row of a buffer in global memory, beyond the first: the address
	clampedRow    = 3   // more for one whose place is clamped
	clampedAt     = 3   // an element whose place in its row is clamped, once for all rows
	anyAddress    = 4   // an element at a place that no loop gives, the first at it
	guardTest     = 1.5 // a test of an unrolled point
	turnedRow     = 1   // a row of a buffer that moves with a serial loop: a step
	loopStep      = 3   // an iteration of a serial loop
	looseStep     = 4   // an iteration of one whose ends are worked out at run time
	division      = 6   // of integers, by a constant
	floatDivision = 9   // of floats
	anyDivision   = 22  // by what only a run knows
	difference    = 4   // the absolute one of two integers: both of them, a comparison and a choice
	special       = 20  // a function that is not in functions
)

// functions are the instructions of each, counted in what Halide 21 makes for sm_75 of 32-bit floats: polynomials of its
// own or of libdevice, on the path of usual arguments.
var functions = map[string]float64{
	"sqrt": 1, "floor": 1, "ceil": 1, "round": 1, "trunc": 1, "fast_inverse": 1, "fast_inverse_sqrt": 1, "is_nan": 1, "lerp": 3,
	"exp": 20, "log": 25, "pow": 64, "sin": 54, "cos": 55, "tan": 41, "asin": 27, "acos": 27, "atan": 26, "atan2": 50,
	"sinh": 37, "cosh": 37, "tanh": 20,
}

// Count is the instructions of one thread, by what they are for.
type Count struct {
	Arithmetic, Address, Memory, Control float64
	// Requests are what the load/store unit is busy with for the Memory instructions: more than one each
	// where the lanes of a warp are so far apart that banks or lines conflict.
	Requests float64
	Start    float64 // Address that serial loops around the points share
	Float    float64 // of the Arithmetic, what floating-point units do
	Special  float64 // and what special-function units do
	Sectors  float64 // of 32 bytes of global memory that a warp's lanes ask for together
	Global   float64 // of the Memory instructions, those of global memory
	Pointers float64 // what the places in shared memory are constants behind
	Once     *Count  // what every turn of the loops around the points finds the same: the compiler has it before the first; nil if there is nothing
}

// Work is what one block does, in warp instructions.
type Work struct {
	Issued, Float, Special float64 // all instructions; those of two kinds of unit
	Memory                 float64 // loads, stores, shuffles
	Requests               float64 // of the load/store unit: more than one of those of Memory whose lanes conflict
	Sectors                float64
	Barriers               float64 // a warp
	Stages                 []Stage // what a warp does, one stage after the other
}

// Stage is what a warp with work does in one stage.
type Stage struct {
	Issued         float64 // instructions
	Turns          float64 // of serial loops: what an iteration loads the next one waits for
	Global, Shared bool    // whether it loads from there
	Again          bool    // what it loads of global memory is of buffers that stages before have loaded from: a tile's part of them is in L1
	Points         int64   // side by side, and so independent of each other
}

// Total is all instructions of a turn.
func (c Count) Total() float64 { return c.Arithmetic + c.Address + c.Memory + c.Control }

// nothing is what no turns find the same.
var nothing Count

// between is what lies in the middle of two, the first so many times; what is of the control is the second's.
func between(one, all Count, times float64) Count {
	half := func(a, b float64) float64 { return (a*times + b) / 2 }
	c := Count{
		Arithmetic: half(one.Arithmetic, all.Arithmetic), Float: half(one.Float, all.Float), Special: half(one.Special, all.Special),
		Address: half(one.Address, all.Address), Start: half(one.Start, all.Start), Control: all.Control,
		Memory: half(one.Memory, all.Memory), Requests: half(one.Requests, all.Requests),
		Sectors: half(one.Sectors, all.Sectors), Global: half(one.Global, all.Global), Pointers: all.Pointers,
	}
	if one.Once != nil && all.Once != nil {
		once := between(*one.Once, *all.Once, times)
		c.Once = &once
	}
	return c
}

// Estimator estimates kernels of one problem. What a nest's points cost together does not depend on
// tiles and is kept. It is for several goroutines, each with kernels of other groups (see shape).
type Estimator struct {
	pr        *plan.Problem
	inputs    []bounds.Box // where they begin and end
	memo      *memo[Count]
	rows      *memo[int] // RowLoads
	invariant *memo[int] // Invariants
	seen      *seen      // of a copy that counts; see count
}

// kept is of a problem or of one with Funcs stored after all, which shares what is kept with that.
type kept struct{ pr *plan.Problem }

// For is the Estimator of a problem.
func For(pr *plan.Problem) *Estimator {
	return plan.Once(pr, kept{pr}, func() *Estimator {
		return &Estimator{pr: pr, inputs: inputBoxes(pr), memo: newMemo[Count](), rows: newMemo[int](), invariant: newMemo[int]()}
	})
}

// OfPoint is at most what a point of a stage costs, with nothing that its neighbours have already.
func OfPoint(pr *plan.Problem, fn, stage int) float64 {
	ex := &pr.Expand[pr.StageIndex(fn, stage)]
	st := pr.Access.Stage(fn, stage)
	if st == nil {
		return 0
	}
	n := Definition(&st.Value).Issued
	for i := range ex.Calls {
		n += Definition(&pr.Access.Stage(ex.Calls[i].Func, 0).Value).Issued
	}
	for i := range ex.Loads {
		n++
		for d := range ex.Loads[i].Index {
			x := &ex.Loads[i].Index[d]
			if d > 0 {
				n += rowAddress
			}
			if x.Clamped {
				n += clampedRow
			}
			if x.Kind == access.Unknown {
				n += anyAddress
			}
		}
	}
	return n
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
	w := e.work(k, false)
	w.simulated(k)
	w.spill(k)
	return w.Issued, w.Requests
}

// spill adds what a thread stores and loads of its own because it has too few registers, where that is known: a request of a warp each, once. Those in loops
// happen at every turn, and no compiler says which they are. They are taken to stay in L1.
func (w *Work) spill(k *plan.Kernel) {
	n := warps(k) * float64(k.SpillBytes) / RegisterBytes
	w.Issued += n
	w.Memory += n
	w.Requests += n
}

// simulated puts what a simulator counted in the place of the estimate. Which stage issues how much it does not say: they share what there is as they do by the estimate.
func (w *Work) simulated(k *plan.Kernel) {
	c := &k.Simulated
	if c.Issued <= 0 {
		return
	}
	blocks := float64(max(1, k.Tiles()))
	if issued := c.Issued / blocks; w.Issued > 0 {
		for i := range w.Stages {
			w.Stages[i].Issued *= issued / w.Issued
		}
	}
	w.Issued, w.Float, w.Special, w.Memory = c.Issued/blocks, c.Float/blocks, c.Special/blocks, c.Memory/blocks
	w.Requests, w.Sectors, w.Barriers = c.Requests/blocks, c.Sectors/blocks, c.Barriers/blocks/warps(k)
}

// warps is how many a block has.
func warps(k *plan.Kernel) float64 {
	return float64((k.ThreadsPerBlock() + plan.WarpLanes - 1) / plan.WarpLanes)
}

// RegisterBytes is a register's size.
const RegisterBytes = 4

// Work is what one block does. Of a kernel whose strategy has counted its instructions, since lanes exchange values, that is all that is known.
func (e *Estimator) Work(k *plan.Kernel) Work {
	w := e.work(k, true)
	w.simulated(k)
	w.spill(k)
	return w
}

// WorkInTurn is what one block does of several kernels in one launch, each behind those before.
func (e *Estimator) WorkInTurn(kernels []*plan.Kernel) (sum Work) {
	var loaded [][2]int
	for _, k := range kernels {
		var w Work
		w, loaded = e.workBehind(k, true, loaded)
		w.simulated(k)
		w.spill(k)
		sum.add(&w)
	}
	return sum
}

func (w *Work) add(o *Work) {
	w.Issued, w.Float, w.Special, w.Memory = w.Issued+o.Issued, w.Float+o.Float, w.Special+o.Special, w.Memory+o.Memory
	w.Requests, w.Sectors, w.Barriers = w.Requests+o.Requests, w.Sectors+o.Sectors, w.Barriers+o.Barriers
	w.Stages = append(w.Stages, o.Stages...)
}

func (e *Estimator) work(k *plan.Kernel, whole bool) Work {
	w, _ := e.workBehind(k, whole, nil)
	return w
}

// workBehind is the work of a kernel where the block has loaded from some buffers already; those that it has loaded from then are the second result.
func (e *Estimator) workBehind(k *plan.Kernel, whole bool, loaded [][2]int) (w Work, _ [][2]int) {
	if c := &k.Counted; c.Issued > 0 {
		w.Issued, w.Float, w.Special, w.Memory, w.Requests, w.Sectors = c.Issued, c.Float, c.Special, c.Requests, c.Requests, c.Sectors
		w.Stages = []Stage{{Issued: c.Issued / float64(max(1, k.ThreadsPerBlock()/plan.WarpLanes)), Turns: 1, Global: true, Points: k.Out.PointsPerThread()}}
		return w, loaded
	}
	warps := float64((k.ThreadsPerBlock() + 31) / 32)
	w.Issued = warps * kernelStart
	add := func(active float64, n *plan.Nest, given []bool, register bool) {
		straight, times := n.Straight()
		c := e.points(k, &straight, register)
		once := c.Once
		if once == nil {
			once = &nothing
		}
		t := c.Total()*times + once.Total() + c.Start + e.looseLoops(n, given, c.Pointers)
		if times > 1 {
			t += loopStep * times
		}
		w.Issued += active * t
		w.Requests += active * (c.Requests*times + once.Requests)
		w.Memory += active * (c.Memory*times + once.Memory)
		if !whole {
			return
		}
		w.Float += active * (c.Float*times + once.Float)
		w.Special += active * (c.Special*times + once.Special)
		w.Sectors += active * (c.Sectors*times + once.Sectors)
		before := len(loaded)
		loaded = e.loads(loaded, k, n)
		w.Stages = append(w.Stages, Stage{
			Issued: t, Turns: times, Points: straight.PointsPerThread(), Again: len(loaded) == before,
			Global: c.Global+once.Global > 0, Shared: c.Memory+once.Memory > c.Global+once.Global && !register,
		})
	}
	for i := range k.Members {
		m := &k.Members[i]
		for j := range m.Nests {
			if m.Where == plan.AtThread {
				add(activeWarps(k, &k.Out), &m.Nests[j], nil, true)
				continue
			}
			w.Issued += warps * (nestStart + barrier + looseStart*e.loose(&m.Nests[j], m.Given))
			w.Barriers++
			add(activeWarps(k, &m.Nests[j]), &m.Nests[j], m.Given, false)
		}
	}
	w.Issued += warps * nestStart
	add(activeWarps(k, &k.Out), &k.Out, nil, false)
	return w, loaded
}

// loads adds the buffers in global memory that a stage loads from to those that there are.
func (e *Estimator) loads(buffers [][2]int, k *plan.Kernel, n *plan.Nest) [][2]int {
	for _, b := range e.pr.Expand[e.pr.StageIndex(n.Func, n.Stage)].Sources {
		if _, in := k.PlaceOf(b[0]); !in && !slices.Contains(buffers, b) {
			buffers = append(buffers, b)
		}
	}
	return buffers
}

// looseLoops is what the loops cost that run over what is known of a region at run time only: even of one iteration they are there,
// and step what addresses are behind.
func (e *Estimator) looseLoops(n *plan.Nest, given []bool, pointers float64) float64 {
	out, iterations := 0.0, 1.0
	for _, u := range slices.Backward(n.Serial) {
		if !u.Unroll {
			iterations *= float64(max(u.Extent, 1))
		}
		if e.atRunTime(n, u, given) {
			out += iterations * (looseStep + pointers)
		}
	}
	return out
}

// loose is in how many dimensions a stage's region is known at run time only: its ends are minima and maxima of
// the tile's and the readers'.
func (e *Estimator) loose(n *plan.Nest, given []bool) float64 {
	out := 0.0
	for _, u := range n.Serial {
		if e.atRunTime(n, u, given) {
			out++
		}
	}
	return out
}

// atRunTime reports whether a loop goes around threads because the extent of its dimension is not known before: where the schedule gives the
// extent, it turns once and is gone.
func (e *Estimator) atRunTime(n *plan.Nest, u plan.Use, given []bool) bool {
	if u.Tile == 0 {
		return false
	}
	dim := e.pr.P.Funcs[n.Func].Stages[n.Stage].Loops[u.Loop].Arg
	return u.Extent > 1 || dim < 0 || dim >= len(given) || !given[dim]
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
	var buf [shapeBytes]byte
	return remember(e.memo, e.shape(buf[:0], k, n, register), func() Count { return e.count(k, n, register) })
}

// shape appends all that the points of a nest's thread cost by: its stage, its unrolled loops and where what it reads is; and whose kernel it is in, for
// there is more to it, and so what is kept is that of the nest that asked first: in a group nests ask in the same order whatever is counted beside it.
func (e *Estimator) shape(b []byte, k *plan.Kernel, n *plan.Nest, register bool) []byte {
	b = binary.AppendVarint(b, int64(e.pr.StageIndex(n.Func, n.Stage)))
	b = binary.AppendVarint(b, int64(k.Out.Func))
	for _, u := range n.Unrolled {
		b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, int64(u.Loop)), u.Extent), u.Apart), int64(u.Tail))
	}
	if register {
		b = append(b, 1)
	}
	b = binary.AppendVarint(b, int64(turning(n)))
	for i := range k.Members {
		b = append(b, byte(k.Members[i].Where))
		b = binary.AppendVarint(b, int64(k.Members[i].Func))
	}
	return b
}

func (e *Estimator) count(k *plan.Kernel, n *plan.Nest, register bool) Count {
	counting := *e
	counting.seen = allSeen.Get().(*seen)
	defer allSeen.Put(counting.seen)
	e = &counting
	shifts := Shifts(n)
	if slices.ContainsFunc(n.Unrolled, func(u plan.Use) bool { return u.Guarded() && u.Extent > 1 }) {
		// Points that are tested one by one are in branches of their own, in which the compiler finds about half
		// of what it would find in one piece of code.
		alone := *n
		alone.Unrolled = slices.DeleteFunc(slices.Clone(n.Unrolled), plan.Use.Guarded)
		together := Shifts(&alone)
		tests := float64(len(shifts) / len(together))
		one, all := e.straight(k, &alone, together, register), e.straight(k, n, shifts, register)
		c := between(one, all, tests)
		for _, u := range n.Unrolled {
			if u.Guarded() {
				c.Control += guardTest * float64(len(shifts))
			}
		}
		return c
	}
	return e.straight(k, n, shifts, register)
}

// turning has the bit of every serial loop that turns, as access.Index.Loops has them.
func turning(n *plan.Nest) uint64 {
	loops := uint64(0)
	for _, u := range n.Serial {
		if u.Extent > 1 && !u.Unroll {
			loops |= access.LoopBit(u.Loop)
		}
	}
	return loops
}

func moves(x *access.Index, loops uint64) bool { return x.Loops&loops != 0 }

// address is where the cost of an index goes: once a turn if it moves with the turning loops.
func (c *Count) address(x *access.Index, turn uint64) *float64 {
	if moves(x, turn) {
		return &c.Address
	}
	return &c.Start
}

// rest is an index but for its first dimension.
func rest(idx []access.Index) []access.Index { return idx[min(1, len(idx)):] }

// column is which of its points along a row of threads a point of the thread is.
func column(n *plan.Nest, s Shift) int64 { return s.of(n.Along.Loop) }

// nowhere reports whether a place hangs on what is not known.
func nowhere(idx []access.Index) bool {
	return slices.ContainsFunc(idx, func(x access.Index) bool { return x.Kind == access.Unknown && !x.IsSum() })
}

// straight is what points cost in one piece of code.
func (e *Estimator) straight(k *plan.Kernel, n *plan.Nest, shifts []Shift, register bool) Count {
	ex := &e.pr.Expand[e.pr.StageIndex(n.Func, n.Stage)]
	points := float64(len(shifts))
	c, turn := Count{}, turning(n)
	once := &Count{}
	// of is where the cost of something at a place goes.
	of := func(idx []access.Index) *Count {
		if turn == 0 || movesAny(idx, turn) {
			return &c
		}
		return once
	}
	own, casts := arithmetic(&e.pr.Access.Stage(n.Func, n.Stage).Value)
	c.Arithmetic = points * own
	float, special := units(&e.pr.Access.Stage(n.Func, n.Stage).Value)
	c.Float, c.Special = points*float, points*special
	seen := e.seen
	for _, m := range []*keymap.Map{&seen.called, &seen.loaded, &seen.rows, &seen.columns, &seen.pointers, &seen.buffers, &seen.stores, &seen.sectors, &seen.vectors, &seen.widened} {
		m.Clear()
	}
	for i := range ex.Calls {
		call := &ex.Calls[i]
		ops, more := arithmetic(&e.pr.Access.Stage(call.Func, 0).Value)
		float, special := units(&e.pr.Access.Stage(call.Func, 0).Value)
		to := of(call.Index)
		for _, s := range shifts {
			at := placeKey(call.Func, 0, 0, call.Index, s)
			if nowhere(call.Index) {
				at = at.and(int64(call.In)) // what one definition looks up is at one place, what another does at another
			}
			if seen.called.Add(uint64(at)) {
				to.Arithmetic += ops + more
				to.Float, to.Special = to.Float+float, to.Special+special
			}
		}
	}
	for i := range ex.Loads {
		t := &ex.Loads[i]
		where, in := k.PlaceOf(t.Func)
		if in && where == plan.AtThread {
			continue // in a register
		}
		member := in
		in = in && where != plan.AtBlockGlobal
		vectors := !member && e.vectors(n, t.Func, t.Input, t.Bytes, t.Index)
		to := of(t.Index)
		if t.Func == n.Func {
			to = &c // each turn stores there
		}
		for _, s := range shifts {
			at := placeKey(t.Func, t.Input, t.Out, t.Index, s)
			if nowhere(t.Index) {
				at = at.and(int64(i)) // two places that are not known are not one
			}
			if !seen.loaded.Add(uint64(at)) {
				continue
			}
			to.Memory++
			to.Requests += e.ways(n, t.Index, t.Bytes)
			for d := range t.Index {
				if !nowhere(t.Index[d : d+1]) {
					continue
				}
				to.Address++
				if seen.columns.Add(uint64(placeKey(t.Func, t.Input, 0, t.Index[d:d+1], s).and(int64(t.In)))) {
					to.Address += anyAddress - 1
				}
			}
			if in { // a constant behind an address of the thread's
				if seen.pointers.Add(uint64(residues(t.Func, t.Index, s))) {
					c.Pointers++
				}
				continue
			}
			to.Global++
			if nowhere(t.Index) || seen.sectors.Add(uint64(placeKey(t.Func, t.Input, 0, rest(t.Index), s).and(int64(len(t.Index))).and(column(n, s)))) {
				to.Sectors += e.loadSectors(n, t) // what else the lanes load of the row is in L1 then
			}
			if vectors {
				to.widen(e, n, t, s)
			}
			if seen.buffers.Add(uint64(placeKey(t.Func, t.Input, 0, nil, nil))) {
				c.Start += bufferStart
			}
			if len(t.Index) == 0 {
				continue
			}
			if seen.rows.Add(uint64(placeKey(t.Func, t.Input, 0, t.Index[1:], s))) {
				c.Start += rowAddress
				turned := false
				for d := range t.Index {
					turned = turned || moves(&t.Index[d], turn)
				}
				if turned {
					c.Address += turnedRow
				}
				for d := range t.Index[1:] {
					if x := &t.Index[d+1]; x.Clamped {
						*c.address(x, turn) += clampedRow
					}
				}
			}
			if x := &t.Index[0]; x.Clamped {
				*c.address(x, turn)++ // it is no constant behind the row's address
				if seen.columns.Add(uint64(placeKey(t.Func, t.Input, 0, t.Index[:1], s))) {
					*c.address(x, turn) += clampedAt
				}
			}
		}
	}
	// Most conversions are of what was loaded, once for all points that use it.
	if taps := points * float64(len(ex.Loads)); taps > 0 {
		casts *= min(1, max(float64(seen.loaded.Len())/taps, 1/points))
	}
	c.Arithmetic += points * casts
	if !register {
		where, member := k.PlaceOf(n.Func)
		in := member && where != plan.AtBlockGlobal
		stores := points
		if st := e.pr.Access.Stage(n.Func, n.Stage); st != nil {
			if !member && e.vectors(n, n.Func, -1, e.pr.Bytes(n.Func), st.Store) && !slices.ContainsFunc(shifts, func(s Shift) bool { return e.phase(n.Func, -1, st.Store, s)%plan.VectorLanes != 0 }) {
				stores /= plan.VectorLanes
			}
			c.Requests += stores * e.ways(n, st.Store, e.pr.Bytes(n.Func))
		}
		c.Memory += stores * float64(len(e.pr.P.Funcs[n.Func].Types))
		if in {
			c.Pointers++
		} else {
			for _, s := range shifts {
				var idx []access.Index
				if st := e.pr.Access.Stage(n.Func, n.Stage); st != nil && len(st.Store) > 0 {
					idx = st.Store[1:]
				}
				seen.stores.Add(uint64(placeKey(0, 0, 0, idx, s)))
			}
			c.Start += bufferStart + rowAddress*float64(seen.stores.Len())
			c.Global += stores * float64(len(e.pr.P.Funcs[n.Func].Types))
			if st := e.pr.Access.Stage(n.Func, n.Stage); st != nil {
				c.Sectors += stores * sectors(n, st.Store, e.pr.Bytes(n.Func))
			}
			if turn != 0 {
				c.Address += turnedRow * float64(seen.stores.Len())
			}
		}
	}
	if *once != (Count{}) {
		c.Once = once
	}
	return c
}

// arithmetic is the instructions of an expression, conversions apart. Products of floats that are added to
// something are one instruction with the sum.
func arithmetic(o *access.Ops) (ops, casts float64) {
	ops = float64(o.Total() - o.Class(access.Cast) - fused(o))
	divisions := o.Class(access.Div) + o.Class(access.Mod) - o.Shifts - o.Unknown
	for _, kind := range floats {
		n := o.Count[access.Div][kind]
		divisions -= n
		ops += float64((floatDivision - 1) * n)
	}
	ops += float64((division-1)*divisions + (anyDivision-1)*o.Unknown + (difference-1)*o.Apart + (special-1)*o.Class(access.Special))
	for name, n := range o.Special {
		if cost, ok := functions[name]; ok {
			ops += float64(n) * (cost - special)
		}
	}
	return ops, float64(o.Class(access.Cast))
}

// Definition is what the operations of a definition come to, without what it loads.
func Definition(o *access.Ops) plan.Counts {
	ops, casts := arithmetic(o)
	float, special := units(o)
	return plan.Counts{Issued: ops + casts, Float: float, Special: special}
}

var floats = [...]access.Kind{access.Float16, access.Float32, access.Float64}

// fused is how many products of floats are one instruction with a sum.
func fused(o *access.Ops) (n int) {
	for _, kind := range floats {
		n += min(o.Count[access.Mul][kind], o.Count[access.AddSub][kind])
	}
	return n
}

// units are the operations of an expression that floating-point and special-function units do.
func units(o *access.Ops) (float, special float64) {
	for _, kind := range floats {
		of := func(c access.Class) float64 { return float64(o.Count[c][kind]) }
		float += of(access.AddSub) + of(access.Mul) + of(access.MinMax) + of(access.Compare)
		special += of(access.Special) + of(access.Div)
	}
	return float - float64(fused(o)), special
}

// TableBytes is up to what size a table that is looked up stays in L1: half of the least that an SM has of it.
const TableBytes = 16 << 10

// SectorBytes is what memory is moved in.
const SectorBytes = 32

// loadSectors is sectors of a load: small tables that are looked up are in L1.
func (e *Estimator) loadSectors(n *plan.Nest, t *plan.Tap) float64 {
	if nowhere(t.Index) && e.pr.BufferBytes(t.Func, t.Input) <= TableBytes {
		return 1
	}
	return sectors(n, t.Index, t.Bytes)
}

// sectors is how many sectors the lanes of a warp ask for at once, all in whole rows of threads.
func sectors(n *plan.Nest, idx []access.Index, bytes int64) float64 {
	lanes := int64(32)
	along, rows := lanes, int64(1)
	if n.Along.Loop >= 0 && n.Along.Extent < lanes {
		along = max(n.Along.Extent, 1)
		rows = lanes / along
	}
	if n.Along.Loop < 0 || len(idx) == 0 {
		return 1
	}
	moves := false
	for d := range idx {
		x := &idx[d]
		switch {
		case x.Kind == access.Unknown && x.DataDependent:
			return float64(lanes) / 2 // lanes near each other read near each other: half of them the same sector
		case !x.DependsOn(n.Along.Loop):
		case d > 0:
			return float64(along * rows)
		default:
			moves = true
		}
	}
	stride, turn := int64(1), int64(0)
	terms, _ := idx[0].Terms()
	for _, t := range terms {
		switch {
		case t.Loop == n.Along.Loop:
			stride = max(t.Num, -t.Num)
		case moves:
		case turning(n)&access.LoopBit(t.Loop) != 0:
			turn = max(t.Num, -t.Num)
		}
	}
	if !moves {
		if turn > 0 { // iterations walk through a sector
			return float64(rows) * min(1, float64(turn*bytes)/SectorBytes)
		}
		return float64(rows)
	}
	// Points side by side share the sectors that L1 keeps between their loads.
	return float64(rows) * min(float64(along), max(1, float64(along*stride*bytes)/SectorBytes))
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
	if u, ok := n.UnrolledUse(x.Loop); ok && u.Tile > 0 && u.Apart == 0 {
		stride *= u.Extent
	}
	return max(1, float64(stride*bytes)/float64(4*x.Den))
}

// Shift is how far a point of a thread is from its first, by loop.
type Shift []int64

// Shifts are the points that a thread computes side by side.
func Shifts(n *plan.Nest) []Shift {
	loops := 0
	for _, u := range n.Unrolled {
		loops = max(loops, u.Loop+1)
	}
	points := n.PointsPerThread()
	out, all := make([]Shift, points), make([]int64, points*int64(loops))
	for i := range out {
		s, rest := all[i*loops:(i+1)*loops], int64(i)
		for _, u := range slices.Backward(n.Unrolled) {
			s[u.Loop] = rest % u.Extent * max(u.Apart, 1)
			rest /= u.Extent
		}
		out[i] = s
	}
	return out
}

func (s Shift) of(loop int) int64 {
	if loop < 0 || loop >= len(s) {
		return 0
	}
	return s[loop]
}

// next is the point one further along a loop.
func (s Shift) next(loop int) Shift {
	t := make(Shift, max(len(s), loop+1))
	copy(t, s)
	t[loop]++
	return t
}

// A key names an element relative to the thread's first point; different ones have the same key by
// rare chance only, which an estimate survives.
type key uint64

func (k key) and(v int64) key {
	k = (k ^ key(v)) * 0x9e3779b97f4a7c15
	return k ^ k>>29
}

func placeKey(fn, input, out int, idx []access.Index, s Shift) key {
	k := key(0).and(int64(fn) + 2).and(int64(input) + 2).and(int64(out) + 2)
	for i := range idx {
		x := &idx[i]
		off := x.Offset
		switch x.Kind {
		case access.Affine:
			off += x.Num * s.of(x.Loop)
			if x.Den > 1 {
				off = bounds.FloorDiv(off, x.Den)
			}
		case access.Unknown:
			if terms, ok := x.Terms(); ok {
				for _, t := range terms {
					off += t.Num * s.of(t.Loop)
					k = k.and(int64(t.Loop)).and(t.Num)
				}
				break
			}
			for l, d := range s {
				if d != 0 && x.DependsOn(l) {
					k = k.and(int64(l)).and(d)
				}
			}
		}
		k = k.and(int64(x.Kind)).and(int64(x.Loop)).and(off).and(x.Num)
	}
	return k
}

// residues tells places in shared memory apart that no constant is between: where a loop is divided, the remainder is known at run
// time only.
func residues(fn int, idx []access.Index, s Shift) key {
	k := key(0).and(int64(fn))
	for i := range idx {
		if x := &idx[i]; x.Kind == access.Affine && x.Den > 1 {
			at := x.Offset + x.Num*s.of(x.Loop)
			k = k.and(int64(i)).and(at - x.Den*bounds.FloorDiv(at, x.Den))
		}
	}
	return k
}

// RowLoads is the number of elements in memory that one row of a thread's points loads, where further
// rows load some of them again: the compiler keeps those in registers. A row is all points but those along the
// outermost unrolled loop.
func (e *Estimator) RowLoads(k *plan.Kernel, n *plan.Nest) int {
	var buf [shapeBytes]byte
	return remember(e.rows, e.shape(buf[:0], k, n, false), func() int { return e.rowLoads(k, n) })
}

func (e *Estimator) rowLoads(k *plan.Kernel, n *plan.Nest) int {
	several := len(n.Unrolled) - 1
	for several >= 0 && n.Unrolled[several].Extent == 1 {
		several--
	}
	if several < 0 || n.Unrolled[several].Guarded() {
		return 0
	}
	last := n.Unrolled[several]
	row := *n
	row.Unrolled = n.Unrolled[:several]
	shifts := Shifts(&row)
	beyond := make([]Shift, len(shifts))
	for i, s := range shifts {
		beyond[i] = s.next(last.Loop)
	}
	ex := &e.pr.Expand[e.pr.StageIndex(n.Func, n.Stage)]
	loads := map[key]bool{}
	again := map[[2]int64]int{} // buffer -> elements of the first row
	for i := range ex.Loads {
		t := &ex.Loads[i]
		if where, in := k.PlaceOf(t.Func); in && where == plan.AtThread {
			continue
		}
		for _, s := range shifts {
			if at := placeKey(t.Func, t.Input, t.Out, t.Index, s); !loads[at] {
				loads[at] = true
				again[[2]int64{int64(t.Func), int64(t.Input)}]++
			}
		}
	}
	// What the next row loads again.
	shared := map[[2]int64]bool{}
	for i := range ex.Loads {
		t := &ex.Loads[i]
		for _, s := range beyond {
			if loads[placeKey(t.Func, t.Input, t.Out, t.Index, s)] {
				shared[[2]int64{int64(t.Func), int64(t.Input)}] = true
			}
		}
	}
	held := 0
	for b, c := range again {
		if shared[b] {
			held += c
		}
	}
	return held
}

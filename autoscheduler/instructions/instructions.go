// Package instructions estimates how many instructions the warps of a kernel issue: what unrolled points of
// a thread load and compute together counts once, as the compiler's elimination of common subexpressions leaves
// it. It knows Layouts and nothing of time, occupancy or memory.
package instructions

import (
	"slices"
	"sync"
	"sync/atomic"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// Work is what one block does, in warp instructions.
type Work struct {
	Issued, Float, Special float64 // all instructions; those of two kinds of unit
	Double                 float64 // of Float and others, what the units of 64-bit floats do
	Memory                 float64 // loads, stores, shuffles
	Terms                  Terms   // what all but float, special-function and memory instructions are for
	Requests               float64 // of the load/store unit: more than one of those of Memory whose lanes conflict
	Further                float64 // cycles of L1 beside those of Requests: see Further
	Sectors                float64
	Barriers               float64 // a warp
	Stages                 []Stage // what a warp does, one stage after the other

	loaded [][2]int // the buffers that it has loaded from
}

// Stage is what a warp with work does in one stage.
type Stage struct {
	Issued float64 // instructions
	Turns  float64 // of serial loops: what an iteration loads the next one waits for
	Shared bool    // whether it loads from there
	Again  bool    // what it loads of global memory is of buffers that stages before have loaded from: a tile's part of them is in L1
	Points int64   // side by side, and so independent of each other
	Loads  float64 // instructions that load from global memory
	Misses float64 // of those, the ones that L1 does not answer
}

// Estimator estimates kernels of one problem. What a nest's points cost together does not depend on
// tiles and is kept, with the expansion of their stage. It is for several goroutines.
type Estimator struct {
	pr *plan.Problem
	*definitions
	seen  *seen // of a copy that counts; see count
	plain bool  // of a copy that counts without vectors
}

// definitions are what holds whatever is inlined.
type definitions struct {
	inputs   []bounds.Box                 // where they begin and end
	ops      []atomic.Pointer[operations] // by stage index
	ofKinds  sync.Map                     // of Funcs that points of cells compute, by Func and stage
	literals func() [][]int64             // by Func and dimension, see literals; few kernels ask
	rowsRead func() []bool                // by Func, see rowsRead
}

type keptDefinitions struct{}

// kept is of a problem or of one with Funcs stored after all, which shares what is kept with that.
type kept struct{ pr *plan.Problem }

// For is the Estimator of a problem.
func For(pr *plan.Problem) *Estimator {
	return plan.Once(pr, kept{pr}, func() *Estimator {
		return &Estimator{pr: pr, definitions: plan.OnceForAll(pr, keptDefinitions{}, func() *definitions {
			return &definitions{inputs: inputBoxes(pr), ops: make([]atomic.Pointer[operations], pr.NumStages()), literals: sync.OnceValue(func() [][]int64 { return literals(pr) }), rowsRead: sync.OnceValue(func() []bool { return rowsRead(pr) })}
		})}
	})
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
	var w Work
	e.work(&w, k, false)
	w.simulated(k)
	w.spill(k)
	return w.Issued, w.Requests
}

// spill adds what a thread stores and loads of its own because it has too few registers, where that is known: a request of a warp each, once. Those in loops
// happen at every turn, and no compiler says which they are. They are taken to stay in L1.
func (w *Work) spill(k *plan.Kernel) {
	n := float64(k.Warps()) * float64(k.SpillBytes) / RegisterBytes
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
	w.Requests, w.Sectors, w.Barriers = c.Requests/blocks, c.Sectors/blocks, c.Barriers/blocks/float64(k.Warps())
}

// RegisterBytes is a register's size.
const RegisterBytes = 4

// Work is what one block does. Of a kernel whose strategy has counted its instructions, since lanes exchange values, that is all that is known.
func (e *Estimator) Work(k *plan.Kernel) (w Work) {
	e.WorkInto(&w, k)
	return w
}

// WorkInto is Work in the place, and the memory, of another kernel's.
func (e *Estimator) WorkInto(w *Work, k *plan.Kernel) {
	*w = Work{Stages: w.Stages[:0], loaded: w.loaded[:0]}
	e.work(w, k, true)
	w.simulated(k)
	w.spill(k)
}

// WorkInTurn is what one block does of several kernels in one launch, each behind those before.
func (e *Estimator) WorkInTurn(kernels []*plan.Kernel) (sum Work) {
	for _, k := range kernels {
		w := Work{loaded: sum.loaded}
		e.work(&w, k, true)
		w.simulated(k)
		w.spill(k)
		sum.add(&w)
		sum.loaded = w.loaded
	}
	return sum
}

func (w *Work) add(o *Work) {
	w.Issued, w.Float, w.Special, w.Memory = w.Issued+o.Issued, w.Float+o.Float, w.Special+o.Special, w.Memory+o.Memory
	w.Double += o.Double
	w.Requests, w.Further, w.Sectors, w.Barriers = w.Requests+o.Requests, w.Further+o.Further, w.Sectors+o.Sectors, w.Barriers+o.Barriers
	w.Terms = w.Terms.Plus(&o.Terms, 1)
	w.Stages = append(w.Stages, o.Stages...)
}

// looseLoops is what the loops cost that run over what is known of a region at run time only: even of one iteration they are there,
// and step what addresses are behind.
func (e *Estimator) looseLoops(n *plan.Nest, given []bool, t *Terms) {
	pointers, iterations := t[Pointer], 1.0
	t[Pointer] = 0
	for _, u := range slices.Backward(n.Serial) {
		if !u.Unroll {
			iterations *= float64(max(u.Extent, 1))
		}
		if e.atRunTime(n, u, given) {
			t[LooseTurn] += iterations
			t[Pointer] += iterations * pointers
		}
	}
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
	if dim < 0 {
		return false // a reduction's domain is what it is
	}
	return u.Extent > 1 || dim >= len(given) || !given[dim]
}

// activeWarps is the number of warps in which a nest keeps a thread busy.
func activeWarps(k *plan.Kernel, n *plan.Nest) float64 {
	ext := [3]int64{1, 1, 1}
	for i, u := range n.Threads {
		ext[min(i, 2)] = u.Extent
	}
	return warpsOf(k, ext)
}

// warpsOf is in how many warps there are threads of such a box.
func warpsOf(k *plan.Kernel, ext [3]int64) float64 {
	if k.Block[0]%plan.WarpLanes == 0 {
		return float64((ext[0] + plan.WarpLanes - 1) / plan.WarpLanes * ext[1] * ext[2])
	}
	if ext[0] == k.Block[0] && (ext[1] == k.Block[1] || ext[2] == 1) { // one behind the other
		return float64((ext[0]*ext[1]*ext[2] + plan.WarpLanes - 1) / plan.WarpLanes)
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
func (e *Estimator) points(k *plan.Kernel, n *plan.Nest, register bool) *Count {
	what := askedCount
	if register {
		what = askedRegister
	}
	if e.plain {
		what += askedPlain - askedCount
	}
	return remember(e, what, k, n, func() *Count { return e.count(k, n, register) })
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

// rest is an index but for its first dimension.
func rest(idx []access.Index) []access.Index { return idx[min(1, len(idx)):] }

// column is which of its points along a row of threads a point of the thread is.
func column(n *plan.Nest, s Shift) int64 { return s.of(n.Along.Loop) }

// nowhere reports whether a place hangs on what is not known.
func nowhere(idx []access.Index) bool {
	for d := range idx { // of 150 bytes, which are not copied
		if x := &idx[d]; x.Anywhere() {
			return true
		}
	}
	return false
}

// TableBytes is up to what size a table that is looked up stays in L1: half of the least that an SM has of it.
const TableBytes = 16 << 10

// SectorBytes is what memory is moved in.
const SectorBytes = 32

// LineSectors is how many sectors a line of the L1 has.
const LineSectors = 4

// Further is for how many cycles more than by its conflicting ways a warp's request to global memory keeps L1 busy: it finds four sectors a cycle, as many as a line has. Of an H100's kernels that one whose lanes look up
// 31 sectors a request took what that comes to (RATIONALE.md, "An H100 again").
func Further(sectors, ways float64) float64 { return max(0, sectors/LineSectors-ways) }

// loadSectors is sectors of a load: small tables that are looked up are in L1.
func (e *Estimator) loadSectors(n *plan.Nest, t *plan.Tap) float64 {
	if nowhere(t.Index) && e.pr.BufferBytes(t.Func, t.Input) <= TableBytes {
		return 1
	}
	return spread(n, t.Index, t.Bytes)
}

// lanesOf is how many lanes of a warp have work: fewer than all where a block is less than one. Of what is computed in the threads of another Func it is not known.
func lanesOf(n *plan.Nest) int64 {
	if len(n.Threads) == 0 {
		return plan.WarpLanes
	}
	return min(plan.WarpLanes, max(n.ThreadCount(), 1))
}

// filled is the share of the lanes of a block's warps that have work, where the block is more than one warp: the last one may be less.
func filled(n *plan.Nest) float64 {
	threads := n.ThreadCount()
	if len(n.Threads) == 0 || threads <= plan.WarpLanes {
		return 1
	}
	return float64(threads) / float64((threads+plan.WarpLanes-1)/plan.WarpLanes*plan.WarpLanes)
}

// spread is how many sectors the lanes of a warp ask for at once, all in whole rows of threads.
func spread(n *plan.Nest, idx []access.Index, bytes int64) float64 {
	lanes := int64(plan.WarpLanes)
	along, rows := lanes, 1.0 // of threads, of which a warp may have a part
	if n.Along.Loop >= 0 && n.Along.Extent < lanes {
		along, lanes = max(n.Along.Extent, 1), lanesOf(n)
		rows = max(1, float64(lanes)/float64(along))
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
			return float64(along) * rows
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
			return rows * min(1, float64(turn*bytes)/SectorBytes)
		}
		return rows
	}
	// Points side by side share the sectors that L1 keeps between their loads.
	return rows * min(float64(along), max(1, float64(along*stride*bytes)/SectorBytes))
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
	k := key(0).and(int64(fn)<<32 ^ int64(input)<<16 ^ int64(out))
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
		k = k.and(off).and(x.Num<<16 ^ int64(x.Loop)<<4 ^ int64(x.Kind))
		if x.Beyond != 0 {
			k = k.and(int64(x.Beyond))
		}
	}
	return k
}

// Operands is the number of elements in memory that the points of a thread load in straight code: those of all unrolled loops, over a domain too.
func (e *Estimator) Operands(k *plan.Kernel, n *plan.Nest) int {
	all := *n
	all.Unrolled = slices.Clone(n.Unrolled)
	for _, u := range n.Serial {
		if u.Unroll && u.Extent > 1 {
			all.Unrolled = append(all.Unrolled, u)
		}
	}
	return remember(e, askedOperands, k, &all, func() int { return len(e.elements(k, n, Shifts(&all))) })
}

// elements are what a thread loads from memory for some of its points, each with its buffer.
func (e *Estimator) elements(k *plan.Kernel, n *plan.Nest, points []Shift) map[key][2]int64 {
	out := map[key][2]int64{}
	for _, some := range e.kinds(n, points) {
		for i := range some.ex.Loads {
			t := &some.ex.Loads[i]
			if where, in := k.PlaceOf(t.Func); in && where == plan.AtThread {
				continue
			}
			for _, s := range some.points {
				out[placeKey(t.Func, t.Input, t.Out, t.Index, s)] = [2]int64{int64(t.Func), int64(t.Input)}
			}
		}
	}
	return out
}

// RowLoads is the number of elements in memory that one row of a thread's points loads, where further
// rows load some of them again: the compiler keeps those in registers. A row is all points but those along the
// outermost unrolled loop.
func (e *Estimator) RowLoads(k *plan.Kernel, n *plan.Nest) int {
	return remember(e, askedRows, k, n, func() int { return e.rowLoads(k, n) })
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
	first, next := e.elements(k, n, shifts), e.elements(k, n, beyond)
	shared := map[[2]int64]bool{} // buffers of which the next row loads something again
	for at, buffer := range next {
		if _, again := first[at]; again {
			shared[buffer] = true
		}
	}
	held := 0
	for _, buffer := range first {
		if shared[buffer] {
			held++
		}
	}
	return held
}

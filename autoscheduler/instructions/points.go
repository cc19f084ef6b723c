package instructions

import (
	"math/bits"
	"slices"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/keymap"
	"gowarp/internal/plan"
)

// Part is what the points of one thread do at each turn of its serial loops, or before the first.
type Part struct {
	Terms          Terms   // what costs instructions of integers and control
	Float, Special float64 // what floating-point and special-function units do
	Double         float64 // of these and others, what the units of 64-bit floats do
	Memory         float64 // loads and stores
	// Requests are what the load/store unit is busy with for the Memory instructions: more than one each
	// where the lanes of a warp are so far apart that banks or lines conflict.
	Requests float64
	Further  float64 // cycles of L1 beside those of Requests: see Further
	Sectors  float64 // of 32 bytes of global memory that a warp's lanes load together
	Stored   float64 // likewise, store
	Global   float64 // of the Memory instructions, those of global memory
	Loads    float64 // of those, the ones that load
	Asked    float64 // sectors that those ask for, each by itself
}

// add adds n times another.
func (p *Part) add(o *Part, n float64) {
	for i, v := range o.Terms {
		p.Terms[i] += n * v
	}
	p.Float += n * o.Float
	p.Special += n * o.Special
	p.Double += n * o.Double
	p.Memory += n * o.Memory
	p.Requests += n * o.Requests
	p.Further += n * o.Further
	p.Sectors += n * o.Sectors
	p.Stored += n * o.Stored
	p.Global += n * o.Global
	p.Loads += n * o.Loads
	p.Asked += n * o.Asked
}

// Count is what the points of one thread do. What no turn changes the compiler takes out of the loops.
type Count struct {
	Turn, Once Part
	Wide       wide
}

// add adds n times another.
func (c *Count) add(o *Count, n float64) {
	c.Turn.add(&o.Turn, n)
	c.Once.add(&o.Once, n)
	c.Wide.add(&o.Wide, n)
}

func (e *Estimator) count(k *plan.Kernel, n *plan.Nest, register bool) *Count {
	counting := *e
	counting.seen = allSeen.Get().(*seen)
	defer allSeen.Put(counting.seen)
	e = &counting
	shifts := Shifts(n)
	apart := e.sumsApart(k, n, shifts)
	if !slices.ContainsFunc(n.Unrolled, func(u plan.Use) bool { return u.Guarded() && u.Extent > 1 }) {
		c := e.straight(k, n, shifts, register, apart)
		return &c
	}
	// Points that are tested one by one are in branches of their own, in which the compiler finds about half
	// of what it would find in one piece of code, and nothing where a loop is around them.
	alone := *n
	alone.Unrolled = slices.DeleteFunc(slices.Clone(n.Unrolled), plan.Use.Guarded)
	together := Shifts(&alone)
	tests := float64(len(shifts) / len(together))
	one, all := e.straight(k, &alone, together, register, apart), e.straight(k, n, shifts, register, apart)
	found := foundAcrossTests
	if n.Stage > 0 && turning(n) != 0 {
		found = 0
	}
	var c Count
	c.Turn.add(&one.Turn, tests*(1-found))
	c.Turn.add(&all.Turn, found)
	c.Once.add(&all.Once, 1) // what is worked out before the tests is so once
	c.Turn.Terms[Pointer] = all.Turn.Terms[Pointer]
	for _, u := range n.Unrolled {
		if u.Guarded() {
			c.Turn.Terms[Test] += float64(len(shifts))
		}
	}
	return &c
}

// foundAcrossTests is the share of what points have in common that the compiler finds where each has a test.
const foundAcrossTests = .5

// straight is what points cost in one piece of code.
func (e *Estimator) straight(k *plan.Kernel, n *plan.Nest, shifts []Shift, register, apart bool) Count {
	turn, shared := turning(n), e.fusedLoops(k, n)
	var c Count
	seen := e.seen
	for _, m := range []*keymap.Map{&seen.called, &seen.loaded, &seen.rows, &seen.columns, &seen.pointers, &seen.buffers, &seen.stores, &seen.sectors, &seen.vectors, &seen.columnsOf, &seen.widened, &seen.clamped, &seen.rowsOf, &seen.steps, &seen.wideRows, &seen.wideBuffers, &seen.moved, &seen.products.Map} {
		m.Clear()
	}
	for _, some := range e.kinds(n, shifts) {
		if len(some.points) == 0 {
			continue
		}
		e.straightOf(&c, k, n, &some, turn, apart, &shared)
	}
	c.Wide.loads(seen, e.pr.ExpandOf(n).Sources)
	if !register {
		e.store(&c, k, n, shifts, turn, apart, &shared)
	}
	return c
}

// kind is some points of a thread, which compute the same at places of their own.
type kind struct {
	fn     int // the Func that says what
	ex     *plan.Expand
	points []Shift
	number int
	some   bool // of several kinds
}

// distinct is at how many places the points are along a loop.
func (k *kind) distinct(u plan.Use) int64 {
	if !k.some {
		return u.Extent
	}
	n := int64(0)
	for i, s := range k.points {
		if !slices.ContainsFunc(k.points[:i], func(o Shift) bool { return o.of(u.Loop) == s.of(u.Loop) }) {
			n++
		}
	}
	return n
}

// kinds are a thread's points by what they compute: all the same, mostly.
func (e *Estimator) kinds(n *plan.Nest, shifts []Shift) []kind {
	c := e.pr.CellOf(n)
	if c == nil {
		return []kind{{n.Func, e.pr.ExpandOf(n), shifts, 0, false}}
	}
	out := make([]kind, len(c.Kinds))
	for i, k := range c.Kinds {
		out[i] = kind{k.Func, k.Expand, nil, i, true}
	}
	for _, s := range shifts {
		k := &out[c.KindOf(s.of)]
		k.points = append(k.points, s)
	}
	return out
}

// straightOf adds what points of a kind cost.
func (e *Estimator) straightOf(c *Count, k *plan.Kernel, n *plan.Nest, some *kind, turn uint64, apart bool, shared *fused) {
	ex, shifts, seen := some.ex, some.points, e.seen
	points, loaded := float64(len(shifts)), seen.loaded.Len()
	known := len(ex.Folded) > 0 // what places hang on is constants then
	own := e.operations(some.fn, n.Stage)
	c.Turn.compute(own, points, known)
	casts := c.shareMoving(n, own, some)
	if own.again != nil && storedBetween(k, n.Func, ex.Loads) {
		c.Turn.compute(own.again, points, true)
		c.Turn.Memory += points * own.loadedAgain
		c.Turn.Requests += points * own.loadedAgain
	}
	c.Turn.Float += points * BegunSums(e.pr, e.pr.StageOf(some.fn, n.Stage))
	if len(shifts) > 1 {
		c.Turn.shareRepeats(e, n, own, shifts)
	}
	c.Turn.Terms[Conversion] -= points * own.casts // see below
	apartFrom := int64(some.number) << 20          // what is at no known place, of other kinds
	for i := range ex.Calls {
		call := &ex.Calls[i]
		does, each, unknown := e.operations(call.Func, 0), share(n, call.Index), nowhere(call.Index)
		floats := BegunSums(e.pr, e.pr.StageOf(call.Func, 0))
		if call.Joined {
			floats--
		}
		for _, s := range shifts {
			at := e.placeOf(n, call.Func, 0, 0, call.Index, s)
			if unknown {
				at = at.and(apartFrom + int64(call.In)) // what one definition looks up is at one place, what another does at another
			}
			switch {
			case seen.called.Add(uint64(at)):
				c.Turn.compute(does, each, known)
				c.Turn.Float += each * floats
				if call.Joined {
					seen.products.Join(uint64(at))
				}
				if len(does.moving) > 0 && !unknown {
					e.shareCalled(&c.Turn, n, call, does, s, each)
				}
			case !call.Joined && seen.products.TakeApart(uint64(at)):
				c.Turn.Float += each
			}
		}
	}
	for i := range ex.Loads {
		t := &ex.Loads[i]
		where, in := k.PlaceOf(t.Func)
		if in && where == plan.AtThread {
			continue // in a register
		}
		if n.Together() && e.pr.HandedOn(n, t) {
			continue // told by registers and scratch: see scan and chunks
		}
		member := in
		in = in && where != plan.AtBlockGlobal
		asked, part := 1.0, &c.Turn
		if !in {
			asked = share(n, t.Index)
		}
		each := asked
		if apart && t.Func == n.Func && !in {
			each = 1
		}
		vectors := !member && e.vectors(n, t.Func, t.Input, t.Out, t.Index)
		ways := e.ways(n, t.Index, t.Bytes)
		unknown, requests, further, sectors := nowhere(t.Index), asked*ways, 0.0, 0.0
		if !in {
			further = asked * Further(spread(n, t.Index, t.Bytes), ways)
			sectors = asked * e.loadSectors(n, t)
		}
		for _, s := range shifts {
			at := e.placeOf(n, t.Func, t.Input, t.Out, t.Index, s)
			if unknown {
				at = at.and(apartFrom + int64(i)) // two places that are not known are not one
			}
			if !seen.loaded.Add(uint64(at)) {
				continue
			}
			part.Memory += each
			part.Requests += requests
			part.Further += further
			for d := range t.Index {
				if !unknown || known || !nowhere(t.Index[d:d+1]) { // places that are constants are rows' (see address), and nothing in shared memory
					continue
				}
				element, place := AnyElement, AnyPlace
				if t.Index[d].DataDependent {
					element, place = LookedUpElement, LookedUpPlace
				}
				part.Terms[element] += each
				if seen.columns.Add(uint64(placeKey(t.Func, t.Input, 0, t.Index[d:d+1], s).and(apartFrom + int64(t.In)))) {
					part.Terms[place] += each
				}
			}
			if in { // a constant behind an address of the thread's
				if seen.pointers.Add(uint64(placeKey(t.Func, 0, 0, nil, nil))) {
					part.Terms[Pointer]++
					c.Once.Terms[SharedBuffer]++
					c.Once.Terms[ScaledMember] += scaled(t.Index)
				}
				for d := range t.Index {
					if t.Index[d].Clamped && seen.columns.Add(uint64(placeKey(t.Func, t.Input, d, t.Index[d:d+1], s))) {
						part.Terms[ClampedShared]++
					}
				}
				continue
			}
			part.Global += each
			part.Loads += each
			part.Asked += each * sectors
			row := placeKey(t.Func, t.Input, t.Out, rest(t.Index), s)
			if unknown || seen.sectors.Add(uint64(row.and(int64(len(t.Index))).and(column(n, s)))) {
				// What else the lanes load of the row is in L1 then, and what a vector has that is loaded already.
				before := bits.OnesCount32(uint32(seen.columnsOf.Or(uint64(row), 0)))
				seen.columnsOf.Or(uint64(row), 1<<(column(n, s)&31))
				if unknown || before >= plan.VectorLanes || !seen.widened.Has(uint64(row)) {
					part.Sectors += sectors
				}
			}
			if vectors {
				part.widen(e, n, t, s, each, &c.Wide)
			}
			tap := -1
			if unknown && known {
				tap = int(apartFrom) + i
			}
			e.address(c, n, t, tap, s, turn, vectors, shared)
		}
	}
	// Most conversions are of what was loaded, once for all points that use it.
	if taps := points * float64(len(ex.Loads)); taps > 0 {
		casts *= min(1, max(float64(seen.loaded.Len()-loaded)/taps, 1/points))
	}
	c.Turn.Terms[Conversion] += points * casts
}

// storedBetween reports whether what the values of a tuple have in common is worked out for each: in shared memory a value is stored before the next is worked out, and for all that the compiler knows that store is to where
// what others have there is loaded from.
func storedBetween(k *plan.Kernel, fn int, loads []plan.Tap) bool {
	shared := func(fn int) bool {
		where, in := k.PlaceOf(fn)
		return in && where == plan.AtBlock
	}
	return shared(fn) && slices.ContainsFunc(loads, func(t plan.Tap) bool { return t.Func != fn && shared(t.Func) })
}

// sumsApart reports whether a thread's sums in global memory are in several rows. How far those are apart only a run knows, so that the compiler cannot tell that a store to one is none to
// another: each is loaded and stored at every turn, where sums in one row stay in registers. Requests and sectors are left as of those (RATIONALE.md).
func (e *Estimator) sumsApart(k *plan.Kernel, n *plan.Nest, shifts []Shift) bool {
	if k.OnChip(n.Func) || n.Stage == 0 || turning(n) == 0 {
		return false
	}
	st := e.pr.Access.Stage(n.Func, n.Stage)
	if st == nil {
		return false
	}
	first := placeKey(0, 0, 0, rest(st.Store), shifts[0])
	return slices.ContainsFunc(shifts[1:], func(s Shift) bool { return placeKey(0, 0, 0, rest(st.Store), s) != first })
}

// share is in how many of the turns of a nest's loops something at a place happens: the compiler takes out of the innermost ones what does not move with them.
func share(n *plan.Nest, idx []access.Index) float64 {
	loops := uint64(0)
	for d := range idx {
		loops |= idx[d].Loops
	}
	return shareOf(n, loops)
}

// shareOf is share of what such loops have a part in.
func shareOf(n *plan.Nest, loops uint64) float64 {
	share := 1.0
	for _, u := range n.Serial {
		if u.Extent <= 1 || u.Unroll {
			continue
		}
		if loops&access.LoopBit(u.Loop) != 0 {
			break
		}
		steps := max(u.Steps, 1)
		share /= float64((u.Extent + steps - 1) / steps)
	}
	return share
}

// address counts what it takes to know where an element of a buffer in global memory is. Of a tap at a place that is a constant once a reduction is written out, tap tells the row from those of others; else it is -1.
func (e *Estimator) address(c *Count, n *plan.Nest, t *plan.Tap, tap int, s Shift, turn uint64, vectors bool, shared *fused) {
	seen, once := e.seen, &c.Once.Terms
	buffer := placeKey(t.Func, t.Input, 0, nil, nil)
	if e.buffer(once, t.Func, t.Input, t.Out, t.Index, shared) {
		once[Scaled] += scaled(t.Index)
	}
	if len(t.Index) == 0 {
		return
	}
	// clamps counts an index that is clamped: once a turn if it moves with the turning loops.
	clamps := func(d int, clamped, likely Term) {
		x, terms := &t.Index[d], once
		if moves(x, turn) {
			terms = &c.Turn.Terms
		}
		if x.Likely {
			clamped = likely
		}
		terms[clamped]++
		if seen.clamped.Add(uint64(buffer.and(int64(d)))) {
			once[ClampedDimension]++
		}
	}
	if seen.rows.Add(uint64(e.placeOf(n, t.Func, t.Input, t.Out, t.Index[1:], s).and(e.alone(n, &t.Index[0], s)).and(int64(tap)))) {
		if tap >= 0 {
			once[ConstantRow]++
		} else {
			once[Row]++
		}
		if !seen.rowsOf.Add(uint64(buffer)) && seen.steps.Add(uint64(buffer)) {
			once[Step]++ // of the second row
		}
		if movesAny(t.Index, turn) {
			c.Turn.Terms[e.turnedRow(n, t.Func, vectors)] += share(n, t.Index)
		}
		for d := 1; d < len(t.Index); d++ {
			if t.Index[d].Clamped {
				clamps(d, ClampedRow, LikelyRow)
			}
		}
	}
	if t.Index[0].Clamped {
		clamps(0, ClampedElement, LikelyElement) // it is no constant behind the row's address
		if seen.columns.Add(uint64(e.placeOf(n, t.Func, t.Input, 0, t.Index[:1], s))) {
			clamps(0, ClampedColumn, LikelyColumn)
		}
	}
}

// placeOf is the key of a place that a point accesses. Half of x and half of x + 1 are one place only where a thread's x is known to be even.
func (e *Estimator) placeOf(n *plan.Nest, fn, input, out int, idx []access.Index, s Shift) key {
	k := placeKey(fn, input, out, idx, s)
	for d := range idx {
		if idx[d].Den > 1 {
			k = k.and(e.residue(n, &idx[d], s))
		}
	}
	return k
}

// buffer counts one that was not accessed before; a Func of several values has one for each, which share strides. It reports whether no value of it was.
func (e *Estimator) buffer(once *Terms, fn, input, out int, idx []access.Index, shared *fused) (fresh bool) {
	if e.seen.buffers.Add(uint64(placeKey(fn, input, out, nil, nil).and(1))) {
		once[Buffer]++
	}
	if fresh = e.seen.buffers.Add(uint64(placeKey(fn, input, 0, nil, nil))); fresh {
		once[Stride] += shared.strides(idx)
	}
	return fresh
}

// alone tells elements of a row apart that are no constant number of elements from each other: by what divides, or where no loop gives the place.
func (e *Estimator) alone(n *plan.Nest, x *access.Index, s Shift) int64 {
	if x.Anywhere() && !x.DataDependent {
		return int64(placeKey(0, 0, 0, []access.Index{*x}, s))
	}
	return e.residue(n, x, s)
}

// residue tells places apart that are no constant number of elements from each other, so that each has an address of its own.
func (e *Estimator) residue(n *plan.Nest, x *access.Index, s Shift) int64 {
	if x.Kind != access.Affine || x.Den <= 1 {
		return 0
	}
	if u, ok := n.UnrolledUse(x.Loop); ok && u.Tile > 0 && u.Apart == 0 && x.Num*u.Extent%x.Den == 0 {
		return 0 // a thread begins at a multiple
	}
	if c := e.pr.CellOf(n); c != nil && c.Divides(x.Loop, x.Num, x.Den) {
		return 0
	}
	at := x.Offset + x.Num*s.of(x.Loop)
	return at - bounds.FloorDiv(at, x.Den)*x.Den
}

// scaled is in how many dimensions of an access a loop's place is multiplied or divided.
func scaled(idx []access.Index) (n float64) {
	for d := range idx {
		x := &idx[d]
		terms, ok := x.Terms()
		if x.Kind == access.Affine && x.Den > 1 || ok && slices.ContainsFunc(terms, func(t access.Term) bool { return t.Num > 1 || t.Num < -1 }) {
			n++
		}
	}
	return n
}

// store counts what points store.
func (e *Estimator) store(c *Count, k *plan.Kernel, n *plan.Nest, shifts []Shift, turn uint64, apart bool, shared *fused) {
	_, member := k.PlaceOf(n.Func)
	in := k.OnChip(n.Func)
	var at []access.Index
	part, each, asked, vectors := &c.Turn, 1.0, 1.0, false
	points := float64(len(shifts))
	stores := points
	if st := e.pr.Access.Stage(n.Func, n.Stage); st != nil {
		at = st.Store
		if !in {
			asked = share(n, at) // a sum stays in a register
		}
		if each = asked; apart {
			each = 1
		}
		if !member && len(e.pr.P.Funcs[n.Func].Types) == 1 && e.vectors(n, n.Func, -1, 0, at) && !slices.ContainsFunc(shifts, func(s Shift) bool { return e.phase(n.Func, -1, at, s)%plan.VectorLanes != 0 }) {
			stores /= plan.VectorLanes
			vectors = true
		}
		part.Requests += asked * stores * e.ways(n, at, e.pr.Bytes(n.Func))
	}
	types := len(e.pr.P.Funcs[n.Func].Types)
	values := each * stores * float64(types)
	part.Memory += values
	if in {
		c.Turn.Terms[Pointer]++
		c.Once.Terms[SharedBuffer]++
		return
	}
	for _, s := range shifts {
		e.seen.stores.Add(uint64(placeKey(0, 0, 0, rest(at), s)))
	}
	rows := float64(e.seen.stores.Len())
	once := &c.Once.Terms
	for out := range types {
		e.buffer(once, n.Func, -1, out, at, shared)
	}
	once[StoredRow] += rows * float64(types)
	if vectors {
		c.Wide.stores(points-stores, rows)
		part.Terms[Packed] += each * points * Packing(e.pr.Bytes(n.Func))
	}
	part.Global += values
	if at != nil {
		part.Stored += asked * stores * spread(n, at, e.pr.Bytes(n.Func))
	}
	if movesAny(at, turn) {
		c.Turn.Terms[e.turnedRow(n, n.Func, vectors)] += each * rows
	}
}

// severalSteps reports whether several turns of a loop stand in the code, whose rows are then a distance apart.
func severalSteps(n *plan.Nest) bool {
	return slices.ContainsFunc(n.Serial, func(u plan.Use) bool { return u.Steps > 1 })
}

// turnedRow is the term of a row that moves with a loop, of a buffer that the stage both reads and writes one turn after the other or not: the compiler is to see there which turn reads what another has
// written, so that its addresses are not chained.
func (e *Estimator) turnedRow(n *plan.Nest, fn int, vectors bool) Term {
	switch {
	case fn == n.Func && e.readsItself(n) && !severalSteps(n):
		return OwnRow
	case vectors:
		return VectorRow
	}
	return TurnedRow
}

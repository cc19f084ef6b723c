package plan

import (
	"slices"
	"sync"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/keymap"
)

// Expand is one stage as it runs: with the Funcs that are inlined into it in
// place. Equal subexpressions count once, as the compiler computes them.
type Expand struct {
	Ops       int      // operations a point of the stage's loops
	Places    int      // besides, those that work out places which hang on data: no two points share them
	Loads     []Tap    // distinct loads from what is not inlined
	Reads     []int    // the Funcs that they load from, ascending
	Buffers   int      // how many buffers they load from
	Sources   [][2]int // those: each a Func, or -1 and an input, in the order of the loads
	Instances int      // how many inlined definitions occur, equal ones once
	Own       int      // operations of the stage itself; the rest of Ops is that of Calls
	Calls     []Call
	Tree      int    // operations and loads of the expression as a tree, as Halide expands it
	Inlined   []int  // which Funcs, ascending
	Folded    []Call // of Funcs whose values are constants once the loops in Unrolled stand in the code; not among Calls
	Unrolled  uint64 // those loops, as access.Index.Loops has them

	Likely bool // a place that is loaded from is clamped by a boundary condition

	IntDivisions int // of 32 bits, with remainders, in values and addresses; of an inlined Func once

	Saturated bool // too large to expand: the figures are those of the limit

	Counted Memo // what was counted of it, which goes when it does
}

// Tap is a distinct load a point: Index is over the loops of the expanded stage.
type Tap struct {
	Func, Input, Out int
	Index            []access.Index
	Bytes            int64
	In               int // the inlined definition that loads it, by number; 0 is the stage itself
}

// Call is an inlined definition at one point: its operations without those of what it calls.
type Call struct {
	Func  int
	Index []access.Index // over the loops of the expanded stage
	Ops   int
	In    int // the definition that calls it, by number
	By    int // the Func of that definition; -1 for the stage itself
	// Joined reports that its product is one instruction with what it stands in there (access.Load.Joined).
	Joined bool
}

// MaxInstances bounds the inlined definitions in one stage. Halide expands them
// all before it finds what they share; thousands take it seconds.
const MaxInstances = 512

// ExpandOf is a nest's stage as it runs.
func (pr *Problem) ExpandOf(n *Nest) *Expand {
	if c := pr.CellOf(n); c != nil {
		return c.all
	}
	return pr.Expand[pr.StageIndex(n.Func, n.Stage)]
}

// inPlace reports whether any of some Funcs that were inlined is in place in the stage.
func (x *Expand) inPlace(fns []int) bool {
	return x.Saturated || slices.ContainsFunc(fns, func(fn int) bool {
		_, is := slices.BinarySearch(x.Inlined, fn)
		return is
	})
}

// AppendSources adds the buffers in global memory that a nest of a kernel loads from to those that there are, but for what its iterations hand on.
func (pr *Problem) AppendSources(buffers [][2]int, k *Kernel, n *Nest) [][2]int {
	for _, b := range pr.ExpandOf(n).Sources {
		if _, in := k.PlaceOf(b[0]); !in && !slices.Contains(buffers, b) && (b[0] != n.Func || pr.ReadsOwnPlace(n)) {
			buffers = append(buffers, b)
		}
	}
	return buffers
}

// ExpandStage computes the stage with everything of inlined in place. What is folded (nil for nothing) costs nothing.
func ExpandStage(p *halideir.Pipeline, an *access.Analysis, inlined, folded []bool, fn, stage int) *Expand {
	st := an.Stage(fn, stage)
	if st == nil {
		return &Expand{}
	}
	e := expanders.Get().(*expander)
	defer e.put()
	e.p, e.an, e.inlined, e.out = p, an, inlined, &Expand{} // out by itself: it stays, and what it takes to make it does not
	e.out.Ops = st.Value.Total()
	e.out.Own = e.out.Ops
	e.out.Tree = treeSize(an, inlined, fn, stage, map[int]int{})
	e.stage(instance{fn: fn}, st)
	for len(e.work) > 0 && !e.out.Saturated {
		it := e.work[len(e.work)-1]
		e.work = e.work[:len(e.work)-1]
		s := an.Stage(it.fn, 0)
		if folded != nil && folded[it.fn] {
			e.out.Folded = append(e.out.Folded, Call{it.fn, it.at, 0, it.in, it.by, it.joined})
			for k := range it.at {
				e.out.Unrolled |= it.at[k].Loops
			}
			continue
		}
		ops := s.Value.Total()
		e.out.Ops += ops
		e.calls = append(e.calls, Call{it.fn, it.at, ops, it.in, it.by, it.joined})
		e.stage(it, s)
	}
	e.out.Loads, e.out.Calls = append([]Tap(nil), e.loads...), append([]Call(nil), e.calls...)
	if e.out.Folded != nil {
		for i := range e.out.Loads {
			t := &e.out.Loads[i]
			t.Index = slices.Clone(t.Index)
			for k := range t.Index {
				t.Index[k].DataDependent = t.Index[k].FromData
			}
		}
	}
	e.out.Places = e.places(st)
	e.out.Likely = slices.ContainsFunc(e.out.Loads, func(t Tap) bool {
		for k := range t.Index { // of 150 bytes, which are not copied
			if t.Index[k].Likely {
				return true
			}
		}
		return false
	})
	e.out.Sources = sources(e.out.Loads)
	e.out.Buffers = len(e.out.Sources)
	e.out.Reads = funcsOf(e.out.Sources)
	for _, it := range e.done {
		e.out.Inlined = append(e.out.Inlined, it.fn)
	}
	slices.Sort(e.out.Inlined)
	e.out.Inlined = slices.Compact(e.out.Inlined)
	e.out.IntDivisions = intDivisions(st)
	for _, id := range e.out.Inlined {
		e.out.IntDivisions += intDivisions(an.Stage(id, 0))
	}
	return e.out
}

// lookedUp is what it takes to come from a place in a buffer, which data tell, to an address: products and sums of its dimensions, in 64 bits.
const lookedUp = 6

// places are the operations that work out places which hang on data.
func (e *expander) places(st *access.Stage) (sum int) {
	if st.PlacesFromData {
		sum = st.Address.Total()
	}
	for i := range e.out.Loads {
		if access.FromData(e.out.Loads[i].Index) {
			sum += lookedUp
		}
	}
	for i := range e.calls {
		call := &e.calls[i]
		if s := e.an.Stage(call.Func, 0); access.FromData(call.Index) || s.PlacesFromData {
			sum += s.Address.Total()
		}
	}
	return sum
}

func intDivisions(st *access.Stage) int {
	n := 0
	for _, ops := range []*access.Ops{&st.Value, &st.Address} {
		n += ops.Count[access.Div][access.Int32] + ops.Count[access.Mod][access.Int32]
	}
	return n
}

// sources are the buffers that taps load from, each once.
func sources(taps []Tap) (out [][2]int) {
	for i := range taps {
		if b := [2]int{taps[i].Func, taps[i].Input}; !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// funcsOf are the Funcs among buffers, ascending.
func funcsOf(buffers [][2]int) (out []int) {
	for _, b := range buffers {
		if b[0] >= 0 {
			out = append(out, b[0])
		}
	}
	slices.Sort(out)
	return out
}

// maxTree is where treeSize stops counting.
const maxTree = 1 << 30

// treeSize is the size of a stage's expressions with inlined Funcs put in at every load:
// Halide does not see that two of them are equal before it has expanded both.
func treeSize(an *access.Analysis, inlined []bool, fn, stage int, memo map[int]int) int {
	st := an.Stage(fn, stage)
	size := st.Value.Total() + st.Address.Total()
	for i := range st.Loads {
		callee := st.Loads[i].Func
		if callee < 0 || callee == fn || !inlined[callee] {
			size++
			continue
		}
		n, ok := memo[callee]
		if !ok {
			n = treeSize(an, inlined, callee, 0, memo)
			memo[callee] = n
		}
		size = min(size+n, maxTree)
	}
	return size
}

type expander struct {
	p       *halideir.Pipeline
	an      *access.Analysis
	inlined []bool
	out     *Expand
	seen    keymap.Map
	work    []instance
	done    []instance
	loads   []Tap
	calls   []Call
	idx     []access.Index
	slab    []access.Index // where those that stay are, some definitions' together
}

// expanders are kept: a search expands stages thousands of times.
var expanders = sync.Pool{New: func() any { return new(expander) }}

func (e *expander) put() {
	e.seen.Clear()
	clear(e.work[:cap(e.work)]) // no indices are to be kept alive
	clear(e.done)
	clear(e.loads)
	clear(e.calls)
	*e = expander{seen: e.seen, work: e.work[:0], done: e.done[:0], loads: e.loads[:0], calls: e.calls[:0], idx: e.idx[:0]}
	expanders.Put(e)
}

// stay is a copy of indices that stays.
func (e *expander) stay(idx []access.Index) []access.Index {
	if n := len(e.slab); cap(e.slab)-n < len(idx) {
		e.slab = make([]access.Index, 0, max(len(idx), min(2*cap(e.slab), 64), 4))
	}
	n := len(e.slab)
	e.slab = append(e.slab, idx...)
	return e.slab[n:len(e.slab):len(e.slab)]
}

// instance is an inlined Func at one point; 0 is the number of the stage itself.
type instance struct {
	number int
	in     int // the number of what calls it
	by     int // its Func, -1 for the stage itself
	fn     int
	at     []access.Index
	joined bool
}

// stage adds the loads of one definition.
func (e *expander) stage(of instance, st *access.Stage) {
	fn, at := of.fn, of.at
	for i := range st.Loads {
		l := &st.Loads[i]
		idx := l.Index
		if of.number > 0 {
			e.idx = e.idx[:0]
			for k := range l.Index {
				e.idx = append(e.idx, e.compose(fn, &l.Index[k], at))
			}
			idx = e.idx
		}
		if !e.fresh(l, idx, of.number) {
			continue
		}
		if of.number > 0 {
			idx = e.stay(idx)
		}
		if l.Func >= 0 && l.Func != fn && e.inlined[l.Func] {
			if e.out.Instances >= MaxInstances {
				e.out.Saturated = true
				return
			}
			e.out.Instances++
			by := -1
			if of.number > 0 {
				by = fn
			}
			it := instance{e.out.Instances, of.number, by, l.Func, idx, l.Joined}
			e.work = append(e.work, it)
			e.done = append(e.done, it)
			continue
		}
		e.loads = append(e.loads, Tap{Func: l.Func, Input: l.Input, Out: l.Out, Index: idx, Bytes: l.Type.Bytes(), In: of.number})
	}
}

// compose puts the indices at which an inlined Func is evaluated into one of its
// own. What has no affine form is Unknown.
func (e *expander) compose(fn int, j *access.Index, at []access.Index) access.Index {
	if j.Kind == access.Constant {
		return *j
	}
	loops := e.p.Funcs[fn].Stages[0].Loops
	if j.IsSum() {
		unknown := unknownAt(loops, j, at)
		sum, ok := access.Index{Kind: access.Constant, Loop: -1, Den: 1, Offset: j.Offset}, true
		terms, _ := j.Terms()
		for _, t := range terms {
			if ok {
				sum, ok = access.AddSum(at[loops[t.Loop].Arg], t.Num, sum)
			}
			unknown.AlsoClamped(&at[loops[t.Loop].Arg])
		}
		if ok && sum.Kind == access.Unknown {
			unknown.Sum, unknown.Offset, unknown.Den = sum.Sum, sum.Offset, 1
		}
		return unknown
	}
	if j.Kind == access.Unknown {
		return unknownAt(loops, j, at)
	}
	i := at[loops[j.Loop].Arg]
	if i.Clamped && !i.Likely && (j.Num != 1 || j.Den != 1 || j.Offset != 0) {
		i.Beyond = keymap.Mix(keymap.Mix(keymap.Mix(i.Beyond, uint64(j.Num)), uint64(j.Den)), uint64(j.Offset))
	}
	i.AlsoClamped(j)
	switch {
	case i.Kind == access.Constant:
		i.Offset = bounds.FloorDiv(j.Num*i.Offset+j.Offset, j.Den)
		return i
	case i.IsSum() && j.Den == 1:
		sum, _ := access.AddSum(i, j.Num, access.Index{Kind: access.Constant, Loop: -1, Den: 1, Offset: j.Offset}) // else zero: no sum any more
		i.Sum, i.Offset = sum.Sum, sum.Offset
		return i
	case i.Kind != access.Affine:
		i.Sum, i.Offset = [3]access.Term{}, 0
		return i
	case i.Den == 1:
		i.Num, i.Offset, i.Den = j.Num*i.Num, j.Num*i.Offset+j.Offset, j.Den
	case j.Num == 1:
		i.Offset, i.Den = i.Offset+j.Offset*i.Den, i.Den*j.Den
	default:
		return unknownAt(loops, j, at)
	}
	if max(i.Num, -i.Num, i.Offset, -i.Offset, i.Den) > maxCoefficient {
		return unknownAt(loops, j, at)
	}
	return i
}

// unknownAt is what is left of an index of which no form is known: the loops that it hangs on.
func unknownAt(loops []halideir.Loop, j *access.Index, at []access.Index) access.Index {
	unknown := access.Index{Kind: access.Unknown, Loop: -1, DataDependent: j.DataDependent, FromData: j.FromData, Clamped: j.Clamped, Likely: j.Likely, Estimated: j.Estimated}
	for l := range loops {
		if j.DependsOn(l) {
			unknown.Loops |= at[loops[l].Arg].Loops
		}
	}
	return unknown
}

// maxCoefficient keeps products of two coefficients inside int64.
const maxCoefficient = 1 << 30

// fresh reports whether the same element was not loaded before. A load with an unknown
// index is no other's equal: two places that are unknown are not one place.
func (e *expander) fresh(l *access.Load, idx []access.Index, instance int) bool {
	var h uint64
	mix := func(v int64) { h = keymap.Mix(h, uint64(v)) }
	mix(int64(l.Func))
	mix(int64(l.Input))
	mix(int64(l.Out))
	unknown := false
	for i := range idx {
		x := &idx[i]
		mix(int64(x.Kind))
		mix(int64(x.Loop))
		mix(x.Num)
		mix(x.Den)
		mix(x.Offset)
		h = keymap.Mix(h, x.Beyond)
		if x.Clamped {
			mix(1)
		}
		unknown = unknown || x.Kind == access.Unknown
	}
	if unknown {
		mix(int64(l.Node))
		mix(int64(instance))
	}
	return e.seen.Add(h)
}

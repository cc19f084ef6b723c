package plan

import (
	"slices"
	"sync"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/cells"
	"gowarp/internal/workers"
)

// Cells are what the points of some stages compute where a thread's first one is at a multiple of a modulus along each loop, so that the compiler knows the remainder of each: of those that alternate
// (x % 2, x / 2) each is of one kind, at one place.
type Cells struct {
	made   []CellsOf        // what they were made of
	later  func()           // works out the rest, once, if it is wanted: of a problem with more Funcs staged it often is not; nil where that was done at once
	access *access.Analysis // of a pipeline with Funcs behind the problem's, for points of known remainders
	of     []int            // by Func: that of the pipeline that it is
	stages map[int]*stageCells
}

// Of are the cells that those of a Func were made of.
func (c *Cells) Of(fn int) []CellsOf {
	return slices.DeleteFunc(slices.Clone(c.made), func(m CellsOf) bool { return m.Func != fn })
}

// stageCells are a stage's, for each modulus that points of a thread may be whole cells of.
type stageCells struct {
	moduli, from, beside []int64 // by loop; see CellsOf
	held                 []bool  // likewise
	member               bool
	of                   []*Cell
}

// Cell is a stage's points by their remainders by moduli, which are by loop.
type Cell struct {
	Moduli []int64
	Kinds  []*Kind
	from   []int64 // where the first point is, by loop, beside a multiple
	all    *Expand
}

// Kind is what the points of one remainder compute: a Func behind the problem's, and its stage with inlined Funcs in place.
type Kind struct {
	Func   int
	Expand *Expand
}

// mostKinds is of how many points a cell is at most.
const mostKinds = 16

// CellOf is the cell of which a thread that runs a nest has whole ones, nil where there is none.
func (pr *Problem) CellOf(n *Nest) *Cell {
	sc := pr.stageCells(n.Func, n.Stage)
	if sc == nil || sc.member && (len(n.Threads) > 0 || len(n.Blocks) > 0) {
		return nil
	}
	whole := func(loop int) int64 {
		if sc.held[loop] {
			return sc.whole(n, loop)
		}
		for _, u := range n.Unrolled {
			if u.Loop == loop && u.Apart == 0 && (u.Tile > 0 || sc.member) {
				return halideir.GCD(sc.moduli[loop], u.Extent-sc.beside[loop])
			}
		}
		return 1
	}
	return sc.cell(whole)
}

// whole is how many points a thread has along a loop that it is to have whole, if it does; else 1.
func (sc *stageCells) whole(n *Nest, loop int) int64 {
	for _, uses := range [][]Use{n.Unrolled, n.Serial} {
		for _, u := range uses {
			if u.Loop == loop && u.Extent == sc.moduli[loop] && (u.Unroll || u.Apart == 0 && u.Steps == 0) {
				return u.Extent
			}
		}
	}
	return 1
}

// HeldArg reports whether a thread that has all points of a Func along an argument, a short one, knows where each is; see CellsOf.
func (pr *Problem) HeldArg(fn, arg int) bool {
	of := pr.Cells.madeOf(fn)
	return of != nil && arg >= 0 && of.Held != nil && of.Held[arg]
}

// madeOf is what a Func's cells are made of; nil where it has none.
func (c *Cells) madeOf(fn int) *CellsOf {
	if c == nil {
		return nil
	}
	for i := range c.made {
		if c.made[i].Func == fn {
			return &c.made[i]
		}
	}
	return nil
}

// CellInLane is the cell of a Func of which a lane has whole ones that has so many neighbours along each of its arguments, the first at a multiple of that many; nil where there is none.
func (pr *Problem) CellInLane(fn int, neighbours func(arg int) int64) *Cell {
	sc := pr.stageCells(fn, 0)
	if sc == nil {
		return nil
	}
	loops := pr.P.Funcs[fn].Stages[0].Loops
	return sc.cell(func(loop int) int64 {
		if loops[loop].Arg < 0 || sc.held[loop] {
			return 1
		}
		return halideir.GCD(sc.moduli[loop], neighbours(loops[loop].Arg))
	})
}

// stageCells are those of a stage, nil where it has none.
func (pr *Problem) stageCells(fn, stage int) *stageCells {
	if pr.Cells.madeOf(fn) == nil {
		return nil
	}
	if pr.Cells.later != nil {
		pr.Cells.later()
	}
	return pr.Cells.stages[pr.StageIndex(fn, stage)]
}

// cell is the one whose moduli are those.
func (sc *stageCells) cell(moduli func(loop int) int64) *Cell {
	for _, c := range sc.of {
		is := true
		for l, m := range c.Moduli {
			is = is && m == moduli(l)
		}
		if is {
			return c
		}
	}
	return nil
}

// StageOf is the analysis of a stage of the pipeline, or of what points of a cell compute.
func (pr *Problem) StageOf(fn, stage int) *access.Stage {
	if fn >= len(pr.P.Funcs) {
		return pr.Cells.access.Stage(fn, stage)
	}
	return pr.Access.Stage(fn, stage)
}

// FuncOf is the Func of the pipeline that one is, which may be what points of a cell compute of it.
func (pr *Problem) FuncOf(fn int) int {
	if fn >= len(pr.P.Funcs) {
		return pr.Cells.of[fn]
	}
	return fn
}

// KindOf is which kind a point is of that is so far from the first of its thread, by loop.
func (c *Cell) KindOf(at func(loop int) int64) int {
	kind := int64(0)
	for l, m := range c.Moduli {
		if m > 1 {
			kind = kind*m + halideir.ModEuclid(at(l)+c.from[l], m)
		}
	}
	return int(kind)
}

// Divides reports whether den divides num times where a thread's first point is along a loop.
func (c *Cell) Divides(loop int, num, den int64) bool {
	return num*c.Moduli[loop]%den == 0 && num*c.from[loop]%den == 0
}

// CellsOf says of a Func how its points lie in cells, by argument.
type CellsOf struct {
	Func   int     `json:"func"`
	Moduli []int64 `json:"moduli"` // 1 for none
	// Member says that it is computed in the thread that computes the points of another: from how many points before or behind the first of those on, and at how many more of them.
	Member bool    `json:"member,omitempty"`
	From   []int64 `json:"from,omitempty"` // nil: at the same points
	Beside []int64 `json:"beside,omitempty"`
	// Held says along which arguments a thread has all points there are, the modulus of them, and From then where the first is.
	Held []bool `json:"held,omitempty"`
}

// CellsIn is how the Funcs of a kernel lie in cells.
func (pr *Problem) CellsIn(k *Kernel) []CellsOf {
	return pr.cellsOf(func(fn int) bool {
		return fn == k.Out.Func || slices.ContainsFunc(k.Members, func(m Member) bool { return m.Func == fn })
	})
}

// cellsOf is how those Funcs lie in cells that are some.
func (pr *Problem) cellsOf(some func(fn int) bool) (of []CellsOf) {
	if pr.Cells == nil {
		return nil
	}
	for _, o := range pr.Cells.made {
		if some(o.Func) {
			of = append(of, o)
		}
	}
	return of
}

// SetCells has the threads of some Funcs begin at whole cells. Those that were before, of a problem with the same Funcs inlined, are not worked out again if they are some of them; nil where there were none.
func (pr *Problem) SetCells(of []CellsOf, before *Cells) {
	pr.Cells = nil
	switch {
	case len(of) == 0:
	case before.has(of):
		if before.later != nil {
			before.later()
		}
		c := *before
		c.made, c.stages = of, map[int]*stageCells{}
		for _, o := range of {
			for st := range pr.P.Funcs[o.Func].Stages {
				at := pr.StageIndex(o.Func, st)
				c.stages[at] = before.stages[at]
			}
		}
		pr.Cells = &c
	default:
		c := &Cells{made: of}
		if c.workOut(pr); c.stages != nil {
			pr.Cells = c
		}
	}
}

// has reports whether cells were made of all of these.
func (c *Cells) has(all []CellsOf) bool {
	return c != nil && !slices.ContainsFunc(all, func(o CellsOf) bool {
		return !slices.ContainsFunc(c.made, func(m CellsOf) bool {
			return m.Func == o.Func && m.Member == o.Member && slices.Equal(m.Moduli, o.Moduli) && slices.Equal(m.From, o.From) && slices.Equal(m.Beside, o.Beside) && slices.Equal(m.Held, o.Held)
		})
	})
}

// SetCellsLater is SetCells for a problem that does not change before somebody asks for one: they are worked out then.
func (pr *Problem) SetCellsLater(of []CellsOf) {
	pr.Cells = nil
	if len(of) > 0 {
		c := &Cells{made: of}
		c.later = sync.OnceFunc(func() { c.workOut(pr) })
		pr.Cells = c
	}
}

// workOut finds what the points of each kind compute. There are no stages where that takes too many Funcs.
func (c *Cells) workOut(pr *Problem) {
	d := cells.New(pr.P, pr.Inlined)
	stages := map[int]*stageCells{}
	for _, o := range c.made {
		for st := range pr.P.Funcs[o.Func].Stages {
			sc := &stageCells{member: o.Member}
			for _, l := range pr.P.Funcs[o.Func].Stages[st].Loops {
				m, from, beside, held := int64(1), int64(0), int64(0), false
				if l.Arg >= 0 {
					m, held = o.Moduli[l.Arg], o.Held != nil && o.Held[l.Arg]
					if o.From != nil {
						from, beside = o.From[l.Arg], o.Beside[l.Arg]
					}
				}
				sc.held = append(sc.held, held)
				sc.moduli, sc.from, sc.beside = append(sc.moduli, m), append(sc.from, from), append(sc.beside, beside)
			}
			stages[pr.StageIndex(o.Func, st)] = sc
			for _, moduli := range divisors(sc.moduli, sc.held) {
				if cell := newCell(d, &pr.P.Funcs[o.Func], st, moduli, sc); cell != nil {
					sc.of = append(sc.of, cell)
				}
			}
		}
	}
	if d.Full() {
		return
	}
	c.access, c.of, c.stages = pr.Access.Extend(d.P), d.Of, stages
	inlined, folded := d.Inlined(), make([]bool, len(d.Of))
	for id, is := range d.Of {
		folded[id] = pr.Folded[is]
	}
	var all []func()
	for at, sc := range c.stages {
		for _, cell := range sc.of {
			for _, k := range cell.Kinds {
				all = append(all, func() { k.Expand = ExpandStage(d.P, c.access, inlined, folded, k.Func, at-pr.first[d.Of[k.Func]]) })
			}
		}
	}
	workers.Each(len(all), func(i int) { all[i]() })
	for at, sc := range c.stages {
		plain := pr.Expand[at]
		sc.of = slices.DeleteFunc(sc.of, func(cell *Cell) bool {
			if plain.Saturated || slices.ContainsFunc(cell.Kinds, func(k *Kind) bool { return k.Expand.Saturated }) {
				return true
			}
			cell.all = cell.together(plain)
			return false
		})
	}
}

// newCell has a Func for each kind of points; nil where they are too many.
func newCell(d *cells.Definitions, f *halideir.Func, stage int, moduli []int64, sc *stageCells) *Cell {
	c := &Cell{Moduli: moduli, from: slices.Clone(sc.from)}
	for l, held := range sc.held {
		if held {
			c.from[l] = 0
		}
	}
	kinds := int64(1)
	for _, m := range moduli {
		if kinds *= m; kinds > mostKinds {
			return nil
		}
	}
	for kind := range kinds {
		known := slices.Repeat([]cells.Known{{Modulus: 1}}, len(f.Args))
		for l := len(moduli) - 1; l >= 0; l-- {
			if m := moduli[l]; m > 1 {
				is := cells.Known{Modulus: m, Remainder: kind % m}
				if sc.held[l] {
					is = cells.Known{Remainder: sc.from[l] + kind%m}
				}
				known[f.Stages[stage].Loops[l].Arg] = is
				kind /= m
			}
		}
		c.Kinds = append(c.Kinds, &Kind{Func: d.Func(f.ID, known)})
	}
	return c
}

// together is what a stage with all kinds of points loads, and does at one on average; its inlined Funcs are those that stand in the source.
func (c *Cell) together(plain *Expand) *Expand {
	x := &Expand{Instances: plain.Instances, Own: plain.Own, Calls: plain.Calls, Tree: plain.Tree, Inlined: plain.Inlined, Folded: plain.Folded, Unrolled: plain.Unrolled, Likely: plain.Likely, IntDivisions: plain.IntDivisions}
	for i, k := range c.Kinds {
		x.Ops += k.Expand.Ops
		x.Places += k.Expand.Places
		for _, t := range k.Expand.Loads {
			t.In += i << 16 // what is at no known place is no other kind's
			if !slices.ContainsFunc(x.Loads, func(o Tap) bool {
				return o.Func == t.Func && o.Input == t.Input && o.Out == t.Out && slices.Equal(o.Index, t.Index) && !slices.ContainsFunc(t.Index, func(x access.Index) bool { return x.Anywhere() })
			}) {
				x.Loads = append(x.Loads, t)
			}
		}
	}
	x.Ops /= len(c.Kinds)
	x.Places /= len(c.Kinds)
	x.Sources = sources(x.Loads)
	x.Buffers = len(x.Sources)
	x.Reads = funcsOf(x.Sources)
	return x
}

// divisors are all lists of divisors of some numbers, but for that of ones; of those that are whole 1 and themselves.
func divisors(of []int64, whole []bool) [][]int64 {
	out := [][]int64{nil}
	for i, n := range of {
		var longer [][]int64
		for _, o := range out {
			for m := int64(1); m <= n; m++ {
				if n%m == 0 && (!whole[i] || m == 1 || m == n) {
					longer = append(longer, append(slices.Clip(slices.Clone(o)), m))
				}
			}
		}
		out = longer
	}
	return slices.DeleteFunc(out, func(o []int64) bool { return !slices.ContainsFunc(o, func(m int64) bool { return m > 1 }) })
}

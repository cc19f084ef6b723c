package rfactor

import (
	"fmt"
	"slices"

	"gowarp/halideir"
)

// Kept is a reduction variable over which there are partial results: whole, or split by Factor, with a partial result for each
// iteration of the inner loop. Neighbouring iterations of that are neighbours in the domain, and there are as many of
// them whatever the sizes.
type Kept struct {
	RVar   int
	Factor int64 // 0: whole
}

// Step is one reduction factored.
type Step struct {
	Func, Stage int
	Kept        []Kept // in the order of the stage's loops
	// Lane is the one of Kept along which neighbouring threads should go; -1 if it is all the same.
	Lane int
}

// Made is how many Funcs a step makes, in front of the one that it factors: the partial results as they grow, and
// their copy, by which each thread can hold its own in a register until it is done.
const Made = 2

// Apply is the pipeline with a reduction factored. Two Funcs come before Func s.Func, and ids from there on are higher by Made: the
// partial results, with an argument more for each of Kept, and their copy (Func::in), over which the Func reduces from then on.
// p is not changed.
func Apply(p *halideir.Pipeline, s Step) (*halideir.Pipeline, error) {
	if s.Func < 0 || s.Func >= len(p.Funcs) || s.Stage < 1 || s.Stage >= len(p.Funcs[s.Func].Stages) {
		return nil, fmt.Errorf("rfactor: there is no Func %d with an update %d", s.Func, s.Stage-1)
	}
	f := &p.Funcs[s.Func]
	r, ok := Of(p, s.Func, s.Stage)
	if !ok {
		return nil, fmt.Errorf("rfactor: %s.update(%d) is no reduction that can be factored", f.Label, s.Stage-1)
	}
	if err := s.check(&f.Stages[s.Stage], f.Label); err != nil {
		return nil, err
	}
	w := newWriter(p, s, r)
	w.partial()
	w.copied()
	w.reduce()
	w.edges()
	return w.p, nil
}

func (s *Step) check(st *halideir.Stage, label string) error {
	last := -1
	for _, k := range s.Kept {
		at := slices.IndexFunc(st.Loops, func(l halideir.Loop) bool { return l.RVar == k.RVar && l.RVar >= 0 })
		if at <= last || k.Factor < 0 || k.Factor > 1<<30 {
			return fmt.Errorf("rfactor: %s: the reduction variables are unknown, out of order, or split by less than 1", label)
		}
		last = at
	}
	if last < 0 {
		return fmt.Errorf("rfactor: %s: no reduction variable is kept", label)
	}
	return nil
}

// writer makes the new pipeline.
type writer struct {
	p    *halideir.Pipeline // the new one
	s    Step
	r    Reduction
	old  halideir.Stage // the update as it was, with ids of the new pipeline
	fn   int            // the Func's id in the new pipeline
	pure []string       // names of the new arguments, parallel to Kept
	loop []halideir.Loop
	at   []boxLoop // by loop of the update as it was: what it became in the partial results
}

// boxLoop is what a loop became in the partial results: a loop over the argument arg, or if that is -1 over the variable rvar; both where it is
// split by factor, rvar over the outer part.
type boxLoop struct {
	arg, rvar int
	factor    int64
}

func newWriter(p *halideir.Pipeline, s Step, r Reduction) *writer {
	c := *p
	moved := func(fn int) int {
		if fn >= s.Func {
			return fn + Made
		}
		return fn
	}
	c.Nodes = slices.Clone(p.Nodes)
	for i := range c.Nodes {
		switch n := &c.Nodes[i]; {
		case n.ReadsFunc():
			n.Func = moved(n.Func)
		case n.Op == halideir.OpVar && n.Kind == halideir.VarOutput:
			n.Of = moved(n.Of)
		}
	}
	c.Outputs = slices.Clone(p.Outputs)
	for i := range c.Outputs {
		c.Outputs[i] = moved(c.Outputs[i])
	}
	c.Funcs = slices.Insert(slices.Clone(p.Funcs), s.Func, make([]halideir.Func, Made)...)
	for i := range c.Funcs {
		f := &c.Funcs[i]
		f.ID = i
		f.Wrappers = slices.Clone(f.Wrappers)
		for j := range f.Wrappers {
			f.Wrappers[j] = halideir.Wrapper{In: moved(f.Wrappers[j].In), Wrapper: moved(f.Wrappers[j].Wrapper)}
		}
		if f.Extern != nil {
			e := *f.Extern
			e.Args = slices.Clone(e.Args)
			for j := range e.Args {
				e.Args[j].Func = moved(e.Args[j].Func)
			}
			f.Extern = &e
		}
	}
	c.Edges = slices.Clone(p.Edges)
	for i := range c.Edges {
		c.Edges[i].Consumer, c.Edges[i].Func = moved(c.Edges[i].Consumer), moved(c.Edges[i].Func)
	}
	w := &writer{p: &c, s: s, r: r, fn: s.Func + Made}
	f := &c.Funcs[w.fn]
	f.Stages = slices.Clone(f.Stages)
	w.old = f.Stages[s.Stage]
	taken := map[string]bool{}
	for _, st := range f.Stages {
		for _, l := range st.Loops {
			taken[l.Label] = true
		}
	}
	for i := range s.Kept {
		w.pure = append(w.pure, halideir.UniqueLabel([]string{"u", "v", "w"}[min(i, 2)], taken))
	}
	return w
}

// label is a label of a Func that no other has.
func (w *writer) label(name string) string {
	taken := map[string]bool{}
	for i := range w.p.Inputs {
		taken[w.p.Inputs[i].Label] = true
	}
	for i := range w.p.Funcs {
		taken[w.p.Funcs[i].Label] = true
	}
	return halideir.UniqueLabel(name, taken)
}

// partial makes the partial results: the operators' identities, and the update with a part of its domain.
func (w *writer) partial() {
	f := w.p.Funcs[w.fn]
	n := len(f.Args)
	g := halideir.Func{
		ID: w.s.Func, Name: f.Name + "_intm", Label: w.label(f.Label + "_intm"), Types: f.Types,
		Args: append(slices.Clone(f.Args), w.pure...), Memory: "auto", PipelineIndex: -1, FoundIndex: -1, Partial: true, Lane: -1,
	}
	if w.s.Lane >= 0 {
		g.Lane = n + w.s.Lane
	}
	w.p.Funcs[g.ID] = g
	loops := w.argLoops(&g, &f)
	init := halideir.Stage{Predicate: halideir.NoNode, Loops: loops}
	update := halideir.Stage{Predicate: halideir.NoNode, Associative: w.r.ArgExtreme == nil, Commutative: w.r.ArgExtreme == nil}
	for k := range g.Args {
		init.Args = append(init.Args, w.dim(&g, k))
	}
	if a := w.r.ArgExtreme; a != nil {
		init.Values = w.none(a, f.Types)
	} else {
		for out := range f.Types {
			init.Values = append(init.Values, w.identity(out))
		}
	}
	also := func(test halideir.NodeID) {
		if update.Predicate != halideir.NoNode {
			test = w.logical(halideir.OpAnd, update.Predicate, test)
		}
		update.Predicate = test
	}
	var tails []halideir.NodeID
	value := make([]halideir.NodeID, len(w.old.RVars)) // of each variable of the whole domain
	taken := map[string]bool{}
	for _, l := range append(slices.Clone(loops), w.old.Loops...) {
		taken[l.Label] = true
	}
	for _, l := range w.old.Loops {
		if l.RVar < 0 {
			w.at = append(w.at, boxLoop{arg: l.Arg, rvar: -1})
			continue
		}
		rv := w.old.RVars[l.RVar]
		rv.Min, rv.Extent = w.copy(rv.Min, nil), w.copy(rv.Extent, nil)
		i := slices.IndexFunc(w.s.Kept, func(k Kept) bool { return k.RVar == l.RVar })
		at := boxLoop{arg: -1, rvar: -1}
		if i >= 0 {
			at.arg, at.factor = n+i, w.s.Kept[i].Factor
			value[l.RVar] = w.dim(&g, n+i)
		}
		if i < 0 || at.factor > 0 {
			at.rvar = len(update.RVars)
		}
		switch {
		case i < 0:
			value[l.RVar] = w.rvar(rv.Name, at.rvar)
		case at.factor > 0:
			name := halideir.UniqueLabel(w.pure[i]+"_s", taken)
			inside := w.binary(halideir.OpAdd, w.binary(halideir.OpMul, w.rvar(name, at.rvar), w.int(at.factor)), value[l.RVar])
			if e := &w.p.Nodes[rv.Extent]; e.Op != halideir.OpInt || e.Int%at.factor != 0 {
				tails = append(tails, w.logical(halideir.OpLT, inside, rv.Extent))
			}
			value[l.RVar] = inside
			if m := &w.p.Nodes[rv.Min]; m.Op != halideir.OpInt || m.Int != 0 {
				value[l.RVar] = w.binary(halideir.OpAdd, inside, rv.Min)
			}
			steps := w.binary(halideir.OpDiv, w.binary(halideir.OpAdd, rv.Extent, w.int(at.factor-1)), w.int(at.factor))
			rv = halideir.RVar{Name: name, Min: w.int(0), Extent: steps}
			l.Name, l.Label = name, name
		}
		if at.rvar >= 0 {
			l.RVar = at.rvar
			update.Loops, update.RVars = append(update.Loops, l), append(update.RVars, rv)
		}
		w.at = append(w.at, at)
	}
	replace := func(n *halideir.Node) (halideir.NodeID, bool) {
		switch {
		case n.Op == halideir.OpVar && n.Kind == halideir.VarRVar:
			return value[n.Index], true
		case n.Op == halideir.OpVar && n.Kind == halideir.VarDim:
			return w.dim(&g, n.Index), true
		}
		return 0, false
	}
	simple, _ := conditions(w.p, &w.old)
	for _, c := range simple {
		also(w.copy(c, replace))
	}
	for _, test := range tails {
		also(test)
	}
	for k, a := range w.old.Args {
		if OwnPlace(w.p, a, k) {
			update.Args = append(update.Args, w.dim(&g, k))
		} else {
			update.Args = append(update.Args, w.copy(a, replace))
		}
	}
	for k := n; k < len(g.Args); k++ {
		update.Args = append(update.Args, w.dim(&g, k))
	}
	for _, l := range loops { // behind those over the domain: Halide's order of an update without a schedule
		if OwnPlace(w.p, update.Args[l.Arg], l.Arg) {
			update.Loops = append(update.Loops, l)
		}
	}
	values := w.old.Values
	if w.old.Restated != nil && !AsWritten(w.p, &w.old) {
		values = w.old.Restated
	}
	own := func(n *halideir.Node) (halideir.NodeID, bool) {
		if n.ReadsFunc() && n.Func == w.fn {
			return w.call(&w.p.Funcs[g.ID], n.Out, update.Args), true
		}
		return replace(n)
	}
	for _, v := range values {
		update.Values = append(update.Values, w.copy(v, own))
	}
	w.p.Funcs[g.ID].Stages = []halideir.Stage{init, update}
	w.loop = update.Loops
}

// copied makes the copy of the partial results.
func (w *writer) copied() {
	g := w.p.Funcs[w.s.Func]
	c := g
	c.ID, c.Name, c.Label = g.ID+1, g.Name+"_global_wrapper", w.label(w.p.Funcs[w.fn].Label+"_parts")
	st := halideir.Stage{Predicate: halideir.NoNode, Loops: g.Stages[0].Loops}
	for k := range c.Args {
		st.Args = append(st.Args, w.dim(&c, k))
	}
	for out := range g.Types {
		st.Values = append(st.Values, w.call(&g, out, st.Args))
	}
	c.Stages = []halideir.Stage{st}
	w.p.Funcs[c.ID] = c
}

// reduce makes the update one over the partial results.
func (w *writer) reduce() {
	f := &w.p.Funcs[w.fn]
	st := &f.Stages[w.s.Stage]
	taken := map[string]bool{}
	for _, l := range w.old.Loops {
		taken[l.Label] = true
	}
	*st = halideir.Stage{Predicate: halideir.NoNode, Associative: w.r.ArgExtreme == nil, Commutative: w.r.ArgExtreme == nil}
	for k := range f.Args {
		st.Args = append(st.Args, w.dim(f, k))
	}
	read := slices.Clone(st.Args)
	for _, l := range w.old.Loops {
		if l.RVar < 0 {
			continue
		}
		i := slices.IndexFunc(w.s.Kept, func(k Kept) bool { return k.RVar == l.RVar })
		if i < 0 {
			continue
		}
		rv := w.old.RVars[l.RVar]
		if factor := w.s.Kept[i].Factor; factor > 0 {
			l.Name = halideir.UniqueLabel(w.pure[i]+"_r", taken)
			l.Label = l.Name
			rv = halideir.RVar{Name: l.Name, Min: w.int(0), Extent: w.int(factor)}
		} else {
			rv.Min, rv.Extent = w.copy(rv.Min, nil), w.copy(rv.Extent, nil)
		}
		l.RVar, l.Kind = len(st.RVars), halideir.LoopImpureRVar // whatever it was in a scatter: all go to the same place now
		st.Loops, st.RVars = append(st.Loops, l), append(st.RVars, rv)
		read = append(read, w.rvar(rv.Name, l.RVar))
	}
	st.Loops = append(st.Loops, w.argLoops(f, f)...)
	var self, other []halideir.NodeID
	for out := range f.Types {
		self, other = append(self, w.call(f, out, st.Args)), append(other, w.call(&w.p.Funcs[w.s.Func+1], out, read))
	}
	if w.r.ArgExtreme != nil {
		a := *w.r.ArgExtreme
		a.Ties = true
		st.ArgExtreme, st.Values = &a, w.choose(&a, self, other)
		return
	}
	for out := range f.Types {
		st.Values = append(st.Values, w.operate(out, self[out], other[out]))
	}
}

// edges moves what the update needs to the partial results, and adds what the new stages need.
func (w *writer) edges() {
	g, c := w.s.Func, w.s.Func+1
	var kept, moved []halideir.Edge
	var self []halideir.Range
	f := &w.p.Funcs[w.fn]
	for _, e := range w.p.Edges {
		switch {
		case e.Consumer != w.fn || e.Stage != w.s.Stage:
			kept = append(kept, e)
		case e.Func != w.fn:
			e.Consumer, e.Stage = g, 1
			e.Box = w.bounds(e.Box)
			moved = append(moved, e)
		default:
			self = w.bounds(e.Box)
		}
	}
	own := w.own(w.loop, len(f.Args)+len(w.pure))
	for k := range self { // the places of a scatter are the user's
		if own[k] == (halideir.Range{}) {
			own[k] = self[k]
		}
	}
	st := &f.Stages[w.s.Stage]
	moved = append(moved,
		halideir.Edge{Consumer: g, Stage: 1, Func: g, Input: -1, Box: own},
		halideir.Edge{Consumer: c, Func: g, Input: -1, Box: w.own(w.p.Funcs[c].Stages[0].Loops, len(f.Args)+len(w.pure))},
		halideir.Edge{Consumer: w.fn, Stage: w.s.Stage, Func: w.fn, Input: -1, Box: w.own(st.Loops, len(f.Args))})
	box := w.own(st.Loops, len(f.Args))
	for l := range st.Loops {
		if st.Loops[l].RVar >= 0 {
			box = append(box, w.both(l))
		}
	}
	moved = append(moved, halideir.Edge{Consumer: w.fn, Stage: w.s.Stage, Func: c, Input: -1, Box: box})
	w.p.Edges = append(kept, moved...)
	slices.SortStableFunc(w.p.Edges, func(a, b halideir.Edge) int {
		if a.Consumer != b.Consumer {
			return a.Consumer - b.Consumer
		}
		return a.Stage - b.Stage
	})
}

// own is the box of a point of the loops over arguments.
func (w *writer) own(loops []halideir.Loop, args int) []halideir.Range {
	box := make([]halideir.Range, args)
	for l := range loops {
		if a := loops[l].Arg; a >= 0 {
			box[a] = w.both(l)
		}
	}
	return box
}

// bounds is a box of the update as one of the partial results.
func (w *writer) bounds(box []halideir.Range) []halideir.Range {
	out := make([]halideir.Range, len(box))
	for k, r := range box {
		out[k] = halideir.Range{Lo: w.bound(r.Lo), Hi: w.bound(r.Hi)}
	}
	return out
}

func (w *writer) both(l int) halideir.Range {
	return halideir.Range{Lo: w.end(halideir.VarLo, l), Hi: w.end(halideir.VarHi, l)}
}

// bound is an end of a box of the update as one of the partial results.
func (w *writer) bound(id halideir.NodeID) halideir.NodeID {
	if id == halideir.NoNode {
		return id
	}
	return w.copy(id, func(n *halideir.Node) (halideir.NodeID, bool) {
		if n.Op != halideir.OpVar || n.Kind != halideir.VarLo && n.Kind != halideir.VarHi {
			return 0, false
		}
		at := w.at[n.Index]
		loopOf := func(is func(halideir.Loop) bool) halideir.NodeID { return w.end(n.Kind, slices.IndexFunc(w.loop, is)) }
		overArg, overRVar := func(l halideir.Loop) bool { return l.Arg == at.arg && at.arg >= 0 }, func(l halideir.Loop) bool { return l.RVar == at.rvar && at.rvar >= 0 }
		switch {
		case at.rvar < 0:
			return loopOf(overArg), true
		case at.arg < 0:
			return loopOf(overRVar), true
		}
		rv := &w.old.RVars[w.old.Loops[n.Index].RVar]
		from := w.copy(rv.Min, nil)
		x := w.binary(halideir.OpAdd, w.binary(halideir.OpAdd, w.binary(halideir.OpMul, loopOf(overRVar), w.int(at.factor)), loopOf(overArg)), from)
		if n.Kind == halideir.VarLo {
			return x, true
		}
		last := w.binary(halideir.OpSub, w.binary(halideir.OpAdd, from, w.copy(rv.Extent, nil)), w.int(1))
		return w.binary(halideir.OpMin, x, last), true
	})
}

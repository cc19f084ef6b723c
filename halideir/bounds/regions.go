package bounds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"gowarp/halideir"
)

// Regions holds the region of every Func and input that the estimated outputs
// require.
type Regions struct {
	Funcs  []Box
	Inputs []Box
	// Endless says of a Func that it is read at indices without an end, such as what was loaded from
	// a flow field: no memory holds all of that, and it can only be computed where it is read. Its
	// own definition may clamp, as a boundary condition does.
	Endless []bool

	edges  [][][]*halideir.Edge // by consumer Func and stage
	resize sync.Once            // of others
	others []resized            // the pipeline at the sizes that Absorbs looks at besides

	atEstimates, atAllSizes answers // of Absorbs
	constants               constants
}

// everything is the range of Halide's indices.
var everything = Interval{math.MinInt32, math.MaxInt32}

// maxExtent is the largest extent of one dimension that is taken for real;
// Halide's own indices are 32-bit.
const maxExtent = 1 << 31

// Analyze walks the pipeline from the outputs' estimates to the inputs. A region
// that Halide cannot bound is an error that names the Func and the dimension.
func Analyze(p *halideir.Pipeline) (*Regions, error) { return analyzeMore(p, nil) }

// analyzeMore is Analyze where so many more points of some Funcs are computed at both ends of each dimension.
func analyzeMore(p *halideir.Pipeline, more map[int][]int64) (*Regions, error) {
	r := &Regions{atEstimates: make(answers, len(p.Funcs)), atAllSizes: make(answers, len(p.Funcs)), Funcs: make([]Box, len(p.Funcs)), Inputs: make([]Box, len(p.Inputs)), Endless: make([]bool, len(p.Funcs)), edges: edgesByConsumer(p)}
	for i := range p.Funcs {
		r.Funcs[i] = emptyBox(len(p.Funcs[i].Args))
	}
	for i := range p.Inputs {
		r.Inputs[i] = emptyBox(len(p.Inputs[i].Dims))
	}
	for _, id := range p.Outputs {
		if err := addEstimates(p, &p.Funcs[id], r.Funcs[id]); err != nil {
			return nil, err
		}
	}
	for id := len(p.Funcs) - 1; id >= 0; id-- {
		f := &p.Funcs[id]
		if err := r.applyBounds(p, f, r.Funcs[id]); err != nil {
			return nil, err
		}
		for k, n := range more[id] {
			f := r.Funcs[id]
			f[k].Lo, f[k].Hi = f[k].Lo-n, f[k].Hi+n
		}
		if f.Extern != nil {
			if err := externProducers(p, f, r); err != nil {
				return nil, err
			}
			continue
		}
		// Later stages first: an update may enlarge its own Func's region,
		// which the earlier stages must then fill.
		for s := len(f.Stages) - 1; s >= 0; s-- {
			for _, e := range r.edges[id][s] {
				if err := r.require(p, e); err != nil {
					return nil, err
				}
			}
		}
	}
	return r, nil
}

// canInline reports whether Halide can compute a Func where it is read.
func canInline(p *halideir.Pipeline, f *halideir.Func) bool {
	if f.Output || f.Extern != nil || len(f.Stages) != 1 || len(f.Bounds) > 0 {
		return false
	}
	for i := range p.Funcs {
		if x := p.Funcs[i].Extern; x != nil && slices.ContainsFunc(x.Args, func(a halideir.ExternArg) bool { return a.Func == f.ID }) {
			return false
		}
	}
	return true
}

func emptyBox(n int) Box {
	b := make(Box, n)
	for i := range b {
		b[i] = Empty
	}
	return b
}

// Edges are what a stage of a Func needs of others.
func (r *Regions) Edges(fn, stage int) []*halideir.Edge { return r.edges[fn][stage] }

// edgesByConsumer sorts the pipeline's edges by consumer Func and stage.
func edgesByConsumer(p *halideir.Pipeline) [][][]*halideir.Edge {
	edges := make([][][]*halideir.Edge, len(p.Funcs))
	for i := range p.Funcs {
		edges[i] = make([][]*halideir.Edge, max(1, len(p.Funcs[i].Stages)))
	}
	for i := range p.Edges {
		e := &p.Edges[i]
		edges[e.Consumer][e.Stage] = append(edges[e.Consumer][e.Stage], e)
	}
	return edges
}

func addEstimates(p *halideir.Pipeline, f *halideir.Func, box Box) error {
	for k := range f.Args {
		lo, n, ok := p.Declared(f, k)
		if !ok || n < 1 {
			return fmt.Errorf("bounds: output %s has no estimate of dimension %d", f.Label, k)
		}
		box[k] = box[k].Union(Interval{lo, lo + n - 1})
	}
	return nil
}

// applyBounds lets what the user fixed with Func::bound replace what is required.
func (r *Regions) applyBounds(p *halideir.Pipeline, f *halideir.Func, box Box) error {
	for k, arg := range f.Args {
		for _, b := range f.Bounds {
			if b.Var != arg {
				continue
			}
			n, ok := p.EvalInt(b.Extent, halideir.Env{})
			if !ok {
				continue
			}
			if lo, ok := p.EvalInt(b.Min, halideir.Env{}); ok {
				box[k] = Interval{lo, lo + n - 1}
			} else if !box[k].IsEmpty() {
				box[k].Hi = max(box[k].Hi, box[k].Lo+n-1)
			}
		}
		align(p, f, k, &box[k])
		if box[k].IsEmpty() {
			// Nothing reads it over this dimension: one point keeps the arithmetic sane.
			box[k] = Interval{0, 0}
		}
		if box[k].Extent() > maxExtent && !r.Endless[f.ID] {
			if e, k := r.unboundedRead(p, f.ID); e != nil {
				return r.unbounded(p, e, k)
			}
			return fmt.Errorf("bounds: %s needs %d points of dimension %d at the given estimates, more than Halide can index; check the estimates", f.Label, box[k].Extent(), k)
		}
	}
	return nil
}

// align widens a region to what Func::align_bounds and align_extent ask for, as Halide does: the
// first point goes down to the remainder, the extent up to a multiple of the modulus.
func align(p *halideir.Pipeline, f *halideir.Func, k int, iv *Interval) {
	for _, b := range f.Bounds {
		if b.Var != f.Args[k] || iv.IsEmpty() {
			continue
		}
		m, ok := p.EvalInt(b.Modulus, halideir.Env{})
		if !ok || m < 1 || m > maxExtent {
			continue
		}
		if r, ok := p.EvalInt(b.Remainder, halideir.Env{}); ok {
			iv.Lo -= halideir.ModEuclid(iv.Lo-r, m)
		}
		iv.Hi = iv.Lo + (iv.Extent()+m-1)/m*m - 1
	}
}

// externProducers takes the whole producer for an extern stage: what it reads is
// known only at run time. A producer without any other region gets the extern
// stage's own in the dimensions that it has.
func externProducers(p *halideir.Pipeline, f *halideir.Func, r *Regions) error {
	own := r.Funcs[f.ID]
	for _, a := range f.Extern.Args {
		var box Box
		switch {
		case a.Func >= 0:
			box = r.Funcs[a.Func]
		case a.Input >= 0:
			box = r.Inputs[a.Input]
		}
		for k := range box {
			if k < len(own) {
				box[k] = box[k].Union(own[k])
			} else if box[k].IsEmpty() {
				box[k] = Interval{0, 0}
			}
		}
	}
	return nil
}

// require adds the box that one edge needs for its consumer's whole region.
func (r *Regions) require(p *halideir.Pipeline, e *halideir.Edge) error {
	env, err := r.LoopEnv(p, e.Consumer, e.Stage)
	if err != nil {
		return err
	}
	box, name := r.producer(p, e)
	for k, rg := range e.Box {
		lo, okLo := p.EvalInt(rg.Lo, env)
		hi, okHi := p.EvalInt(rg.Hi, env)
		if !okLo || !okHi {
			// An input brings its own estimate; a Func does not.
			if iv, ok := estimateOf(p, e, k); ok {
				box[k] = box[k].Union(iv)
				continue
			}
			if in := missingEstimate(p, rg.Lo, rg.Hi); in != "" {
				return fmt.Errorf("bounds: what %s reads of %s in dimension %d depends on %s, which has no estimate; add %s.set_estimate(VALUE)",
					p.Funcs[e.Consumer].Label, name, k, in, in)
			}
			open := rg.Lo == halideir.NoNode || rg.Hi == halideir.NoNode
			// From a Func without an end the ends of what it reads are out of reach as well. Where they are no numbers a run finds extents below 0, and ends (beside sqrt(x * x + y * y), whose least Halide takes for less than 0).
			if (open || r.Endless[e.Consumer] || p.NotANumber(rg.Lo, env) || p.NotANumber(rg.Hi, env)) && e.Func >= 0 && canInline(p, &p.Funcs[e.Func]) {
				r.Endless[e.Func], box[k] = true, everything
				continue
			}
			if !open {
				box[k] = box[k].Union(atRunTime(p, rg, env))
				continue
			}
			return r.unbounded(p, e, k)
		}
		if lo <= hi {
			box[k] = box[k].Union(Interval{lo, hi})
		}
		if r.Endless[e.Consumer] && e.Func >= 0 && box[k].Extent() > maxExtent && canInline(p, &p.Funcs[e.Func]) {
			r.Endless[e.Func] = true
		}
	}
	return nil
}

// unbounded says that a read has no end in a dimension.
func (r *Regions) unbounded(p *halideir.Pipeline, e *halideir.Edge, k int) error {
	_, name := r.producer(p, e)
	return fmt.Errorf("bounds: %s reads %s over an unbounded range of dimension %d; clamp the index, or bound the Func with .bound(%s, min, extent)", p.Funcs[e.Consumer].Label, name, k, dimName(p, e, k))
}

// unboundedRead is the read without an end that a Func is read by, with its dimension, where Funcs are between them that are computed where they are read: nobody wrote those that
// gowarp adds (cache_write). It is nil where there is none.
func (r *Regions) unboundedRead(p *halideir.Pipeline, fn int) (*halideir.Edge, int) {
	at := fn
	for i := 0; i >= 0; {
		if i = slices.IndexFunc(p.Edges, func(e halideir.Edge) bool { return e.Func == at && r.Endless[e.Consumer] }); i >= 0 {
			at = p.Edges[i].Consumer
		}
	}
	k := slices.IndexFunc(r.Funcs[at], func(in Interval) bool { return in.Extent() > maxExtent })
	if at == fn || k < 0 {
		return nil, 0
	}
	var read *halideir.Edge
	for i := range p.Edges {
		if e := &p.Edges[i]; e.Func == at && (read == nil || e.Box[k].Lo == halideir.NoNode || e.Box[k].Hi == halideir.NoNode) {
			read = e
		}
	}
	return read, k
}

// atRunTime is what to take for a range that depends on values which only a run knows, as the
// element of a buffer: what its clamps and types leave of it, or one point where one end is open.
// It prices; no storage depends on it.
func atRunTime(p *halideir.Pipeline, rg halideir.Range, env halideir.Env) Interval {
	lo, loMax, okLo, okLoMax := p.EvalRange(rg.Lo, env)
	hiMin, hi, okHiMin, okHi := p.EvalRange(rg.Hi, env)
	switch {
	case rg.Lo == rg.Hi: // one point somewhere
		if okLo {
			return Interval{lo, lo}
		}
		if okHi {
			return Interval{hi, hi}
		}
		return Interval{0, 0}
	case okLo && okHi && lo <= hi && hi-lo < maxExtent:
		return Interval{lo, hi}
	case okLo:
		return Interval{lo, lo}
	case okHi:
		return Interval{hi, hi}
	case okLoMax:
		return Interval{loMax, loMax}
	case okHiMin:
		return Interval{hiMin, hiMin}
	}
	return Interval{0, 0}
}

// missingEstimate is the name of a scalar input without an estimate on which one of the
// expressions depends.
func missingEstimate(p *halideir.Pipeline, ids ...halideir.NodeID) (label string) {
	p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		if label == "" && n.Op == halideir.OpVar && n.Kind == halideir.VarScalar && !p.Known(&p.Inputs[n.Index]) {
			label = p.Inputs[n.Index].Label
		}
	}, ids...)
	return label
}

func (r *Regions) producer(p *halideir.Pipeline, e *halideir.Edge) (Box, string) {
	if e.Func >= 0 {
		return r.Funcs[e.Func], p.Funcs[e.Func].Label
	}
	return r.Inputs[e.Input], p.Inputs[e.Input].Label
}

func dimName(p *halideir.Pipeline, e *halideir.Edge, k int) string {
	if e.Func >= 0 && k < len(p.Funcs[e.Func].Args) {
		return p.Funcs[e.Func].Args[k]
	}
	return fmt.Sprintf("dimension %d", k)
}

// estimateOf is what the pipeline itself says of dimension k of the producer.
func estimateOf(p *halideir.Pipeline, e *halideir.Edge, k int) (Interval, bool) {
	if e.Func >= 0 {
		lo, n, ok := p.Declared(&p.Funcs[e.Func], k)
		return Interval{lo, lo + n - 1}, ok && n > 0
	}
	return estimateOfInput(&p.Inputs[e.Input], k)
}

func estimateOfInput(in *halideir.Input, k int) (Interval, bool) {
	if k >= len(in.Dims) || in.Dims[k].MinEstimate == nil || in.Dims[k].ExtentEstimate == nil {
		return Interval{}, false
	}
	d := &in.Dims[k]
	return Interval{*d.MinEstimate, *d.MinEstimate + *d.ExtentEstimate - 1}, true
}

// Input is where an input begins and ends: by its estimates, else what is needed of it.
func (r *Regions) Input(p *halideir.Pipeline, id int) Box {
	box := slices.Clone(r.Inputs[id])
	for k := range box {
		if iv, ok := estimateOfInput(&p.Inputs[id], k); ok {
			box[k] = iv
		}
	}
	return box
}

// LoopEnv gives the loops of a stage the ranges that they have when the Func's
// whole region is computed.
func (r *Regions) LoopEnv(p *halideir.Pipeline, fn, stage int) (halideir.Env, error) {
	loops, err := r.Loops(p, fn, stage)
	if err != nil {
		return halideir.Env{}, err
	}
	env := halideir.Env{Lo: make([]int64, len(loops)), Hi: make([]int64, len(loops))}
	for i, l := range loops {
		env.Lo[i], env.Hi[i] = l.Lo, l.Hi
	}
	return env, nil
}

// Loops is the range of each loop of a stage, innermost first, when the Func's
// whole region is computed.
func (r *Regions) Loops(p *halideir.Pipeline, fn, stage int) (Box, error) {
	f := &p.Funcs[fn]
	st := &f.Stages[stage]
	box := make(Box, len(st.Loops))
	for i, l := range st.Loops {
		if l.Arg >= 0 {
			box[i] = r.Funcs[fn][l.Arg]
			continue
		}
		iv, ok := RVarRange(p, st, l.RVar)
		if !ok {
			return nil, fmt.Errorf("bounds: %s.update(%d): the range of reduction variable %s is not known at the given estimates; set an estimate on %s",
				f.Label, stage-1, l.Label, cmp.Or(missingEstimate(p, st.RVars[l.RVar].Min, st.RVars[l.RVar].Extent), "the input or parameter that it depends on"))
		}
		box[i] = iv
	}
	return box, nil
}

// extentAtRunTime is what to take for the length of a reduction that only a run knows: a
// middling one. It prices, nothing else.
const extentAtRunTime = 64

// RVarRange is the range of a reduction variable at the estimates. An empty
// domain counts as one point. It is not ok where an estimate is missing; a range that
// depends on the elements of a buffer is guessed from what bounds them.
func RVarRange(p *halideir.Pipeline, st *halideir.Stage, v int) (Interval, bool) {
	r := &st.RVars[v]
	lo, okLo := p.EvalInt(r.Min, halideir.Env{})
	n, okN := p.EvalInt(r.Extent, halideir.Env{})
	if okLo && okN {
		return Interval{lo, lo + max(n, 1) - 1}, true
	}
	if missingEstimate(p, r.Min, r.Extent) != "" {
		return Interval{}, false
	}
	if !okLo {
		first, last, okFirst, okLast := p.EvalRange(r.Min, halideir.Env{})
		switch {
		case okFirst:
			lo = first
		case okLast:
			lo = last
		}
	}
	if !okN {
		n = extentAtRunTime
		if _, most, _, ok := p.EvalRange(r.Extent, halideir.Env{}); ok && most < maxExtent {
			n = most
		}
	}
	return Interval{lo, lo + max(n, 1) - 1}, true
}

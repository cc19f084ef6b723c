package bounds

import (
	"sync"

	"gowarp/halideir"
)

// Constant holds what is needed of a Func along one dimension whatever the sizes of outputs and inputs and the scalars
// are, if numbers do: the bins of a histogram of bytes, say. Storage of that size may be taken before anything is known of a run.
func (r *Regions) Constant(p *halideir.Pipeline, fn, dim int) (Interval, bool) {
	c := &r.constants
	c.Lock()
	defer c.Unlock()
	if c.p != p {
		c.p, c.r, c.known = p, r, map[[2]int]constant{}
	}
	got := c.region(fn, dim)
	return got.Interval, got.ok
}

// fixed is a dimension of a Func whose first point and extent the user fixed as numbers, with Func::bound
// or for an output's buffer; of several such bounds the last holds.
func fixed(p *halideir.Pipeline, fn, dim int) (at Interval, ok bool) {
	f := &p.Funcs[fn]
	for i := range f.Bounds {
		if b := &f.Bounds[i]; b.Var == f.Args[dim] {
			var lo, n int64
			lo, n, ok = p.InNumbers(b)
			at = Interval{lo, lo + n - 1}
		}
	}
	return at, ok
}

type constant struct {
	Interval
	ok bool
}

// constants are those that were asked for of a pipeline.
type constants struct {
	sync.Mutex
	p     *halideir.Pipeline
	r     *Regions
	known map[[2]int]constant
}

// region is the union of what all edges ask for. Consumers have higher ids, so that the recursion ends.
func (c *constants) region(fn, dim int) constant {
	key := [2]int{fn, dim}
	if got, ok := c.known[key]; ok {
		return got
	}
	if at, ok := fixed(c.p, fn, dim); ok {
		c.known[key] = constant{at, !at.IsEmpty()}
		return c.known[key]
	}
	f := &c.p.Funcs[fn]
	out := constant{Interval: Empty, ok: !f.Output && len(f.Bounds) == 0}
	for consumer := fn; consumer < len(c.p.Funcs) && out.ok; consumer++ {
		if c.p.Funcs[consumer].Extern != nil {
			out.ok = !readByExtern(&c.p.Funcs[consumer], fn)
			continue
		}
		for s := range c.p.Funcs[consumer].Stages {
			for _, e := range c.r.Edges(consumer, s) {
				if e.Func == fn && out.ok && !c.itself(e, s, dim) {
					out = c.with(out, e, s, dim)
				}
			}
		}
	}
	out.ok = out.ok && !out.IsEmpty()
	c.known[key] = out
	return out
}

func readByExtern(f *halideir.Func, fn int) bool {
	for _, a := range f.Extern.Args {
		if a.Func == fn {
			return true
		}
	}
	return false
}

// itself reports whether an update reads its own Func, along a dimension, at the point of its loop alone.
func (c *constants) itself(e *halideir.Edge, stage, dim int) bool {
	if e.Consumer != e.Func {
		return false
	}
	loops := c.p.Funcs[e.Func].Stages[stage].Loops
	at := func(id halideir.NodeID, kind halideir.VarKind) bool {
		if id == halideir.NoNode {
			return false
		}
		n := &c.p.Nodes[id]
		return n.Op == halideir.OpVar && n.Kind == kind && loops[n.Index].Arg == dim
	}
	return at(e.Box[dim].Lo, halideir.VarLo) && at(e.Box[dim].Hi, halideir.VarHi)
}

// with adds what one edge asks for.
func (c *constants) with(sum constant, e *halideir.Edge, stage, dim int) constant {
	st := &c.p.Funcs[e.Consumer].Stages[stage]
	env := halideir.Env{Lo: make([]int64, len(st.Loops)), Hi: make([]int64, len(st.Loops))}
	ok, known := true, true
	c.p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		switch {
		case ofRun(n):
			ok = false
		case n.Op == halideir.OpVar && n.Kind != halideir.VarLet:
			var iv constant
			switch l := st.Loops[n.Index]; {
			case l.Arg >= 0 && e.Consumer != e.Func:
				iv = c.region(e.Consumer, l.Arg)
			case l.RVar >= 0:
				iv = literal(c.p, &st.RVars[l.RVar])
			}
			known = known && iv.ok
			env.Lo[n.Index], env.Hi[n.Index] = iv.Lo, iv.Hi
		}
	}, e.Box[dim].Lo, e.Box[dim].Hi)
	switch {
	case !ok:
		return constant{}
	case !known: // a clamp may hold it all the same
		lo, _, okLo, _ := c.p.EvalRange(e.Box[dim].Lo, halideir.Env{})
		_, hi, _, okHi := c.p.EvalRange(e.Box[dim].Hi, halideir.Env{})
		return constant{sum.Union(Interval{lo, hi}), okLo && okHi && max(-lo, hi) < maxExtent}
	}
	lo, okLo := c.p.EvalInt(e.Box[dim].Lo, env)
	hi, okHi := c.p.EvalInt(e.Box[dim].Hi, env)
	return constant{sum.Union(Interval{lo, hi}), okLo && okHi}
}

// literal is a domain that is written as numbers, or as what numbers make: of a reduction that is factored, say, the quotient of two.
func literal(p *halideir.Pipeline, rv *halideir.RVar) constant {
	ok := true
	p.Walk(func(_ halideir.NodeID, n *halideir.Node) { ok = ok && !ofRun(n) }, rv.Min, rv.Extent)
	lo, okLo := p.EvalInt(rv.Min, halideir.Env{})
	n, okN := p.EvalInt(rv.Extent, halideir.Env{})
	if !ok || !okLo || !okN || n < 1 {
		return constant{}
	}
	return constant{Interval{lo, lo + n - 1}, true}
}

// ofRun reports whether only a run knows what a node is: neither a number, nor made of others, nor the end of a loop. EvalInt takes its estimate.
func ofRun(n *halideir.Node) bool {
	return n.Op == halideir.OpCall || n.Op == halideir.OpVar && n.Kind != halideir.VarLo && n.Kind != halideir.VarHi && n.Kind != halideir.VarLet
}

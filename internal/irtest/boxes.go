package irtest

import (
	"slices"

	"gowarp/halideir"
)

// span is a range of values as expressions over the stage's loop bounds; an
// end is NoNode where nothing bounds it.
type span struct{ lo, hi halideir.NodeID }

var everything = span{halideir.NoNode, halideir.NoNode}

func (b *Builder) addEdges(fn int, stage int) {
	f := &b.p.Funcs[fn]
	s := f.Stages[stage]
	x := boxer{b: b, stage: &s, memo: map[halideir.NodeID]span{}, edge: map[[2]int]int{}, fn: fn, index: stage}
	roots := slices.Clone(s.Values)
	if s.Predicate != halideir.NoNode {
		roots = append(roots, s.Predicate)
	}
	seen := map[halideir.NodeID]bool{}
	for _, r := range append(roots, s.Args...) {
		x.visit(r, seen)
	}
	b.p.Edges = append(b.p.Edges, x.edges...)
}

func (f *Func) addStage(s halideir.Stage) {
	def := f.def()
	def.Stages = append(def.Stages, s)
	f.b.addEdges(f.ID, len(def.Stages)-1)
}

type boxer struct {
	b         *Builder
	stage     *halideir.Stage
	fn, index int
	memo      map[halideir.NodeID]span
	edge      map[[2]int]int
	edges     []halideir.Edge
}

// visit finds the loads, each node once, and widens the boxes.
func (x *boxer) visit(id halideir.NodeID, seen map[halideir.NodeID]bool) {
	if seen[id] {
		return
	}
	seen[id] = true
	n := x.b.p.Nodes[id]
	for _, a := range n.Args {
		x.visit(a, seen)
	}
	if n.Op != halideir.OpCall || n.Func < 0 && n.Input < 0 {
		return
	}
	key := [2]int{n.Func, n.Input}
	at, ok := x.edge[key]
	if !ok {
		at = len(x.edges)
		x.edge[key] = at
		x.edges = append(x.edges, halideir.Edge{Consumer: x.fn, Stage: x.index, Func: n.Func, Input: n.Input})
	}
	e := &x.edges[at]
	for k, a := range n.Args {
		s := x.span(a)
		if !ok {
			e.Box = append(e.Box, halideir.Range{Lo: s.lo, Hi: s.hi})
			continue
		}
		u := x.union(span{e.Box[k].Lo, e.Box[k].Hi}, s)
		e.Box[k] = halideir.Range{Lo: u.lo, Hi: u.hi}
	}
}

func (x *boxer) union(a, c span) span {
	return span{x.both(halideir.OpMin, a.lo, c.lo), x.both(halideir.OpMax, a.hi, c.hi)}
}

// both is op of two ends, unbounded where either is.
func (x *boxer) both(op halideir.Op, a, c halideir.NodeID) halideir.NodeID {
	if a == halideir.NoNode || c == halideir.NoNode {
		return halideir.NoNode
	}
	return x.b.simple(op, a, c)
}

// either is op of two ends where op is bounded by one operand alone.
func (x *boxer) either(op halideir.Op, a, c halideir.NodeID) halideir.NodeID {
	switch {
	case a == halideir.NoNode:
		return c
	case c == halideir.NoNode:
		return a
	}
	return x.b.simple(op, a, c)
}

func (x *boxer) span(id halideir.NodeID) span {
	if s, ok := x.memo[id]; ok {
		return s
	}
	s := x.compute(id)
	x.memo[id] = s
	return s
}

func (x *boxer) compute(id halideir.NodeID) span {
	n := x.b.p.Nodes[id]
	op := func(k int) span { return x.span(n.Args[k]) }
	switch n.Op {
	case halideir.OpInt, halideir.OpUint, halideir.OpFloat:
		return span{id, id}
	case halideir.OpVar:
		return x.variable(id, &n)
	case halideir.OpCast:
		if n.Type == I32 && x.b.p.Nodes[n.Args[0]].Type.IsInt() {
			return span{x.cast(op(0).lo), x.cast(op(0).hi)}
		}
	case halideir.OpAdd:
		a, c := op(0), op(1)
		return span{x.both(n.Op, a.lo, c.lo), x.both(n.Op, a.hi, c.hi)}
	case halideir.OpSub:
		a, c := op(0), op(1)
		return span{x.both(n.Op, a.lo, c.hi), x.both(n.Op, a.hi, c.lo)}
	case halideir.OpMul, halideir.OpDiv:
		a, c := op(0), op(1)
		v, ok := x.b.constant(c.lo)
		if !ok || c.lo != c.hi || v == 0 && n.Op == halideir.OpDiv {
			return typeSpan(x.b, n.Type)
		}
		if v < 0 {
			a.lo, a.hi = a.hi, a.lo
		}
		return span{x.both(n.Op, a.lo, c.lo), x.both(n.Op, a.hi, c.lo)}
	case halideir.OpMod:
		if v, ok := x.b.constant(op(1).hi); ok && v > 0 {
			return span{x.b.Const(n.Type, 0).id, x.b.Const(n.Type, v-1).id}
		}
	case halideir.OpMin:
		a, c := op(0), op(1)
		return span{x.both(n.Op, a.lo, c.lo), x.either(n.Op, a.hi, c.hi)}
	case halideir.OpMax:
		a, c := op(0), op(1)
		return span{x.either(n.Op, a.lo, c.lo), x.both(n.Op, a.hi, c.hi)}
	case halideir.OpSelect:
		return x.union(op(1), op(2))
	case halideir.OpLet:
		return x.span(n.Args[1])
	case halideir.OpCall:
		if n.Name == "likely" {
			return op(0)
		}
	}
	return typeSpan(x.b, n.Type)
}

func (x *boxer) variable(id halideir.NodeID, n *halideir.Node) span {
	for k, l := range x.stage.Loops {
		if n.Kind == halideir.VarDim && l.Arg == n.Index || n.Kind == halideir.VarRVar && l.RVar == n.Index {
			end := func(kind halideir.VarKind) halideir.NodeID {
				return x.b.node(halideir.Node{Op: halideir.OpVar, Type: I32, Kind: kind, Index: k, Name: l.Name + "." + kind.String()}).id
			}
			return span{end(halideir.VarLo), end(halideir.VarHi)}
		}
	}
	if n.Kind.Given() {
		return span{id, id}
	}
	return everything
}

func (x *boxer) cast(id halideir.NodeID) halideir.NodeID {
	if id == halideir.NoNode {
		return id
	}
	if v, ok := x.b.constant(id); ok {
		return x.b.Int(v).id
	}
	return Expr{x.b, id}.Cast(I32).id
}

// typeSpan is what a narrow integer type bounds by itself, as Halide uses it
// for loaded indices.
func typeSpan(b *Builder, t halideir.Type) span {
	switch {
	case t.Code == halideir.UInt && t.Bits <= 16:
		return span{b.Const(t, 0).id, b.Const(t, 1<<t.Bits-1).id}
	case t.Code == halideir.Int && t.Bits <= 16:
		return span{b.Const(t, -1<<(t.Bits-1)).id, b.Const(t, 1<<(t.Bits-1)-1).id}
	}
	return everything
}

func (b *Builder) constant(id halideir.NodeID) (int64, bool) {
	if id == halideir.NoNode {
		return 0, false
	}
	n := &b.p.Nodes[id]
	return n.Int, n.Op == halideir.OpInt || n.Op == halideir.OpUint
}

// offset splits x + c.
func (b *Builder) offset(id halideir.NodeID) (base halideir.NodeID, c int64) {
	n := &b.p.Nodes[id]
	if n.Op == halideir.OpAdd {
		if v, ok := b.constant(n.Args[1]); ok {
			return n.Args[0], v
		}
	}
	return id, 0
}

// simple builds a node as Halide's simplifier leaves it: constants folded,
// x + c + d joined, the smaller of x + c and x + d decided.
func (b *Builder) simple(op halideir.Op, x, y halideir.NodeID) halideir.NodeID {
	t := b.p.Nodes[x].Type
	cx, okx := b.constant(x)
	cy, oky := b.constant(y)
	if okx && oky {
		switch op {
		case halideir.OpAdd:
			return b.Const(t, cx+cy).id
		case halideir.OpSub:
			return b.Const(t, cx-cy).id
		case halideir.OpMul:
			return b.Const(t, cx*cy).id
		case halideir.OpDiv:
			q, _ := halideir.DivEuclid(cx, cy)
			return b.Const(t, q).id
		case halideir.OpMin:
			return b.Const(t, min(cx, cy)).id
		case halideir.OpMax:
			return b.Const(t, max(cx, cy)).id
		}
	}
	switch op {
	case halideir.OpSub:
		if oky {
			return b.simple(halideir.OpAdd, x, b.Const(t, -cy).id)
		}
	case halideir.OpAdd:
		if okx {
			x, y, cy, oky = y, x, cx, true
		}
		if base, c := b.offset(x); oky && c+cy == 0 {
			return base
		} else if oky && c != 0 {
			x, y = base, b.Const(t, c+cy).id
		}
	case halideir.OpMul, halideir.OpDiv:
		if oky && cy == 1 {
			return x
		}
	case halideir.OpMin, halideir.OpMax:
		bx, ox := b.offset(x)
		by, oy := b.offset(y)
		if bx == by {
			if (ox < oy) == (op == halideir.OpMin) {
				return x
			}
			return y
		}
	}
	return b.node(halideir.Node{Op: op, Type: t, Args: []halideir.NodeID{x, y}}).id
}

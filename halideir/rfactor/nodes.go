package rfactor

import (
	"math"

	"gowarp/halideir"
)

// index is the type of indices.
var index = halideir.Type{Code: halideir.Int, Bits: 32, Lanes: 1}

func (w *writer) add(n halideir.Node) halideir.NodeID {
	w.p.Nodes = append(w.p.Nodes, n)
	return halideir.NodeID(len(w.p.Nodes) - 1)
}

func node(op halideir.Op, t halideir.Type) halideir.Node {
	return halideir.Node{Op: op, Type: t, Func: -1, Input: -1}
}

func (w *writer) int(v int64) halideir.NodeID {
	n := node(halideir.OpInt, index)
	n.Int = v
	return w.add(n)
}

func (w *writer) binary(op halideir.Op, x, y halideir.NodeID) halideir.NodeID {
	n := node(op, index)
	n.Args = []halideir.NodeID{x, y}
	return w.add(n)
}

func (w *writer) logical(op halideir.Op, x, y halideir.NodeID) halideir.NodeID {
	n := node(op, halideir.Bool)
	n.Args = []halideir.NodeID{x, y}
	return w.add(n)
}

func (w *writer) variable(kind halideir.VarKind, name string, i int) halideir.NodeID {
	n := node(halideir.OpVar, index)
	n.Kind, n.Name, n.Index = kind, name, i
	return w.add(n)
}

func (w *writer) dim(f *halideir.Func, k int) halideir.NodeID {
	return w.variable(halideir.VarDim, f.Args[k], k)
}

func (w *writer) rvar(name string, i int) halideir.NodeID {
	return w.variable(halideir.VarRVar, name, i)
}

func (w *writer) end(kind halideir.VarKind, loop int) halideir.NodeID {
	return w.variable(kind, kind.String(), loop)
}

// call is a load of one of a Func's values.
func (w *writer) call(f *halideir.Func, out int, args []halideir.NodeID) halideir.NodeID {
	n := node(halideir.OpCall, f.Types[out])
	n.Call, n.Func, n.Name, n.Out, n.Args = halideir.CallHalide, f.ID, f.Name, out, args
	return w.add(n)
}

// operate is the reduction's operator for one of the values on that so far and another, in the order of the user's.
func (w *writer) operate(out int, self, other halideir.NodeID) halideir.NodeID {
	o := &w.r.Values[out]
	if o.Kept {
		return self
	}
	n := node(o.Op, w.p.Funcs[w.fn].Types[out])
	if o.Op == halideir.OpCall {
		n.Call, n.Name = halideir.CallPureIntrinsic, o.Bits
	}
	n.Args = []halideir.NodeID{self, other}
	if o.Self == 1 {
		n.Args[0], n.Args[1] = other, self
	}
	return w.add(n)
}

// identity is what changes no other of the Func's values in that place, as Halide takes it.
func (w *writer) identity(out int) halideir.NodeID {
	return w.neutral(w.p.Funcs[w.fn].Types[out], w.r.Values[out].Op, w.r.Values[out].Bits)
}

// neutral is what changes no other value of a type by an operator, or by that of bits if op is OpCall.
func (w *writer) neutral(t halideir.Type, op halideir.Op, bits string) halideir.NodeID {
	one := op == halideir.OpMul || op == halideir.OpAnd
	least, most := int64(0), int64(-1) // of an unsigned integer, the bits
	switch {
	case t.Code == halideir.Int:
		least, most = math.MinInt64>>(64-t.Bits), math.MaxInt64>>(64-t.Bits)
	case t.Code == halideir.UInt:
		most = int64(^uint64(0) >> (64 - t.Bits))
	}
	v := map[bool]int64{true: 1}[one]
	f := float64(v)
	switch {
	case op == halideir.OpMin:
		v, f = most, math.Inf(1)
	case op == halideir.OpMax:
		v, f = least, math.Inf(-1)
	case bits == "bitwise_and" && t.Code == halideir.Int:
		v = -1
	case bits == "bitwise_and":
		v = most
	}
	var n halideir.Node
	switch {
	case t.IsFloat():
		n = node(halideir.OpFloat, t)
		n.Float = f
	case t.Code == halideir.Int:
		n = node(halideir.OpInt, t)
		n.Int = v
	default:
		n = node(halideir.OpUint, t)
		n.Int = v
	}
	return w.add(n)
}

// argLoops are the loops of the pure definition of g, which has the arguments of f and some more.
func (w *writer) argLoops(g, f *halideir.Func) []halideir.Loop {
	loops := make([]halideir.Loop, len(g.Args))
	for k, name := range g.Args {
		loops[k] = halideir.Loop{Name: name, Label: name, Kind: halideir.LoopPure, Arg: k, RVar: -1}
	}
	for _, l := range f.Stages[0].Loops {
		if l.Arg >= 0 {
			loops[l.Arg].Label = l.Label
		}
	}
	return loops
}

// copy is an expression once more, with some of its parts replaced.
func (w *writer) copy(root halideir.NodeID, replace func(*halideir.Node) (halideir.NodeID, bool)) halideir.NodeID {
	done := map[halideir.NodeID]halideir.NodeID{}
	var visit func(halideir.NodeID) halideir.NodeID
	visit = func(id halideir.NodeID) halideir.NodeID {
		if at, ok := done[id]; ok {
			return at
		}
		n := w.p.Nodes[id]
		at, ok := halideir.NodeID(0), false
		if replace != nil {
			at, ok = replace(&n)
		}
		if !ok {
			args := make([]halideir.NodeID, len(n.Args))
			for i, a := range n.Args {
				args[i] = visit(a)
			}
			n.Args = args
			at = w.add(n)
		}
		done[id] = at
		return at
	}
	return visit(root)
}

package cells

import (
	"reflect"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
)

// writer writes the expressions of a definition anew, each once.
type writer struct {
	d     *Definitions
	known []Known
	lets  map[string]halideir.NodeID
	done  map[halideir.NodeID]value
}

// value is an expression and what is known of it.
type value struct {
	node halideir.NodeID
	Known
}

func (v value) is(n int64) bool { return v.Modulus == 0 && v.Remainder == n }

func (w *writer) all(ids []halideir.NodeID) []halideir.NodeID {
	out := make([]halideir.NodeID, len(ids))
	for i, id := range ids {
		out[i] = w.write(id).node
	}
	return out
}

func (w *writer) write(id halideir.NodeID) value {
	if v, ok := w.done[id]; ok {
		return v
	}
	v := w.anew(id)
	w.done[id] = v
	return v
}

func (w *writer) anew(id halideir.NodeID) value {
	n := w.d.P.Nodes[id] // a copy: more are appended
	same := value{id, Known{Modulus: 1}}
	switch n.Op {
	case halideir.OpInt, halideir.OpUint:
		return value{id, Known{0, n.Int}}
	case halideir.OpVar:
		switch {
		case n.Kind == halideir.VarDim && n.Index < len(w.known):
			same.Known = w.known[n.Index]
			if same.Modulus == 0 {
				return w.number(n.Type, same.Remainder)
			}
		case n.Kind == halideir.VarLet:
			if bound, ok := w.lets[n.Name]; ok && bound != halideir.NoNode {
				is := w.write(bound)
				if same.Known = is.Known; same.Modulus == 0 {
					return w.number(n.Type, same.Remainder)
				}
				if is.node != bound { // whoever goes by the order of nodes is to find its value before it
					same.node = w.add(n)
				}
			}
		}
		return same
	}
	args, changed := make([]value, len(n.Args)), false
	nodes := make([]halideir.NodeID, len(n.Args))
	for i, a := range n.Args {
		args[i] = w.write(a)
		nodes[i] = args[i].node
		changed = changed || nodes[i] != a
	}
	if v, ok := w.decided(&n, args); ok {
		return v
	}
	fn := n.Func
	if n.ReadsFunc() && w.d.inlined[n.Func] {
		known := make([]Known, len(args))
		for i := range args {
			known[i] = args[i].Known
		}
		fn = w.d.Func(n.Func, known)
	}
	if changed || fn != n.Func {
		n.Args, n.Func = nodes, fn
		same.node = w.add(n)
	}
	if v, ok := w.d.P.EvalInt(same.node, halideir.Env{}); ok && allNumbers(args) && len(args) > 0 {
		return w.number(n.Type, v)
	}
	same.Known = w.remainder(&n, args)
	return same
}

func (w *writer) add(n halideir.Node) halideir.NodeID {
	w.d.P.Nodes = append(w.d.P.Nodes, n)
	return halideir.NodeID(len(w.d.P.Nodes) - 1)
}

// number is one of a type of whole numbers, or true or false.
func (w *writer) number(t halideir.Type, v int64) value {
	n := halideir.Node{Op: halideir.OpInt, Type: t, Int: v, Func: -1, Input: -1}
	if t.Code == halideir.UInt {
		n.Op = halideir.OpUint
	}
	return value{w.add(n), Known{0, v}}
}

func allNumbers(args []value) bool {
	for i := range args {
		if args[i].Modulus != 0 {
			return false
		}
	}
	return true
}

// decided is one of an operation's operands where that is all that is left of it, or the number that a remainder is.
func (w *writer) decided(n *halideir.Node, args []value) (value, bool) {
	whole := n.Type.IsInt() && n.Type.Lanes <= 1
	switch n.Op {
	case halideir.OpSelect:
		if args[0].Modulus == 0 {
			return args[2-min(max(args[0].Remainder, 0), 1)], true
		}
	case halideir.OpAnd, halideir.OpOr:
		unit := int64(0)
		if n.Op == halideir.OpAnd {
			unit = 1
		}
		for i := range 2 {
			switch {
			case args[i].is(unit):
				return args[1-i], true
			case args[i].is(1 - unit):
				return args[i], true
			}
		}
	case halideir.OpAdd:
		for i := range 2 {
			if whole && args[i].is(0) {
				return args[1-i], true
			}
		}
		if n.Type.IsFloat() && n.Type.Lanes <= 1 && w.same(args[0].node, args[1].node) {
			return w.twice(n.Type, args[0].node, 2), true
		}
	case halideir.OpSub:
		if whole && args[1].is(0) {
			return args[0], true
		}
	case halideir.OpMul:
		for i := range 2 {
			switch {
			case whole && args[i].is(1):
				return args[1-i], true
			case whole && args[i].is(0):
				return args[i], true
			}
		}
		for i := range 2 {
			by, of := &w.d.P.Nodes[args[i].node], &w.d.P.Nodes[args[1-i].node]
			if by.Op == halideir.OpFloat && of.Op == halideir.OpMul && n.Type.Lanes <= 1 {
				if twice := &w.d.P.Nodes[of.Args[1]]; twice.Op == halideir.OpFloat && twice.Float == 2 {
					return w.twice(n.Type, of.Args[0], 2*by.Float), true
				}
			}
		}
	case halideir.OpDiv:
		if v, ok := w.divided(n, args); ok {
			return v, true
		}
	case halideir.OpLet:
		if args[1].Modulus == 0 {
			return args[1], true
		}
	case halideir.OpMod:
		if by := args[1]; whole && by.Modulus == 0 && by.Remainder > 0 && args[0].Modulus > 1 && args[0].Modulus%by.Remainder == 0 {
			return w.number(n.Type, args[0].Remainder%by.Remainder), true
		}
	}
	return value{}, false
}

// twice is a float so many times, a power of two times a literal: rounded as it was before.
func (w *writer) twice(t halideir.Type, of halideir.NodeID, by float64) value {
	if by == 1 {
		return value{of, Known{Modulus: 1}}
	}
	literal := w.add(halideir.Node{Op: halideir.OpFloat, Type: t, Float: by, Func: -1, Input: -1})
	return value{w.add(halideir.Node{Op: halideir.OpMul, Type: t, Args: []halideir.NodeID{of, literal}, Func: -1, Input: -1}), Known{Modulus: 1}}
}

// divided is a sum that is divided by a number as what is left of the number behind it: for an even x (x + 1) / 2 is x / 2, which it is the mean with then no more.
func (w *writer) divided(n *halideir.Node, args []value) (value, bool) {
	sum, by := &w.d.P.Nodes[n.Args[0]], args[1]
	if !n.Type.IsInt() || n.Type.Lanes > 1 || by.Modulus != 0 || by.Remainder < 2 || sum.Op != halideir.OpAdd {
		return value{}, false
	}
	sides := [2]value{w.write(sum.Args[0]), w.write(sum.Args[1])}
	for i := range 2 {
		of, more := sides[1-i], sides[i]
		if more.Modulus != 0 || of.Modulus < 2 || of.Modulus%by.Remainder != 0 {
			continue
		}
		// of is q by + r, so that (of + more) / by is q + (r + more) / by.
		further := bounds.FloorDiv(halideir.ModEuclid(of.Remainder, by.Remainder)+more.Remainder, by.Remainder)
		part := halideir.Node{Op: halideir.OpDiv, Type: n.Type, Args: []halideir.NodeID{of.node, by.node}, Func: -1, Input: -1}
		v := value{w.add(part), w.remainder(&part, []value{of, by})}
		if further == 0 {
			return v, true
		}
		plus := w.number(n.Type, further)
		all := halideir.Node{Op: halideir.OpAdd, Type: n.Type, Args: []halideir.NodeID{v.node, plus.node}, Func: -1, Input: -1}
		return value{w.add(all), w.remainder(&all, []value{v, plus})}, true
	}
	return value{}, false
}

// mostCompared is how many expressions are compared at most to tell whether two are one.
const mostCompared = 64

// same reports whether two expressions are the same, as they are written.
func (w *writer) same(a, b halideir.NodeID) bool {
	left := mostCompared
	var same func(a, b halideir.NodeID) bool
	same = func(a, b halideir.NodeID) bool {
		if a == b {
			return true
		}
		if left--; left < 0 {
			return false
		}
		x, y := w.d.P.Nodes[a], w.d.P.Nodes[b]
		args := x.Args
		if len(args) != len(y.Args) || !slices.EqualFunc(args, y.Args, same) {
			return false
		}
		x.Args, y.Args = nil, nil
		return reflect.DeepEqual(x, y)
	}
	return same(a, b)
}

// remainder is what is known of an operation where something is of its operands: in types that do not wrap.
func (w *writer) remainder(n *halideir.Node, args []value) Known {
	unknown := Known{Modulus: 1}
	if n.Type.Code != halideir.Int || n.Type.Bits < 32 || n.Type.Lanes > 1 {
		return unknown
	}
	reduced := func(m, r int64) Known {
		if m < 2 {
			return unknown
		}
		return Known{m, halideir.ModEuclid(r, m)}
	}
	switch n.Op {
	case halideir.OpAdd, halideir.OpSub:
		m := halideir.GCD(args[0].Modulus, args[1].Modulus) // of 0 and another the other
		if n.Op == halideir.OpSub {
			return reduced(m, args[0].Remainder-args[1].Remainder)
		}
		return reduced(m, args[0].Remainder+args[1].Remainder)
	case halideir.OpMul:
		for i := range 2 {
			if by := args[i]; by.Modulus == 0 && by.Remainder > 0 && by.Remainder <= mostFactor && args[1-i].Modulus > 0 {
				return reduced(args[1-i].Modulus*by.Remainder, args[1-i].Remainder*by.Remainder)
			}
		}
	case halideir.OpDiv:
		if by := args[1]; by.Modulus == 0 && by.Remainder > 0 && args[0].Modulus > 1 && args[0].Modulus%by.Remainder == 0 {
			return reduced(args[0].Modulus/by.Remainder, args[0].Remainder/by.Remainder)
		}
	case halideir.OpCast:
		if from := w.d.P.Nodes[n.Args[0]].Type; from.Code == halideir.Int && from.Bits <= n.Type.Bits && args[0].Modulus > 0 {
			return args[0].Known
		}
	case halideir.OpLet:
		return args[1].Known
	case halideir.OpCall:
		if n.IsLikely() && args[0].Modulus > 0 {
			return args[0].Known
		}
	}
	return unknown
}

// mostFactor keeps moduli small.
const mostFactor = 1 << 10

package irtest

import (
	"fmt"

	"gowarp/halideir"
)

// Expr is an expression. Operands of its methods are Exprs, ints or float64s;
// numbers take the type of the other side.
type Expr struct {
	b  *Builder
	id halideir.NodeID
}

// ID is the expression's node.
func (e Expr) ID() halideir.NodeID { return e.id }

// Type is the expression's type.
func (e Expr) Type() halideir.Type { return e.node().Type }

func (e Expr) node() *halideir.Node { return &e.b.p.Nodes[e.id] }

// Int is an int32 constant.
func (b *Builder) Int(v int64) Expr { return b.Const(I32, v) }

// Const is an integer constant of a type.
func (b *Builder) Const(t halideir.Type, v int64) Expr {
	switch {
	case t.IsFloat():
		return b.node(halideir.Node{Op: halideir.OpFloat, Type: t, Float: float64(v)})
	case t.Code == halideir.UInt:
		return b.node(halideir.Node{Op: halideir.OpUint, Type: t, Int: v})
	}
	return b.node(halideir.Node{Op: halideir.OpInt, Type: t, Int: v})
}

func (b *Builder) expr(x any, t halideir.Type) Expr {
	switch x := x.(type) {
	case Expr:
		return x
	case int:
		return b.Const(t, int64(x))
	case int64:
		return b.Const(t, x)
	case float64:
		if !t.IsFloat() {
			panic(fmt.Sprintf("irtest: the number %g where a %s is wanted", x, t))
		}
		return b.node(halideir.Node{Op: halideir.OpFloat, Type: t, Float: x})
	}
	panic(fmt.Sprintf("irtest: %T is not an operand", x))
}

// node adds a node, or finds the equal one that is there.
func (b *Builder) node(n halideir.Node) Expr {
	if n.Op != halideir.OpCall {
		n.Func, n.Input = -1, -1
	}
	key := fmt.Sprintf("%#v", n)
	if id, ok := b.seen[key]; ok {
		return Expr{b, id}
	}
	id := halideir.NodeID(len(b.p.Nodes))
	b.p.Nodes = append(b.p.Nodes, n)
	b.seen[key] = id
	return Expr{b, id}
}

func (b *Builder) callNode(n halideir.Node, index []any, dims int) Expr {
	if len(index) != dims {
		panic(fmt.Sprintf("irtest: %s has %d dimensions, not %d", n.Name, dims, len(index)))
	}
	for _, x := range index {
		e := b.expr(x, I32)
		if e.Type() != I32 {
			e = e.Cast(I32)
		}
		n.Args = append(n.Args, e.id)
	}
	return b.node(n)
}

func (e Expr) binary(op halideir.Op, x any) Expr {
	y := e.b.expr(x, e.Type())
	t := e.Type()
	if op.IsCompare() {
		t = Bool
	}
	return e.b.node(halideir.Node{Op: op, Type: t, Args: []halideir.NodeID{e.id, y.id}})
}

// The operators.
func (e Expr) Add(x any) Expr { return e.binary(halideir.OpAdd, x) }
func (e Expr) Sub(x any) Expr { return e.binary(halideir.OpSub, x) }
func (e Expr) Mul(x any) Expr { return e.binary(halideir.OpMul, x) }
func (e Expr) Div(x any) Expr { return e.binary(halideir.OpDiv, x) }
func (e Expr) Mod(x any) Expr { return e.binary(halideir.OpMod, x) }
func (e Expr) Min(x any) Expr { return e.binary(halideir.OpMin, x) }
func (e Expr) Max(x any) Expr { return e.binary(halideir.OpMax, x) }
func (e Expr) EQ(x any) Expr  { return e.binary(halideir.OpEQ, x) }
func (e Expr) NE(x any) Expr  { return e.binary(halideir.OpNE, x) }
func (e Expr) LT(x any) Expr  { return e.binary(halideir.OpLT, x) }
func (e Expr) LE(x any) Expr  { return e.binary(halideir.OpLE, x) }
func (e Expr) GT(x any) Expr  { return e.binary(halideir.OpGT, x) }
func (e Expr) GE(x any) Expr  { return e.binary(halideir.OpGE, x) }
func (e Expr) And(x any) Expr { return e.binary(halideir.OpAnd, x) }
func (e Expr) Or(x any) Expr  { return e.binary(halideir.OpOr, x) }

// Not is the opposite of a condition.
func (e Expr) Not() Expr {
	return e.b.node(halideir.Node{Op: halideir.OpNot, Type: e.Type(), Args: []halideir.NodeID{e.id}})
}

// Clamp is e between lo and hi.
func (e Expr) Clamp(lo, hi any) Expr { return e.Min(hi).Max(lo) }

// Cast converts to a type.
func (e Expr) Cast(t halideir.Type) Expr {
	return e.b.node(halideir.Node{Op: halideir.OpCast, Type: t, Args: []halideir.NodeID{e.id}})
}

// Select is x where e holds, else y; x says the type.
func (e Expr) Select(x Expr, y any) Expr {
	other := e.b.expr(y, x.Type())
	return e.b.node(halideir.Node{Op: halideir.OpSelect, Type: x.Type(), Args: []halideir.NodeID{e.id, x.id, other.id}})
}

// Call is a function of the expression and more, of the expression's type:
// e.Call("exp_f32"), e.Call("pow_f32", 2.0).
func (e Expr) Call(name string, more ...any) Expr {
	args := []halideir.NodeID{e.id}
	for _, x := range more {
		args = append(args, e.b.expr(x, e.Type()).id)
	}
	return e.b.node(halideir.Node{Op: halideir.OpCall, Type: e.Type(), Name: name, Call: halideir.CallPureExtern, Func: -1, Input: -1, Args: args})
}

// Bits is an intrinsic of Halide's that combines the bits of the expression and another.
func (e Expr) Bits(name string, x any) Expr {
	args := []halideir.NodeID{e.id, e.b.expr(x, e.Type()).id}
	return e.b.node(halideir.Node{Op: halideir.OpCall, Type: e.Type(), Name: name, Call: halideir.CallPureIntrinsic, Func: -1, Input: -1, Args: args})
}

// Likely is Halide's mark of the branch that the interior takes.
func (e Expr) Likely() Expr {
	return e.b.node(halideir.Node{Op: halideir.OpCall, Type: e.Type(), Name: "likely", Call: halideir.CallIntrinsic, Func: -1, Input: -1, Args: []halideir.NodeID{e.id}})
}

// Let is body with name bound to e.
func (e Expr) Let(name string, body func(v Expr) Expr) Expr {
	n := halideir.Node{Op: halideir.OpVar, Type: e.Type(), Kind: halideir.VarLet, Name: name}
	clear(e.b.seen) // as pipelines are exported, no node of one let is another's
	v := e.b.node(n)
	x := body(v)
	clear(e.b.seen)
	return e.b.node(halideir.Node{Op: halideir.OpLet, Type: x.Type(), Name: name, Args: []halideir.NodeID{e.id, x.id}})
}

package halideir

import (
	"math"
	"strconv"
	"strings"
)

// exprLimit is the length at which Expr stops.
const exprLimit = 240

// maxPrintDepth ends recursion on deep expressions that were not cut into lets.
const maxPrintDepth = 500

// Expr is an expression as infix text, cut off with … where it is long. It
// takes bounded time whatever the node shares.
func (p *Pipeline) Expr(id NodeID) string { return p.ExprN(id, exprLimit) }

// ExprN is Expr with another length, in bytes.
func (p *Pipeline) ExprN(id NodeID, limit int) string {
	if id == NoNode {
		return "none"
	}
	e := exprPrinter{p: p, limit: limit}
	e.expr(id, 0, 0)
	if s := e.b.String(); len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return e.b.String()
}

type exprPrinter struct {
	p     *Pipeline
	b     strings.Builder
	limit int
	named map[NodeID]string // printed as a name, having a line of its own
	lets  map[string]string // how variables of lets are printed
	loops []Loop            // of the consumer, for bounds in boxes
}

// binding is how tightly an operator holds its operands.
var binding = [numOps]int{
	OpOr: 1, OpAnd: 2,
	OpEQ: 3, OpNE: 3, OpLT: 3, OpLE: 3, OpGT: 3, OpGE: 3,
	OpAdd: 4, OpSub: 4, OpMul: 5, OpDiv: 5, OpMod: 5, OpNot: 6,
}

var symbol = [numOps]string{
	OpAdd: "+", OpSub: "-", OpMul: "*", OpDiv: "/", OpMod: "%", OpEQ: "==", OpNE: "!=", OpLT: "<", OpLE: "<=",
	OpGT: ">", OpGE: ">=", OpAnd: "&&", OpOr: "||",
}

// expr writes a node; outside is the binding of what stands around it.
func (e *exprPrinter) expr(id NodeID, outside, depth int) {
	if e.b.Len() > e.limit {
		return
	}
	if id < 0 || int(id) >= len(e.p.Nodes) {
		e.b.WriteString("node" + strconv.Itoa(int(id)) + "?")
		return
	}
	if name := e.named[id]; name != "" && depth > 0 {
		e.b.WriteString(name)
		return
	}
	if depth > maxPrintDepth {
		e.b.WriteString("…")
		return
	}
	n := &e.p.Nodes[id]
	if s := symbol[n.Op]; s != "" && len(n.Args) == 2 {
		hold := binding[n.Op]
		if hold < outside {
			e.b.WriteByte('(')
		}
		e.expr(n.Args[0], hold, depth+1)
		if y := &e.p.Nodes[n.Args[1]]; n.Op == OpAdd && y.Op == OpInt && y.Int < 0 && y.Int > math.MinInt64 {
			e.b.WriteString(" - " + strconv.FormatInt(-y.Int, 10))
		} else {
			e.b.WriteString(" " + s + " ")
			e.expr(n.Args[1], hold+1, depth+1) // the operators group to the left
		}
		if hold < outside {
			e.b.WriteByte(')')
		}
		return
	}
	switch n.Op {
	case OpInt:
		e.b.WriteString(strconv.FormatInt(n.Int, 10))
	case OpUint:
		e.b.WriteString(strconv.FormatUint(uint64(n.Int), 10))
	case OpFloat:
		e.b.WriteString(floatText(n))
	case OpString:
		e.b.WriteString(strconv.Quote(clip(n.Name, 40)))
	case OpVar:
		e.b.WriteString(e.variable(n))
	case OpNot:
		e.b.WriteByte('!')
		e.args("", n.Args, binding[OpNot], depth)
	case OpLet:
		if e.lets != nil {
			e.expr(n.Args[1], outside, depth+1) // its value has a line of its own
			return
		}
		e.b.WriteString("(let " + plainLabel(n.Name) + " = ")
		e.expr(n.Args[0], 0, depth+1)
		e.b.WriteString(" in ")
		e.expr(n.Args[1], 0, depth+1)
		e.b.WriteByte(')')
	case OpCall:
		e.args(e.callee(n), n.Args, 0, depth)
	case OpCast:
		e.args(n.Type.String(), n.Args, 0, depth)
	case OpReinterpret:
		e.args("reinterpret_"+n.Type.String(), n.Args, 0, depth)
	case OpVectorReduce:
		e.args("reduce_"+n.Name, n.Args, 0, depth)
	default:
		e.args(n.Op.String(), n.Args, 0, depth)
	}
}

// args writes name(a, b); without a name, one operand as it must bind.
func (e *exprPrinter) args(name string, args []NodeID, outside, depth int) {
	if name == "" {
		e.expr(args[0], outside, depth+1)
		return
	}
	e.b.WriteString(name + "(")
	for i, a := range args {
		if i > 0 {
			e.b.WriteString(", ")
		}
		e.expr(a, 0, depth+1)
		if e.b.Len() > e.limit {
			return
		}
	}
	e.b.WriteByte(')')
}

func floatText(n *Node) string {
	s := strconv.FormatFloat(n.Float, 'g', -1, min(max(n.Type.Bits, 32), 64))
	if n.Type.Bits == 32 && !strings.ContainsAny(s, "nN") {
		s += "f"
	}
	return s
}

func (e *exprPrinter) variable(n *Node) string {
	input := func(i int) string {
		if i >= 0 && i < len(e.p.Inputs) {
			return e.p.Inputs[i].Label
		}
		return "input" + strconv.Itoa(i)
	}
	switch n.Kind {
	case VarDim:
		return plainLabel(n.Name)
	case VarRVar:
		return reductionLabel(n.Name)
	case VarLet:
		if s, ok := e.lets[n.Name]; ok {
			return s
		}
		return plainLabel(n.Name)
	case VarScalar:
		return input(n.Index)
	case VarBound:
		return input(n.Of) + "." + n.Field + "(" + strconv.Itoa(n.Dim) + ")"
	case VarOutput:
		if n.Of >= 0 && n.Of < len(e.p.Funcs) {
			return e.p.Funcs[n.Of].Label + "." + n.Field + "(" + strconv.Itoa(n.Dim) + ")"
		}
	case VarLo, VarHi:
		if n.Index >= 0 && n.Index < len(e.loops) {
			return e.loops[n.Index].Label + "." + n.Kind.String()
		}
		return n.Kind.String() + "(" + strconv.Itoa(n.Index) + ")"
	}
	return n.Name
}

func (e *exprPrinter) callee(n *Node) string {
	switch {
	case n.Call == CallHalide && n.Func >= 0 && n.Func < len(e.p.Funcs):
		f := &e.p.Funcs[n.Func]
		if len(f.Types) > 1 {
			return f.Label + "[" + strconv.Itoa(n.Out) + "]"
		}
		return f.Label
	case n.Call == CallImage && n.Input >= 0 && n.Input < len(e.p.Inputs):
		return e.p.Inputs[n.Input].Label
	}
	if n.Name == "" {
		return "call"
	}
	return n.Name
}

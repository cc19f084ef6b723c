package halideir

import (
	"github.com/tidwall/gjson"
)

func (d *decoder) exprNode(at *path, v gjson.Result) Node {
	n := Node{Func: -1, Input: -1}
	var value gjson.Result
	var hasType bool
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "op":
			word := d.str(at, v)
			if n.Op = opOf[word]; n.Op == OpInvalid {
				// Reported once it is known which Func uses it.
				n.Name = clip(word, 40)
			}
		case "t":
			n.Type, hasType = d.typ(at, v), true
		case "v":
			value = v
		case "a":
			n.Args = d.operands(at, v)
		case "name":
			if n.Op != OpInvalid || n.Name == "" {
				n.Name = d.str(at, v)
			}
		case "reduce":
			n.Name = d.word(at, v, vectorReductions...)
		case "kind":
			n.Kind = VarKind(d.position(at, v, varKindNames[:]))
		case "i":
			n.Index = d.index(at, v)
		case "of":
			n.Of = d.index(at, v)
		case "field":
			n.Field = d.word(at, v, "min", "extent", "stride", "max")
		case "dim":
			n.Dim = d.index(at, v)
		case "ct":
			n.Call = CallType(d.position(at, v, callTypeNames[:]))
		case "func":
			n.Func = d.index(at, v)
		case "input":
			n.Input = d.index(at, v)
		case "out":
			n.Out = d.index(at, v)
		case "lanes":
			n.Lanes = d.index(at, v)
		case "indices":
			n.Indices = d.indices(at, v)
		}
	})
	if n.Op == OpInvalid {
		d.need(at, "op", n.Name != "")
		return n
	}
	d.need(at, "t", hasType)
	d.nodeValue(at, &n, value)
	return n
}

// nodeValue reads v, whose meaning hangs on the op.
func (d *decoder) nodeValue(at *path, n *Node, v gjson.Result) {
	here := at.field("v")
	switch n.Op {
	case OpInt:
		n.Int = d.int64(&here, v)
	case OpUint:
		n.Int = int64(d.uint64(&here, v))
	case OpFloat:
		n.Float = d.float(&here, v)
	case OpString:
		n.Name = d.str(&here, v)
	}
}

func (d *decoder) operands(at *path, v gjson.Result) []NodeID {
	start := len(d.args)
	d.array(at, v, func(v gjson.Result, at *path) { d.args = append(d.args, d.node(at, v)) })
	return d.args[start:len(d.args):len(d.args)]
}

var vectorReductions = []string{"add", "saturating_add", "mul", "min", "max", "and", "or"}

var opOf = func() map[string]Op {
	m := make(map[string]Op, numOps)
	for op := OpInvalid + 1; op < numOps; op++ {
		m[opNames[op]] = op
	}
	return m
}()

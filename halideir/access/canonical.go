package access

import (
	"math"

	"gowarp/halideir"
)

// key is what makes two nodes equal once their operands are.
type key struct {
	op           halideir.Op
	t            halideir.Type
	a, b, c      halideir.NodeID
	more         string
	integer      int64
	float        uint64
	name         string
	kind         halideir.VarKind
	index, of    int
	field        string
	dim          int
	call         halideir.CallType
	fn, input    int
	out, numArgs int
	lanes        int
}

// number gives equal expressions one number: the first node that is like them.
// Lets are looked through, as Halide's own elimination put them there.
func (a *Analysis) number() {
	nodes := a.p.Nodes
	a.letValue = map[string]halideir.NodeID{}
	for i := range nodes {
		if n := &nodes[i]; n.Op == halideir.OpLet {
			if old, ok := a.letValue[n.Name]; ok && old != n.Args[0] {
				a.letValue[n.Name] = halideir.NoNode // two lets of one name: leave it opaque
				continue
			}
			a.letValue[n.Name] = n.Args[0]
		}
	}
	a.canonical = make([]halideir.NodeID, len(nodes))
	first := make(map[key]halideir.NodeID, len(nodes))
	for i := range nodes {
		id := halideir.NodeID(i)
		n := &nodes[i]
		if n.Op == halideir.OpLet && a.letValue[n.Name] != halideir.NoNode {
			a.canonical[i] = a.canonical[n.Args[1]]
			continue
		}
		if n.Op == halideir.OpVar && n.Kind == halideir.VarLet {
			if v, ok := a.letValue[n.Name]; ok && v >= 0 && v < id {
				a.canonical[i] = a.canonical[v]
				continue
			}
		}
		k := a.keyOf(n)
		if c, ok := first[k]; ok {
			a.canonical[i] = c
			continue
		}
		first[k] = id
		a.canonical[i] = id
	}
}

// Canonical is the first of all expressions that are equal to this one.
func (a *Analysis) Canonical(id halideir.NodeID) halideir.NodeID { return a.canonical[id] }

func (a *Analysis) keyOf(n *halideir.Node) key {
	k := key{
		op: n.Op, t: n.Type, a: -1, b: -1, c: -1, integer: n.Int, float: math.Float64bits(n.Float), name: n.Name,
		kind: n.Kind, index: n.Index, of: n.Of, field: n.Field, dim: n.Dim,
		call: n.Call, fn: n.Func, input: n.Input, out: n.Out, numArgs: len(n.Args), lanes: n.Lanes,
	}
	for i, id := range n.Args {
		switch c := a.canonical[id]; i {
		case 0:
			k.a = c
		case 1:
			k.b = c
		case 2:
			k.c = c
		default:
			k.more += string([]byte{byte(c), byte(c >> 8), byte(c >> 16), byte(c >> 24)})
		}
	}
	if n.Op == halideir.OpVar && (n.Kind == halideir.VarDim || n.Kind == halideir.VarRVar) {
		k.name = "" // the index says it
	}
	for _, i := range n.Indices {
		k.more += string([]byte{byte(i), byte(i >> 8)})
	}
	return k
}

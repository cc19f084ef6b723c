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
	values, opaque := letValues(nodes)
	a.canonical = make([]halideir.NodeID, len(nodes))
	first := make(map[key]halideir.NodeID, len(nodes))
	for i := range nodes {
		id := halideir.NodeID(i)
		n := &nodes[i]
		if n.Op == halideir.OpLet && !opaque[id] {
			a.canonical[i] = a.canonical[n.Args[1]]
			continue
		}
		if v, ok := values[id]; ok {
			a.canonical[i] = a.canonical[v]
			continue
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

// mostLetVisits bounds the search for what lets bind; more of them stay opaque.
const mostLetVisits = 1 << 24

// letValues is the value of every variable that a let binds. A let is opaque if a variable of its name in its body stands in front
// of its value or belongs to another let too, of another value: names are unique in a definition only.
func letValues(nodes []halideir.Node) (values map[halideir.NodeID]halideir.NodeID, opaque map[halideir.NodeID]bool) {
	values, opaque = map[halideir.NodeID]halideir.NodeID{}, map[halideir.NodeID]bool{}
	owner := map[halideir.NodeID]halideir.NodeID{}
	var shared [][2]halideir.NodeID // lets of the same value, and their variables that others own
	seen := make([]int, len(nodes))
	visits := 0
	for i := range nodes {
		let := halideir.NodeID(i)
		if nodes[i].Op != halideir.OpLet {
			continue
		}
		value, stack := nodes[i].Args[0], []halideir.NodeID{nodes[i].Args[1]}
		for ; len(stack) > 0 && visits < mostLetVisits; visits++ {
			id := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[id] == i+1 {
				continue
			}
			seen[id] = i + 1
			n := &nodes[id]
			stack = append(stack, n.Args...)
			if n.Op != halideir.OpVar || n.Kind != halideir.VarLet || n.Name != nodes[i].Name {
				continue
			}
			other, ok := owner[id]
			if ok && nodes[other].Args[0] == value { // as in definitions that are written anew for points of one kind
				shared = append(shared, [2]halideir.NodeID{let, id})
				continue
			}
			if ok || value >= id {
				opaque[let] = true
				if ok {
					opaque[other] = true
				}
				delete(values, id)
				continue
			}
			owner[id], values[id] = let, value
		}
		if visits >= mostLetVisits {
			opaque[let] = true
		}
	}
	for more := true; more; {
		more = false
		for _, s := range shared {
			if let := s[0]; opaque[owner[s[1]]] && !opaque[let] {
				opaque[let], more = true, true
			}
		}
	}
	for id, let := range owner {
		if opaque[let] {
			delete(values, id)
		}
	}
	return values, opaque
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

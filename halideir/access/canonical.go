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
// Lets are looked through, as Halide's own elimination put them there. Those that were analysed before stay as they were then.
func (a *Analysis) number(before *Analysis) {
	nodes := a.p.Nodes
	a.canonical = make([]halideir.NodeID, len(nodes))
	a.first = map[key]halideir.NodeID{}
	from, same := 0, false
	if before != nil && !before.extended {
		if a.lets, same = letValues(nodes, len(before.canonical), &before.lets); same {
			from = copy(a.canonical, before.canonical)
		}
	}
	if a.extended = same; !same {
		before = nil
		a.lets, _ = letValues(nodes, 0, nil)
	}
	for i := from; i < len(nodes); i++ {
		id := halideir.NodeID(i)
		n := &nodes[i]
		if n.Op == halideir.OpLet && !a.lets.opaque[id] {
			a.canonical[i] = a.canonical[n.Args[1]]
			continue
		}
		if v, ok := a.lets.values[id]; ok {
			a.canonical[i] = a.canonical[v]
			continue
		}
		k := a.keyOf(n)
		if before != nil {
			if c, ok := before.first[k]; ok {
				a.canonical[i] = c
				continue
			}
		}
		if c, ok := a.first[k]; ok {
			a.canonical[i] = c
			continue
		}
		a.first[k] = id
		a.canonical[i] = id
	}
}

// mostLetVisits bounds the search for what lets bind; more of them stay opaque.
const mostLetVisits = 1 << 24

// lets are what those of some nodes bind.
type lets struct {
	values map[halideir.NodeID]halideir.NodeID // of every variable that one binds
	opaque map[halideir.NodeID]bool            // those that are not looked through
	owner  map[halideir.NodeID]halideir.NodeID // the let of each such variable
}

// letValues is what the lets among the nodes from one on bind, where those before are known; it is not the same as if all had been looked at together where one of them makes one before opaque, or binds a variable that stands before. A let is
// opaque if a variable of its name in its body stands in front
// of its value or belongs to another let too, of another value: names are unique in a definition only.
func letValues(nodes []halideir.Node, from int, before *lets) (l lets, same bool) {
	l = lets{map[halideir.NodeID]halideir.NodeID{}, map[halideir.NodeID]bool{}, map[halideir.NodeID]halideir.NodeID{}}
	same = true
	var shared [][2]halideir.NodeID // lets of the same value, and their variables that others own
	ownerOf := func(id halideir.NodeID) (let halideir.NodeID, ok, earlier bool) {
		if let, ok = l.owner[id]; !ok && before != nil {
			let, ok = before.owner[id]
			earlier = ok
		}
		return let, ok, earlier
	}
	isOpaque := func(let halideir.NodeID) bool { return l.opaque[let] || before != nil && before.opaque[let] }
	seen := make([]int, len(nodes))
	visits := 0
	for i := from; i < len(nodes); i++ {
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
			other, ok, earlier := ownerOf(id)
			if ok && nodes[other].Args[0] == value { // as in definitions that are written anew for points of one kind
				shared = append(shared, [2]halideir.NodeID{let, id})
				continue
			}
			if ok || value >= id {
				l.opaque[let] = true
				if ok {
					same = same && (!earlier || before.opaque[other])
					l.opaque[other] = true
				}
				delete(l.values, id)
				continue
			}
			same = same && int(id) >= from
			l.owner[id], l.values[id] = let, value
		}
		if visits >= mostLetVisits {
			l.opaque[let] = true
		}
	}
	for more := true; more; {
		more = false
		for _, s := range shared {
			if owner, _, _ := ownerOf(s[1]); isOpaque(owner) && !l.opaque[s[0]] {
				l.opaque[s[0]], more = true, true
			}
		}
	}
	for id, let := range l.owner {
		if l.opaque[let] {
			delete(l.values, id)
		}
	}
	return l, same
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

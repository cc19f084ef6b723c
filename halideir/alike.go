package halideir

import (
	"math"
	"slices"
)

// Alike reports whether two expressions are the same, whatever names lets give to parts of them: those are looked through. lets are the values of the names in both (see Lets). Where one of those is ambiguous,
// only the same node is alike.
func (p *Pipeline) Alike(a, b NodeID, lets map[string]NodeID) bool {
	for _, value := range lets {
		if value == NoNode {
			return a == b
		}
	}
	seen := map[[2]NodeID]bool{} // pairs that were asked: of one that is not alike nothing further is
	var alike func(a, b NodeID) bool
	alike = func(a, b NodeID) bool {
		a, b = p.withoutLets(a, lets), p.withoutLets(b, lets)
		pair := [2]NodeID{a, b}
		if a == b || seen[pair] {
			return true
		}
		seen[pair] = true
		m, n := &p.Nodes[a], &p.Nodes[b]
		if !sameButArgs(m, n) || len(m.Args) != len(n.Args) {
			return false
		}
		for i := range m.Args {
			if !alike(m.Args[i], n.Args[i]) {
				return false
			}
		}
		return true
	}
	return alike(a, b)
}

// withoutLets is the body of a let, and the value of a variable that one binds. A value stands before the variables of its name; one that does not is none of theirs.
func (p *Pipeline) withoutLets(id NodeID, lets map[string]NodeID) NodeID {
	for {
		n := &p.Nodes[id]
		if n.Op == OpLet {
			id = n.Args[1]
			continue
		}
		value, ok := NoNode, false
		if n.Op == OpVar && n.Kind == VarLet {
			value, ok = lets[n.Name]
		}
		if !ok || value >= id {
			return id
		}
		id = value
	}
}

// sameButArgs reports whether two nodes are the same but for their operands.
func sameButArgs(a, b *Node) bool {
	return a.Op == b.Op && a.Type == b.Type && a.Int == b.Int && math.Float64bits(a.Float) == math.Float64bits(b.Float) && a.Name == b.Name && a.Kind == b.Kind && a.Index == b.Index && a.Of == b.Of && a.Field == b.Field &&
		a.Dim == b.Dim && a.Call == b.Call && a.Func == b.Func && a.Input == b.Input && a.Out == b.Out && a.Lanes == b.Lanes && slices.Equal(a.Indices, b.Indices)
}

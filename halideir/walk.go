package halideir

// Walk visits every node that the roots reach, each once. NoNode among the roots is
// passed over.
func (p *Pipeline) Walk(visit func(id NodeID, n *Node), roots ...NodeID) {
	p.WalkInto(func(id NodeID, n *Node) []NodeID {
		visit(id, n)
		return n.Args
	}, roots...)
}

// WalkInto is Walk where visit says which nodes are gone on to.
func (p *Pipeline) WalkInto(visit func(id NodeID, n *Node) []NodeID, roots ...NodeID) {
	seen := map[NodeID]bool{}
	work := append([]NodeID(nil), roots...)
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if id == NoNode || seen[id] {
			continue
		}
		seen[id] = true
		n := &p.Nodes[id]
		work = append(work, visit(id, n)...)
	}
}

// Lets are the values that the lets below the roots bind, by name; NoNode where two lets of one
// name bind different ones.
func (p *Pipeline) Lets(roots ...NodeID) map[string]NodeID {
	lets := map[string]NodeID{}
	p.Walk(func(_ NodeID, n *Node) {
		if n.Op != OpLet {
			return
		}
		if old, twice := lets[n.Name]; twice && old != n.Args[0] {
			lets[n.Name] = NoNode
		} else {
			lets[n.Name] = n.Args[0]
		}
	}, roots...)
	return lets
}

// Roots are the expressions of a stage: its left-hand side, values and predicate.
func (s *Stage) Roots() []NodeID {
	roots := append([]NodeID(nil), s.Args...)
	roots = append(roots, s.Values...)
	return append(roots, s.Predicate)
}

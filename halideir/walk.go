package halideir

// Walk visits every node that the roots reach, each once. NoNode among the roots is
// passed over.
func (p *Pipeline) Walk(visit func(id NodeID, n *Node), roots ...NodeID) {
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
		visit(id, n)
		work = append(work, n.Args...)
	}
}

// Roots are the expressions of a stage: its left-hand side, values and predicate.
func (s *Stage) Roots() []NodeID {
	roots := append([]NodeID(nil), s.Args...)
	roots = append(roots, s.Values...)
	return append(roots, s.Predicate)
}

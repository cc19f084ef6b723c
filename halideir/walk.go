package halideir

import "sync"

// Walk visits every node that the roots reach, each once. NoNode among the roots is
// passed over.
func (p *Pipeline) Walk(visit func(id NodeID, n *Node), roots ...NodeID) {
	p.WalkInto(func(id NodeID, n *Node) []NodeID {
		visit(id, n)
		return n.Args
	}, roots...)
}

// ReadsBuffer reports whether a node that the roots reach reads a Func or an input.
func (p *Pipeline) ReadsBuffer(roots ...NodeID) (reads bool) {
	p.Walk(func(_ NodeID, n *Node) { reads = reads || n.ReadsBuffer() }, roots...)
	return reads
}

// WalkInto is Walk where visit says which nodes are gone on to.
func (p *Pipeline) WalkInto(visit func(id NodeID, n *Node) []NodeID, roots ...NodeID) {
	w := walks.Get().(*walk)
	defer walks.Put(w)
	w.begin(len(p.Nodes))
	w.waiting = append(w.waiting[:0], roots...)
	for len(w.waiting) > 0 {
		id := w.waiting[len(w.waiting)-1]
		w.waiting = w.waiting[:len(w.waiting)-1]
		if id == NoNode || w.seen[id] == w.now {
			continue
		}
		w.seen[id] = w.now
		n := &p.Nodes[id]
		w.waiting = append(w.waiting, visit(id, n)...)
	}
}

// walk is what one keeps track of.
type walk struct {
	seen    []uint32 // by node: the last walk that visited it
	now     uint32   // this one
	waiting []NodeID
}

// walks are kept for their memory: a pipeline is walked through thousands of times, mostly a few nodes of it.
var walks = sync.Pool{New: func() any { return new(walk) }}

func (w *walk) begin(nodes int) {
	if w.now++; len(w.seen) < nodes || w.now == 0 {
		w.seen, w.now = make([]uint32, nodes), 1
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

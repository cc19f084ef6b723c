package bounds

import "gowarp/halideir"

// plainIndices says, for every Func that a stage loads, which dimensions are only ever indexed by
// sums and multiples of loops and numbers. The others hold clamps, divisions,
// remainders or loaded values: the exported box may be as simple as any, but when Halide
// lowers it starts from these expressions and may not come to it.
// Of those that hold no loaded values loops of constant ends have Halide come to constants.
func plainIndices(p *halideir.Pipeline, st *halideir.Stage) map[int][]indexForms {
	w := plainWalker{p: p, lets: p.Lets(st.Roots()...), memo: map[halideir.NodeID]bool{}, loads: map[halideir.NodeID]bool{}}
	var calls []*halideir.Node
	p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		if n.Op == halideir.OpCall && n.Call == halideir.CallHalide {
			calls = append(calls, n)
		}
	}, st.Roots()...)
	out := map[int][]indexForms{}
	for _, n := range calls {
		plain := out[n.Func]
		if plain == nil {
			plain = make([]indexForms, len(n.Args))
			for k := range plain {
				plain[k] = indexForms{true, true}
			}
			out[n.Func] = plain
		}
		for k, a := range n.Args {
			plain[k].plain = plain[k].plain && w.plain(a, maxFitDepth)
			plain[k].unloaded = plain[k].unloaded && !w.loaded(a)
		}
	}
	return out
}

// indexForms are what is said of all those of a dimension.
type indexForms struct {
	plain    bool // sums and multiples of loops and numbers
	unloaded bool // they hold nothing that is loaded
}

type plainWalker struct {
	p    *halideir.Pipeline
	lets map[string]halideir.NodeID
	memo map[halideir.NodeID]bool

	loads map[halideir.NodeID]bool // those that hold something that is loaded
}

// plain reports whether an index is made of sums and multiples alone.
func (w *plainWalker) plain(id halideir.NodeID, depth int) bool {
	if id == halideir.NoNode || depth == 0 {
		return false
	}
	if v, ok := w.memo[id]; ok {
		return v
	}
	n := &w.p.Nodes[id]
	v := false
	switch n.Op {
	case halideir.OpInt:
		v = true
	case halideir.OpVar:
		switch n.Kind {
		case halideir.VarDim, halideir.VarRVar:
			v = true
		case halideir.VarLet:
			value, ok := w.lets[n.Name]
			v = ok && w.plain(value, depth-1)
		}
	case halideir.OpAdd, halideir.OpSub, halideir.OpMul:
		v = w.plain(n.Args[0], depth-1) && w.plain(n.Args[1], depth-1)
	}
	w.memo[id] = v
	return v
}

// loaded reports whether an index holds something that is loaded, or what only a run knows.
func (w *plainWalker) loaded(id halideir.NodeID) bool {
	if id == halideir.NoNode {
		return false
	}
	if v, ok := w.loads[id]; ok {
		return v
	}
	w.loads[id] = true // of a name that stands for itself there is none
	n := &w.p.Nodes[id]
	v := n.ReadsBuffer() || ofRun(n)
	if n.Op == halideir.OpVar {
		switch n.Kind {
		case halideir.VarDim, halideir.VarRVar:
			v = false
		case halideir.VarLet:
			value, ok := w.lets[n.Name]
			v = !ok || w.loaded(value)
		}
	}
	for _, a := range n.Args {
		v = v || w.loaded(a)
	}
	w.loads[id] = v
	return v
}

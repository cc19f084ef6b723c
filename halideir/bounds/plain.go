package bounds

import "gowarp/halideir"

// plainIndices says, for every Func that a stage loads, which dimensions are only ever indexed by
// sums and multiples of loops and numbers. The others hold clamps, divisions,
// remainders or loaded values: the exported box may be as simple as any, but when Halide
// lowers it starts from these expressions and may not come to it.
func plainIndices(p *halideir.Pipeline, st *halideir.Stage) map[int][]bool {
	w := plainWalker{p: p, lets: p.Lets(st.Roots()...), memo: map[halideir.NodeID]bool{}}
	var calls []*halideir.Node
	p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		if n.Op == halideir.OpCall && n.Call == halideir.CallHalide {
			calls = append(calls, n)
		}
	}, st.Roots()...)
	out := map[int][]bool{}
	for _, n := range calls {
		plain := out[n.Func]
		if plain == nil {
			plain = make([]bool, len(n.Args))
			for k := range plain {
				plain[k] = true
			}
			out[n.Func] = plain
		}
		for k, a := range n.Args {
			plain[k] = plain[k] && w.plain(a, maxFitDepth)
		}
	}
	return out
}

type plainWalker struct {
	p    *halideir.Pipeline
	lets map[string]halideir.NodeID
	memo map[halideir.NodeID]bool
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

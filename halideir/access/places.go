package access

import "gowarp/halideir"

// Places tells of each Func whether its values say where something is accessed or how far a loop runs: directly, or in what another such Func computes.
func Places(p *halideir.Pipeline) []bool {
	out := make([]bool, len(p.Funcs))
	var roots []halideir.NodeID
	indices := func(_ halideir.NodeID, n *halideir.Node) {
		if n.Op == halideir.OpCall && (n.Call == halideir.CallHalide || n.Call == halideir.CallImage) {
			roots = append(roots, n.Args...)
		}
	}
	for id := range p.Funcs {
		for st := range p.Funcs[id].Stages {
			s := &p.Funcs[id].Stages[st]
			roots = append(roots, s.Args...)
			for _, v := range s.RVars {
				roots = append(roots, v.Min, v.Extent)
				p.Walk(indices, v.Min, v.Extent)
			}
			p.Walk(indices, s.Roots()...)
		}
	}
	for len(roots) > 0 {
		of := roots
		roots = nil
		p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
			if n.Op != halideir.OpCall || n.Call != halideir.CallHalide || out[n.Func] {
				return
			}
			out[n.Func] = true
			for _, s := range p.Funcs[n.Func].Stages {
				roots = append(roots, s.Values...)
			}
		}, of...)
	}
	return out
}

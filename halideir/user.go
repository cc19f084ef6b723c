package halideir

import "fmt"

// unknownNode reports the first node whose op this version does not know, with
// a Func that uses it.
func (p *Pipeline) unknownNode() error {
	for id := range p.Nodes {
		if p.Nodes[id].Op == OpInvalid {
			return fmt.Errorf("halideir: nodes[%d]: unknown op %q, %s: this gowarp is older than the document, or the document is damaged",
				id, p.Nodes[id].Name, p.userOf(NodeID(id)))
		}
	}
	return nil
}

// userOf says which Func uses a node, for errors. It is slow.
func (p *Pipeline) userOf(target NodeID) string {
	seen := make([]bool, len(p.Nodes))
	var stack []NodeID
	reaches := func(roots []NodeID) bool {
		stack = append(stack[:0], roots...)
		for len(stack) > 0 {
			id := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if id == target {
				return true
			}
			if id < 0 || int(id) >= len(p.Nodes) || seen[id] {
				continue
			}
			seen[id] = true
			stack = append(stack, p.Nodes[id].Args...)
		}
		return false
	}
	p.SetLabels()
	for i := range p.Funcs {
		f := &p.Funcs[i]
		for j := range f.Stages {
			s := &f.Stages[j]
			roots := append(append([]NodeID{s.Predicate}, s.Args...), s.Values...)
			for _, r := range s.RVars {
				roots = append(roots, r.Min, r.Extent)
			}
			if reaches(roots) {
				return "used by " + stageName(f, j)
			}
		}
		var roots []NodeID
		if f.Extern != nil {
			for _, a := range f.Extern.Args {
				roots = append(roots, a.Expr)
			}
		}
		for _, b := range f.Bounds {
			roots = append(roots, b.Min, b.Extent, b.Modulus, b.Remainder)
		}
		if reaches(roots) {
			return fmt.Sprintf("used by Func %d (%s)", i, f.Label)
		}
	}
	for i, e := range p.Edges {
		for _, r := range e.Box {
			if !reaches([]NodeID{r.Lo, r.Hi}) {
				continue
			}
			if e.Consumer >= 0 && e.Consumer < len(p.Funcs) {
				return fmt.Sprintf("used by edges[%d] of Func %d (%s)", i, e.Consumer, p.Funcs[e.Consumer].Label)
			}
			return fmt.Sprintf("used by edges[%d]", i)
		}
	}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		roots := []NodeID{in.Estimate, in.Min, in.Max, in.Value}
		for _, d := range in.Dims {
			roots = append(roots, d.Min, d.Extent, d.Stride)
		}
		if reaches(roots) {
			return fmt.Sprintf("used by input %s", in.Label)
		}
	}
	return "used by no Func"
}

package schedule

import (
	"fmt"
	"slices"
)

// checkWith checks that a Func which runs in the loops of another can: both are kernels of one stage with the same loops down to the one named, and neither
// needs the other. How Halide nests the guards of deeper loops into each other is not right where regions differ (RATIONALE.md, "Several Funcs in one
// kernel"), so that only loops over blocks are shared.
func (g *program) checkWith(f int) error {
	by, at := g.with[f].by, g.with[f].at
	if at == nil {
		return nil
	}
	switch {
	case at.Func >= len(g.p.Funcs) || at.Stage >= len(g.nests[at.Func]):
		return fmt.Errorf("%s: there is no such stage", by)
	case at.Name != g.p.Funcs[at.Func].Label:
		return fmt.Errorf("%s: Func %d is %s in this pipeline", by, at.Func, g.p.Funcs[at.Func].Label)
	case at.Func == f:
		return fmt.Errorf("%s: a Func is not its own neighbour", by)
	case g.with[at.Func].at != nil:
		return fmt.Errorf("%s: %s runs in the loops of %s itself; name those", by, at.Name, g.with[at.Func].at.Name)
	}
	for _, id := range []int{f, at.Func} {
		switch {
		case !g.compute[id].root:
			return fmt.Errorf("%s: %s is not computed at root", by, g.p.Funcs[id].Label)
		case len(g.nests[id]) != 1 || g.special[id] != nil:
			return fmt.Errorf("%s: %s has several stages or cases", by, g.p.Funcs[id].Label)
		}
	}
	n, of := g.nests[f][0], g.nests[at.Func][0]
	i, j := n.find(at.Var), of.find(at.Var)
	if i < 0 || j < 0 {
		return fmt.Errorf("%s: both need a loop %q; they have %s and %s", by, at.Var, n.list(), of.list())
	}
	if !slices.EqualFunc(n.loops[i:], of.loops[j:], func(a, b loop) bool { return a.label == b.label && a.kind == b.kind && a.kind == blockLoop }) {
		return fmt.Errorf("%s: the loops from the outermost to %s are not the same loops over blocks: %s and %s has %s", by, at.Var, n.list(), at.Name, of.list())
	}
	for id, c := range g.compute {
		if c.at != nil && (c.at.Func == f || c.at.Func == at.Func) {
			return fmt.Errorf("%s: %s is computed inside %s, whose regions Halide then does not tell apart", by, g.p.Funcs[id].Label, c.at.Name)
		}
	}
	if g.needsItself(at.Func) {
		return fmt.Errorf("%s: what runs together needs what comes of it", by)
	}
	return nil
}

// head is the Func in whose loops one runs, itself if in none.
func (g *program) head(f int) int {
	if at := g.with[f].at; at != nil {
		return at.Func
	}
	return f
}

// needsItself reports whether a Func, or what runs in its loops, is read by another of those, also through Funcs between and what runs in the loops of these.
func (g *program) needsItself(head int) bool {
	seen := make([]bool, len(g.p.Funcs))
	var visit func(h int) bool
	visit = func(h int) bool {
		seen[h] = true
		for f := range g.p.Funcs {
			if g.head(f) != h {
				continue
			}
			for _, e := range g.callers[f] {
				if c := g.head(e.Consumer); c == head || !seen[c] && visit(c) {
					return true
				}
			}
		}
		return false
	}
	return visit(head)
}

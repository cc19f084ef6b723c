package schedule

import (
	"fmt"
	"slices"

	"gowarp/halideir"
)

// Check carries out the directives on the pipeline's loops: every directive
// finds its loops, new loops have new names, and every Func computed at a loop
// is needed inside that loop alone. It knows no limits of devices.
func (s *Schedule) Check(p *halideir.Pipeline) error {
	_, err := s.carryOut(p)
	return err
}

// carryOut is Check with the loops that the directives make.
func (s *Schedule) carryOut(p *halideir.Pipeline) (*program, error) {
	g, err := simulate(p, s.Directives)
	if err != nil {
		return nil, err
	}
	p = g.p
	for i := range s.Kernels {
		k := &s.Kernels[i]
		if k.Func < 0 || k.Func >= len(p.Funcs) || k.Stage < 0 || k.Stage >= max(1, len(g.nests[k.Func])) {
			return nil, fmt.Errorf("schedule: kernel %d (%s): Func %d stage %d does not exist", i, k.Name, k.Func, k.Stage)
		}
		if !g.compute[k.Func].root {
			return nil, fmt.Errorf("schedule: kernel %d (%s): its Func is not computed at root", i, k.Name)
		}
	}
	return g, nil
}

// checkPlace checks that the loops exist at which a Func is computed and
// stored.
func (g *program) checkPlace(f int) error {
	for _, place := range []placement{g.compute[f], g.store[f]} {
		if place.at == nil {
			continue
		}
		at := place.at
		switch {
		case at.Func >= len(g.p.Funcs) || at.Stage >= len(g.nests[at.Func]):
			return fmt.Errorf("%s: there is no such stage", place.by)
		case at.Name != g.p.Funcs[at.Func].Label:
			return fmt.Errorf("%s: Func %d is %s in this pipeline", place.by, at.Func, g.p.Funcs[at.Func].Label)
		case at.Func == f:
			return fmt.Errorf("%s: a Func cannot be computed inside itself", place.by)
		case g.compute[at.Func].inline:
			return fmt.Errorf("%s: %s is inlined and has no loops", place.by, at.Name)
		}
		for _, n := range g.cases(at.Func, at.Stage) {
			if n.find(at.Var) < 0 {
				return fmt.Errorf("%s: %s has no loop %q; it has %s", place.by, StageLabel(at.Name, at.Stage), at.Var, n.list())
			}
		}
	}
	return nil
}

// checkUse checks that what is computed at a loop is needed there and nowhere
// else, and stored around it.
func (g *program) checkUse(f int) error {
	name := g.p.Funcs[f].Label
	at := g.compute[f].at
	if at == nil {
		if g.store[f].at != nil && g.compute[f].inline {
			return fmt.Errorf("%s: %s is inlined and not stored", g.store[f].by, name)
		}
		return nil
	}
	if s := g.store[f].at; s != nil && !g.inside(at, s, len(g.p.Funcs)) {
		return fmt.Errorf("%s: %s is computed at %s, which is not inside that loop", g.store[f].by, name, at)
	}
	if len(g.callers[f]) == 0 {
		return fmt.Errorf("%s: nothing reads %s", g.compute[f].by, name)
	}
	return g.needed(f, f, at, map[int]bool{})
}

// String is the loop for people: gray.update(0).x.
func (l *Level) String() string { return StageLabel(l.Name, l.Stage) + "." + l.Var }

// inside reports whether the loop in is the loop out, or lies within it.
func (g *program) inside(in, out *Level, budget int) bool {
	for ; in != nil && budget >= 0; budget-- {
		if in.Func == out.Func && in.Stage == out.Stage {
			return !slices.ContainsFunc(g.cases(in.Func, in.Stage), func(n *nest) bool { return n.find(in.Var) > n.find(out.Var) })
		}
		in = g.compute[in.Func].at
	}
	return false
}

// needed reports the first consumer of via that runs outside the loop at which
// f is computed.
func (g *program) needed(f, via int, at *Level, seen map[int]bool) error {
	if seen[via] {
		return nil
	}
	seen[via] = true
	for _, e := range g.callers[via] {
		c := e.Consumer
		switch {
		case c == at.Func && e.Stage == at.Stage:
		case g.compute[c].inline:
			if err := g.needed(f, c, at, seen); err != nil {
				return err
			}
		case g.compute[c].at == nil || !g.inside(g.compute[c].at, at, len(g.p.Funcs)):
			return fmt.Errorf("%s: %s needs it too, and is not computed inside that loop",
				g.compute[f].by, StageLabel(g.p.Funcs[c].Label, e.Stage))
		}
	}
	return nil
}

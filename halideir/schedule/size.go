package schedule

import (
	"gowarp/halideir"
)

// box is a range per argument; nil where it is unknown.
type box [][2]int64

// sizer works out how large the regions and loops are at the estimated sizes.
// What it cannot know (no estimates, unbounded boxes) it leaves unknown.
type sizer struct {
	*program
	whole   []box // per Func: all of it that the outputs need
	boxes   []box // per Func: what is computed at once, at root or at its loop
	members map[int]Member
}

func (g *program) sizes(kernels []Kernel) *sizer {
	z := &sizer{program: g, whole: make([]box, len(g.p.Funcs)), boxes: make([]box, len(g.p.Funcs)), members: map[int]Member{}}
	for i := range kernels {
		for _, m := range kernels[i].Members {
			z.members[m.Func] = m
		}
	}
	// Consumers have larger ids, so their boxes are there when a producer asks.
	for f := len(g.p.Funcs) - 1; f >= 0; f-- {
		z.whole[f] = z.require(f, func(e halideir.Edge) (lo, hi []int64, ok bool) {
			return z.rangeOver(e.Consumer, e.Stage, z.whole[e.Consumer])
		})
		if g.p.Funcs[f].Output {
			z.whole[f] = estimated(g.p, &g.p.Funcs[f])
		}
		z.boxes[f] = z.boxOf(f)
	}
	return z
}

func (z *sizer) boxOf(f int) box {
	at := z.compute[f].at
	if at == nil {
		return z.whole[f]
	}
	b := z.tile(f, at)
	// The scheduler's own figure is the worst of all tiles, this one the first's.
	if extents := z.members[f].Extents; b != nil && len(extents) == len(b) {
		for k := range b {
			b[k][1] = b[k][0] + extents[k] - 1
		}
	}
	return b
}

func estimated(p *halideir.Pipeline, f *halideir.Func) box {
	b := make(box, len(f.Args))
	for k := range f.Args {
		lo, n, ok := p.Declared(f, k)
		if !ok {
			return nil
		}
		b[k] = [2]int64{lo, lo + n - 1}
	}
	return b
}

// bounds is the bounds of a stage's untouched loops, given its Func's box.
func (z *sizer) bounds(f, stage int) (lo, hi []int64, ok bool) {
	return z.rangeOver(f, stage, z.boxes[f])
}

func (z *sizer) rangeOver(f, stage int, b box) (lo, hi []int64, ok bool) {
	if b == nil || stage >= len(z.p.Funcs[f].Stages) {
		return nil, nil, false
	}
	s := &z.p.Funcs[f].Stages[stage]
	for _, l := range s.Loops {
		if l.Arg >= 0 {
			lo, hi = append(lo, b[l.Arg][0]), append(hi, b[l.Arg][1])
			continue
		}
		r := s.RVars[l.RVar]
		first, ok1 := z.p.EvalInt(r.Min, halideir.Env{})
		n, ok2 := z.p.EvalInt(r.Extent, halideir.Env{})
		if !ok1 || !ok2 {
			return nil, nil, false
		}
		lo, hi = append(lo, first), append(hi, first+n-1)
	}
	return lo, hi, true
}

// require is the union of what the callers' loops need of f; bounds says over
// which range a caller runs, and ok=false leaves that caller out.
func (z *sizer) require(f int, bounds func(e halideir.Edge) (lo, hi []int64, ok bool)) box {
	var b box
	for _, e := range z.callers[f] {
		lo, hi, ok := bounds(e)
		if !ok || len(e.Box) != len(z.p.Funcs[f].Args) {
			continue
		}
		env := halideir.Env{Lo: lo, Hi: hi}
		first := b == nil
		if first {
			b = make(box, len(e.Box))
		}
		for k, r := range e.Box {
			from, ok1 := z.p.EvalInt(r.Lo, env)
			to, ok2 := z.p.EvalInt(r.Hi, env)
			if !ok1 || !ok2 {
				return nil
			}
			if first {
				b[k] = [2]int64{from, to}
			} else {
				b[k] = [2]int64{min(b[k][0], from), max(b[k][1], to)}
			}
		}
	}
	return b
}

// tile is what one iteration of the loop at needs of f, through the Funcs
// between: those inlined, and those computed within.
func (z *sizer) tile(f int, at *Level) box {
	lo, hi, ok := z.bounds(at.Func, at.Stage)
	if !ok {
		return nil
	}
	n := z.main(at.Func, at.Stage)
	inside := n.inside(at.Var, n.extents(lo, hi))
	to := make([]int64, len(lo))
	for k := range lo {
		to[k] = min(lo[k]+inside[k]-1, hi[k])
	}
	boxes := map[int]box{}
	within := func(e halideir.Edge) (_, _ []int64, ok bool) {
		if e.Consumer == at.Func && e.Stage == at.Stage {
			return lo, to, true
		}
		b, ok := boxes[e.Consumer]
		if !ok || b == nil {
			return nil, nil, false
		}
		return z.rangeOver(e.Consumer, e.Stage, b)
	}
	for c := at.Func - 1; c > f; c-- {
		if z.compute[c].inline {
			boxes[c] = z.require(c, within)
		} else if l := z.compute[c].at; l != nil && z.program.inside(l, at, len(z.p.Funcs)) {
			boxes[c] = z.boxes[c]
		}
	}
	return z.require(f, within)
}

// extents is the trip count of every loop that ever was in the nest, by id.
func (n *nest) extents(lo, hi []int64) []int64 {
	e := make([]int64, n.nextID)
	for k := range n.origin {
		e[k] = max(hi[k]-lo[k]+1, 0)
	}
	for _, s := range n.steps {
		if s.fuse {
			e[s.vars[2]] = e[s.vars[0]] * e[s.vars[1]]
		} else {
			e[s.vars[1]], e[s.vars[2]] = (e[s.vars[0]]+s.n-1)/s.n, s.n
		}
	}
	return e
}

// inside is how far each untouched loop moves within one iteration of a loop:
// the loops inside it run in full, the others stand still.
func (n *nest) inside(label string, extents []int64) []int64 {
	e := make([]int64, n.nextID)
	for k := range e {
		e[k] = 1
	}
	for k := range n.find(label) {
		e[n.ids[k]] = extents[n.ids[k]]
	}
	for i := len(n.steps) - 1; i >= 0; i-- {
		s := n.steps[i]
		switch {
		case !s.fuse:
			e[s.vars[0]] = min(extents[s.vars[0]], (e[s.vars[1]]-1)*s.n+e[s.vars[2]])
		case e[s.vars[2]] > 1:
			e[s.vars[0]], e[s.vars[1]] = extents[s.vars[0]], extents[s.vars[1]]
		}
	}
	return e[:n.origin]
}

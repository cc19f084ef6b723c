package bounds

import (
	"slices"

	"gowarp/halideir"
)

// Growth is one dimension of the region of a Func that one tile of the group's
// output needs. For a tile that covers [x, x+T-1] of output dimension Dim it is
//
//	[ floor((Num*x' + Lo) / Den), floor((Num*x" + Hi) / Den) ]
//
// with x', x" the tile's first and last point for Num > 0, swapped for Num < 0.
// Dim is -1 when the region does not move with the tile; it is then [Lo, Hi].
type Growth struct {
	Dim      int
	Num, Den int64
	Lo, Hi   int64
	Known    bool // false: no such form; the whole region is needed
	Trust
}

// Extent is the largest number of points that any tile of T points needs, over
// all origins of the tile.
func (g Growth) Extent(t int64) int64 {
	if g.Dim < 0 {
		return max(g.Hi-g.Lo+1, 1) // of what Halide finds that nothing reads there is storage for a point
	}
	// floor((a+b)/d) - floor(a/d) is at most floor((b+d-1)/d) over all a; when
	// every a is a multiple of some g > 1 the residues are fewer, but tile
	// origins are not restricted here.
	return FloorDiv(abs(g.Num)*(t-1)+g.Hi-g.Lo+g.Den-1, g.Den) + 1
}

// Provable reports whether Halide 21 itself comes to the extent. With a clamp, a
// remainder or a division in the footprint it cannot under guarded tails: it would check a bound
// in the kernel, with a trap and a barrier, and take a far larger extent for the block's.
func (g Growth) Provable() bool { return g.Known && g.Den == 1 && !g.Loose }

func (g Growth) small() bool {
	return abs(g.Num) <= maxCoefficient && abs(g.Lo) <= maxCoefficient && abs(g.Hi) <= maxCoefficient && g.Den <= maxCoefficient
}

// Fits caches the fitted ends of every edge of a pipeline.
type Fits struct {
	p     *halideir.Pipeline
	r     *Regions
	edges [][][]fitted
}

type fitted struct {
	edge *halideir.Edge
	ends []fittedRange
}

type fittedRange struct {
	lo, hi   End
	ok       bool
	unloaded bool // see indexForms
}

// NewFits fits the affine form of every edge once and checks each against
// Halide's own expression over sample boxes of the consumer.
func NewFits(p *halideir.Pipeline, r *Regions) *Fits {
	f := &Fits{p: p, r: r, edges: make([][][]fitted, len(p.Funcs))}
	for c, stages := range r.edges {
		f.edges[c] = make([][]fitted, len(stages))
		for s, edges := range stages {
			var plain map[int][]indexForms
			if p.Funcs[c].Extern == nil {
				plain = plainIndices(p, &p.Funcs[c].Stages[s])
			}
			for _, e := range edges {
				ft := f.fitEdge(e)
				for k := range ft.ends {
					is := plain[e.Func]
					if k >= len(is) || !is[k].plain {
						ft.ends[k].lo.Loose = true
					}
					ft.ends[k].unloaded = k < len(is) && is[k].unloaded
				}
				f.edges[c][s] = append(f.edges[c][s], ft)
			}
		}
	}
	return f
}

func (f *Fits) fitEdge(e *halideir.Edge) fitted {
	out := fitted{edge: e, ends: make([]fittedRange, len(e.Box))}
	samples := f.samples(e)
	if samples == nil {
		return out
	}
	for k, rg := range e.Box {
		ft := fitter{p: f.p, st: &f.p.Funcs[e.Consumer].Stages[e.Stage], left: maxFitVisits}
		lo, okLo := ft.fit(rg.Lo, lower)
		hi, okHi := ft.fit(rg.Hi, upper)
		fr := fittedRange{lo: lo, hi: hi, ok: okLo && okHi}
		if fr.ok {
			// An end that moves against one that does not is a box that grows
			// as the tile moves: no tile has a constant footprint there.
			fr.ok = lo.Loop == hi.Loop && lo.Num*hi.Den == hi.Num*lo.Den && (lo.Loop < 0 || lo.AtHi == (lo.Num < 0) && hi.AtHi == (hi.Num > 0))
		}
		fr.ok = fr.ok && f.holds(rg, fr, samples)
		out.ends[k] = fr
	}
	return out
}

// samples are loop boxes of the consumer at which a fit is checked: quarters of
// every loop's range at its start, middle and end, and a tile's width at both ends. Clamps were
// looked through, so a form that is right only on one side of a constant shows here.
func (f *Fits) samples(e *halideir.Edge) []halideir.Env {
	if f.p.Funcs[e.Consumer].Extern != nil {
		return nil
	}
	loops, err := f.r.Loops(f.p, e.Consumer, e.Stage)
	if err != nil {
		return nil
	}
	var envs []halideir.Env
	add := func(part func(l Interval) Interval) {
		env := halideir.Env{Lo: make([]int64, len(loops)), Hi: make([]int64, len(loops))}
		for i, l := range loops {
			p := part(l)
			env.Lo[i], env.Hi[i] = p.Lo, p.Hi
		}
		envs = append(envs, env)
	}
	for _, at := range [][2]int64{{0, 4}, {1, 4}, {2, 4}, {3, 4}, {0, 1}, {1, 2}} {
		add(func(l Interval) Interval {
			q := max(l.Extent()/at[1], 1)
			lo := min(l.Lo+at[0]*q, l.Hi)
			return Interval{lo, min(lo+q-1, l.Hi)}
		})
	}
	add(func(l Interval) Interval { return Interval{l.Lo, min(l.Lo+smallTile-1, l.Hi)} })
	add(func(l Interval) Interval { return Interval{max(l.Hi-smallTile+1, l.Lo), l.Hi} })
	return envs
}

// smallTile is the least tile of a dimension worth tiling (Sioutas et al. 2020, section 4.2).
const smallTile = 8

// holds reports whether the fitted range contains the exact one at every sample.
func (f *Fits) holds(rg halideir.Range, fr fittedRange, samples []halideir.Env) bool {
	for _, env := range samples {
		lo, okLo := f.p.EvalInt(rg.Lo, env)
		hi, okHi := f.p.EvalInt(rg.Hi, env)
		if !okLo || !okHi {
			return false
		}
		if lo > hi {
			continue
		}
		if fr.lo.at(env) > lo || fr.hi.at(env) < hi {
			return false
		}
	}
	return true
}

func (e End) at(env halideir.Env) int64 {
	if e.Loop < 0 {
		return e.C
	}
	return e.At(env.Lo[e.Loop], env.Hi[e.Loop])
}

// Group is the growth of every Func that one tile of Out's stage reaches through
// the Funcs of In (members and inlined alike), and of what those read from
// outside.
type Group struct {
	Funcs  map[int][]Growth // Func id, outside producers included
	Inputs map[int][]Growth // input id

	lowest int // the lowest id in Funcs
}

// Grow computes the growth for the tile of one stage. in reports whether a Func
// belongs to the group besides the output, stored whether such a Func is not inlined: only
// then do the user's own bounds on it hold. whole, which may be nil, are the dimensions of the output that no
// tile divides: where Whole knows one, all of it is what a tile covers. Funcs are visited
// consumers first, which descending ids are.
func (f *Fits) Grow(out, stage int, whole func(dim int) bool, in, stored func(id int) bool) *Group {
	g := &Group{Funcs: map[int][]Growth{}, Inputs: map[int][]Growth{}}
	own := make([]Growth, len(f.p.Funcs[out].Args))
	for k := range own {
		own[k] = Growth{Dim: k, Num: 1, Den: 1, Known: true, Trust: Trust{Fixed: true}}
		if all, ok := f.Whole(out, k); ok && whole != nil && whole(k) {
			own[k] = all
		}
	}
	g.Funcs[out], g.lowest = own, out
	g.through(f, out, stage)
	for id := out - 1; id >= g.lowest; id-- {
		if g.Funcs[id] == nil || !in(id) {
			continue
		}
		if stored(id) {
			f.bound(id, g.Funcs[id])
		}
		for s := len(f.p.Funcs[id].Stages) - 1; s >= 0; s-- {
			g.through(f, id, s)
		}
	}
	return g
}

// bound replaces what is needed of a Func by what the user fixed with Func::bound: Halide
// computes all of it, wherever. Bounds of other kinds (an extent alone, an alignment)
// widen the region in ways that are not followed.
func (f *Fits) bound(id int, gs []Growth) {
	fn := &f.p.Funcs[id]
	for k := range gs {
		if slices.ContainsFunc(fn.Bounds, func(b halideir.Bound) bool { return b.Var == fn.Args[k] }) {
			gs[k], _ = f.Whole(id, k)
		}
	}
}

// Whole is a dimension of a Func of which the same part is needed in every run (see Regions.Constant).
func (f *Fits) Whole(id, k int) (Growth, bool) {
	at, ok := f.r.Constant(f.p, id, k)
	g := Growth{Dim: -1, Den: 1, Lo: at.Lo, Hi: at.Hi, Known: true, Trust: Trust{Fixed: true}}
	if !ok || !g.small() {
		return Growth{}, false
	}
	return g, true
}

// through adds what one stage's region needs of its producers.
func (g *Group) through(f *Fits, id, stage int) {
	consumer := g.Funcs[id]
	st := &f.p.Funcs[id].Stages[stage]
	for _, ft := range f.edges[id][stage] {
		need := make([]Growth, len(ft.ends))
		for k, fr := range ft.ends {
			if !fr.ok || fr.unloaded {
				need[k] = f.standing(st, consumer, ft.edge.Box[k])
			}
			if fr.ok && !need[k].Known {
				need[k] = f.compose(st, consumer, fr)
				if all := f.standing(st, consumer, ft.edge.Box[k]); all.Known && f.overDomain(st, ft.edge.Box[k]) {
					need[k] = all // a form that moves with the tile knows no domain's end
				}
			}
		}
		if ft.edge.Func >= 0 {
			g.Funcs[ft.edge.Func] = union(g.Funcs[ft.edge.Func], need)
			g.lowest = min(g.lowest, ft.edge.Func)
		} else {
			g.Inputs[ft.edge.Input] = union(g.Inputs[ft.edge.Input], need)
		}
	}
}

// standing is a range that depends on dimensions, and on domains in numbers, alone of which every tile computes the same part: it has its numbers, which
// Halide finds, too, whatever clamps and remainders there are in it, also where it has no form that moves with a tile, as that of a point and a constant.
func (f *Fits) standing(st *halideir.Stage, consumer []Growth, rg halideir.Range) Growth {
	env := halideir.Env{Lo: make([]int64, len(st.Loops)), Hi: make([]int64, len(st.Loops))}
	t, ok := Trust{Fixed: true}, true
	f.p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		switch {
		case n.Op == halideir.OpCall || n.Op == halideir.OpVar && n.Kind != halideir.VarLet && n.Kind != halideir.VarLo && n.Kind != halideir.VarHi:
			ok = false
		case n.Op == halideir.OpVar && n.Kind != halideir.VarLet:
			a := st.Loops[n.Index].Arg
			if v := st.Loops[n.Index].RVar; v >= 0 {
				all := literal(f.p, &st.RVars[v])
				env.Lo[n.Index], env.Hi[n.Index] = all.Lo, all.Hi
				ok = ok && all.ok
				return
			}
			if a < 0 || !consumer[a].Known || consumer[a].Dim >= 0 {
				ok = false
				return
			}
			env.Lo[n.Index], env.Hi[n.Index] = consumer[a].Lo, consumer[a].Hi
			t = t.and(consumer[a].Trust)
		}
	}, rg.Lo, rg.Hi)
	if !ok {
		return Growth{}
	}
	lo, okLo := f.p.EvalInt(rg.Lo, env)
	hi, okHi := f.p.EvalInt(rg.Hi, env)
	g := Growth{Dim: -1, Den: 1, Lo: lo, Hi: hi, Known: okLo && okHi && lo <= hi, Trust: t}
	if !g.Known || !g.small() {
		return Growth{}
	}
	return g
}

// overDomain reports whether a range hangs on a loop over a reduction's domain.
func (f *Fits) overDomain(st *halideir.Stage, rg halideir.Range) bool {
	found := false
	f.p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
		found = found || n.Op == halideir.OpVar && (n.Kind == halideir.VarLo || n.Kind == halideir.VarHi) && n.Index < len(st.Loops) && st.Loops[n.Index].RVar >= 0
	}, rg.Lo, rg.Hi)
	return found
}

// compose applies an edge's range to the consumer's growth.
func (f *Fits) compose(st *halideir.Stage, consumer []Growth, fr fittedRange) Growth {
	lo, hi := fr.lo, fr.hi
	t := lo.Trust.and(hi.Trust)
	if lo.Loop < 0 {
		return Growth{Dim: -1, Den: 1, Lo: lo.C, Hi: hi.C, Trust: t, Known: true}
	}
	c := consumer[st.Loops[lo.Loop].Arg]
	if !c.Known {
		return Growth{}
	}
	t = t.and(c.Trust)
	if c.Dim < 0 {
		return Growth{Dim: -1, Den: 1, Lo: lo.At(c.Lo, c.Hi), Hi: hi.At(c.Lo, c.Hi), Trust: t, Known: true}
	}
	// The consumer's end floor((N*x+c)/D) goes into floor((n*v+k)/d).
	t.Loose = t.Loose || c.Den > 1 && lo.Num != 1
	a := substitute(c, lo, lower)
	b := substitute(c, hi, upper)
	if a.Den != b.Den {
		a, b = common(a, b)
	}
	out := Growth{Dim: c.Dim, Num: a.Num, Den: a.Den, Lo: a.C, Hi: b.C, Trust: t, Known: a.Num == b.Num}
	if !out.small() {
		return Growth{}
	}
	return out
}

// substitute puts the consumer's end into the edge's: n*floor(p/D) is between
// (n*p - |n|*(D-1))/D and (n*p + |n|*(D-1))/D, and exact for D = 1 or n = 1.
func substitute(c Growth, e End, s side) End {
	at := c.Lo
	if e.AtHi {
		at = c.Hi
	}
	out := End{Loop: 0, Num: e.Num * c.Num, Den: e.Den * c.Den, C: e.Num*at + e.C*c.Den}
	if c.Den > 1 && e.Num != 1 {
		slack := (c.Den - 1) * abs(e.Num)
		switch {
		case s == lower && e.Num > 0:
			out.C -= slack
		case s == upper && e.Num < 0:
			out.C += slack
		}
	}
	return out
}

// union joins the needs of two consumers.
func union(a, b []Growth) []Growth {
	if a == nil {
		return b
	}
	out := make([]Growth, len(a))
	for k := range a {
		out[k] = unionOne(a[k], b[k])
	}
	return out
}

func unionOne(a, b Growth) Growth {
	if !a.Known || !b.Known {
		return Growth{}
	}
	t := a.Trust.and(b.Trust)
	if a.Dim != b.Dim || a.Num*b.Den != b.Num*a.Den {
		return Growth{} // they move apart as the tile moves
	}
	if a.Den != b.Den {
		ka, kb := b.Den, a.Den
		a.Num, a.Lo, a.Hi, a.Den = a.Num*ka, a.Lo*ka, a.Hi*ka, a.Den*ka
		b.Lo, b.Hi = b.Lo*kb, b.Hi*kb
	}
	a.Lo, a.Hi, a.Trust = min(a.Lo, b.Lo), max(a.Hi, b.Hi), t
	if !a.small() {
		return Growth{}
	}
	return a
}

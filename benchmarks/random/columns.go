package random

// Columns makes a pipeline of a seed in which updates write to other places than their loops' own: scans along one axis or both, sums into bins of each column, histograms
// over all of an image; each is read by a Func that may read it at its own place, at others, and transposed.
func Columns(seed uint64) *Pipeline {
	return drawn(seed, 1<<33, (*generator).columns)
}

func (g *generator) columns() *Pipeline {
	g.w, g.h = pick(g, 32, 33, 40, 64, 70, 97, 130), pick(g, 2, 5, 17, 33, 40, 64)
	g.unread = map[string]bool{}
	g.boundedInput()
	for range g.draw(1, 2) {
		written := pick(g, scan, scan, binned, counted)
		for _, make := range []func(g *generator, f *Func) bool{written, reading} {
			f := &Func{Name: g.name("f")}
			if !make(g, f) || g.define(f) != nil {
				return nil
			}
			g.p.Funcs = append(g.p.Funcs, f)
			g.took(f)
		}
	}
	g.outputs()
	g.prune()
	g.p.Target = pick(g, "host-cuda-cuda_capability_50", "host-cuda-cuda_capability_75", "host-cuda-cuda_capability_86", "host-opencl")
	if g.chance(2) { // few SMs, which small images fill
		g.p.Params = append(g.p.Params, pick(g, "parallelism=2", "parallelism=8"))
	}
	return g.p
}

// binned sums an image into bins of each of its columns.
func binned(g *generator, f *Func) bool {
	at := g.vars(f, 2)
	t := pick[Type](g, "i32", "u32", "u16", "f32")
	g.init(f, t, at)
	s := g.of(g.p.Funcs[len(g.p.Funcs)-1])
	if s.dims != 2 {
		return false
	}
	i := g.rvars(g.domain(Span{0, g.h}))[0]
	to := []val{at[0], g.index(g.read(s, at[0], i), pick(g, 5, 16, 70))}
	g.update(f, to, g.op2("+", g.self(f, t, to...), g.num(t, g.draw(1, 2))))
	return true
}

// counted is a histogram of an image, or of each of its columns' thirds.
func counted(g *generator, f *Func) bool {
	n := g.draw(1, 2)
	at := g.vars(f, n)
	t := pick[Type](g, "i32", "u32")
	g.init(f, t, at)
	s := g.of(g.p.Funcs[len(g.p.Funcs)-1])
	if s.dims != 2 {
		return false
	}
	r := g.rvars(g.domain(Span{0, g.w}, Span{0, g.h}))
	to := []val{g.index(g.read(s, r...), pick(g, 7, 16, 64))}
	if n > 1 {
		to = append(to, at[1])
		if g.chance(2) {
			to = []val{at[0], to[0]}
		}
	}
	g.update(f, to, g.op2("+", g.self(f, t, to...), g.num(t, g.draw(1, 2))))
	return true
}

// reading reads the last Func.
func reading(g *generator, f *Func) bool {
	s := g.of(g.p.Funcs[len(g.p.Funcs)-1])
	at := g.vars(f, max(s.dims, 2))
	place := append([]val{}, at[:s.dims]...)
	switch {
	case s.dims == 1, g.chance(4): // bins, or anything, by what an image says
		place[s.dims-1] = g.index(g.read(g.of(g.p.Funcs[0]), at[:2]...), pick(g, 7, 16, 64))
	case g.chance(2):
		place[0], place[1] = place[1], place[0]
	}
	t := pick(g, stencilTypes...)
	v := g.to(t, g.read(s, place...))
	for range g.draw(0, 2) {
		other := append([]val{}, place...)
		k := g.rng.IntN(s.dims)
		other[k] = g.add(other[k], g.draw(-2, 2))
		v = g.op(pick(g, "+", "max", "-"), v, g.to(t, g.read(s, other...)))
	}
	return g.finish(f, v, at)
}

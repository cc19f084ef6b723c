package random

// Windows makes a pipeline of a seed in which Funcs combine windows of earlier ones: sums over boxes whose weights are products of a factor along each dimension or are
// not quite, least and greatest values of boxes, long rows, boxes of values that lie apart, of squares and of differences, with other terms beside them, in any order, and
// the like as reductions; and asks mostly for all of them to be combined from parts.
func Windows(seed uint64) *Pipeline {
	return drawn(seed, 1<<34, (*generator).windows)
}

func (g *generator) windows() *Pipeline {
	g.w, g.h = pick(g, 1, 5, 21, 33, 64, 97, 131), pick(g, 1, 3, 8, 17, 31, 40)
	g.unread = map[string]bool{}
	g.boundedInput()
	for range g.draw(1, 3) {
		f := &Func{Name: g.name("f")}
		make := (*generator).window
		if g.chance(3) {
			make = (*generator).windowReduction
		}
		if !make(g, f) || g.define(f) != nil {
			return nil
		}
		g.p.Funcs = append(g.p.Funcs, f)
		g.took(f)
	}
	g.outputs()
	g.prune()
	g.p.Target = pick(g, "host-cuda-cuda_capability_50", "host-cuda-cuda_capability_75", "host-cuda-cuda_capability_86", "host-opencl")
	if !g.chance(4) {
		g.p.Params = append(g.p.Params, "separate=all")
	}
	return g.p
}

// window combines one or two windows.
func (g *generator) window(f *Func) bool {
	at := g.vars(f, 2)
	t := pick(g, stencilTypes...)
	op := pick(g, "+", "+", "+", "min", "max")
	var terms []val
	for range g.draw(1, 2) {
		s := g.of(g.p.Funcs[len(g.p.Funcs)-1-g.rng.IntN(min(2, len(g.p.Funcs)))])
		if s.dims != 2 {
			return false
		}
		wide, tall := g.draw(1, 4), g.draw(1, 4)
		switch g.draw(0, 3) {
		case 0:
			wide, tall = pick(g, 4, 5, 7, 9), 1
		case 1:
			wide, tall = 1, pick(g, 4, 5, 6, 8)
		}
		if op != "+" && wide*tall > 9 { // Halide simplifies minima of 16 values for minutes
			wide, tall = 3, 3
		}
		left, up, apart := g.draw(-4, 1), g.draw(-4, 1), pick(g, 1, 1, 1, 2)
		across, down := g.factors(wide), g.factors(tall)
		form, odd, holes := g.draw(0, 4), g.chance(6), g.chance(6)
		for j := range tall {
			for i := range wide {
				if holes && len(terms) > 0 && g.chance(5) {
					continue
				}
				here := func(more int) val {
					return g.to(t, g.read(s, g.add(at[0], left+i*apart+more), g.add(at[1], up+j*apart)))
				}
				term := here(0)
				switch form {
				case 0:
					term = g.op("*", term, here(0))
				case 1:
					term = g.op("-", here(1), here(-1))
				}
				if w := across[i] * down[j]; op == "+" && (w != 1 || odd && i == 0 && j == 0) {
					if odd && i == 0 && j == 0 {
						w++
					}
					term = g.op("*", term, g.num(t, w))
				}
				terms = append(terms, term)
			}
		}
	}
	for range g.draw(0, 2) {
		terms = append(terms, g.to(t, g.read(g.of(g.p.Funcs[len(g.p.Funcs)-1]), at[0], at[1])))
	}
	if g.chance(3) {
		g.rng.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	}
	v := terms[0]
	for _, term := range terms[1:] {
		if op == "+" && g.chance(12) {
			v = g.op("-", v, term)
		} else {
			v = g.op(op, v, term)
		}
	}
	return g.finish(f, v, at)
}

// windowReduction combines a window of two to three variables of a domain, which moves with the point along each dimension or not quite.
func (g *generator) windowReduction(f *Func) bool {
	s := g.of(g.p.Funcs[len(g.p.Funcs)-1-g.rng.IntN(min(2, len(g.p.Funcs)))])
	if s.dims != 2 {
		return false
	}
	at := g.vars(f, 2)
	t := pick(g, stencilTypes...)
	op := pick(g, "+", "+", "+", "min", "max")
	g.init(f, t, at)
	spans := []Span{{g.draw(-4, 1), g.draw(1, 9)}, {g.draw(-4, 1), g.draw(1, 9)}}
	if g.chance(4) {
		spans = append(spans, Span{g.draw(-1, 1), g.draw(1, 3)})
	}
	if g.chance(4) {
		spans[g.rng.IntN(2)].Extent = pick(g, 17, 33, 40)
	}
	r := g.domain(spans...)
	if g.chance(5) {
		g.predicate(r, s)
	}
	place := func(d, more int) val {
		v := g.rvars(r)[d]
		switch step := pick(g, 1, 1, 1, 2, -1); step {
		case 2:
			v = g.op("*", v, g.int(2))
		case -1:
			v = g.op("-", g.int(0), v)
		}
		here := at[d]
		if g.chance(6) { // fewer points than there are
			here = g.op("*", here, g.int(g.draw(2, 3)))
		}
		v = g.add(g.op("+", here, v), more)
		if len(spans) > 2 && g.chance(3) { // two variables along one dimension
			v = g.op("+", v, g.rvars(r)[2])
		}
		return v
	}
	to := []val{place(0, g.draw(-1, 1)), place(1, 0)}
	term := g.to(t, g.read(s, to...))
	switch g.draw(0, 5) {
	case 0:
		term = g.op("*", term, term)
	case 1:
		term = g.op("-", term, g.to(t, g.read(s, g.add(to[0], 2), to[1])))
	case 2: // not along x
		term = g.op("+", term, g.to(t, g.read(s, at[0], to[1])))
	}
	if op == "+" {
		for _, v := range g.rvars(r) {
			if g.chance(3) {
				term = g.op("*", term, g.to(t, g.add(v, 6)))
			}
		}
		if g.chance(8) {
			term = g.op("*", term, g.to(t, g.op("max", g.rvars(r)[0], g.rvars(r)[1])))
		}
	}
	g.update(f, at, g.op2(op, g.self(f, t, at...), term))
	if g.chance(4) { // which is written into what the window leaves
		g.update(f, at, g.op2("max", g.self(f, t, at...), g.num(t, 3)))
	}
	return true
}

// factors are the weights along a dimension.
func (g *generator) factors(n int) []int {
	w := make([]int, n)
	equal := g.chance(2)
	for i := range w {
		w[i] = 1
		if !equal {
			w[i] = g.draw(1, 3)
		}
	}
	return w
}

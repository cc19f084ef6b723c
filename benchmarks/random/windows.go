package random

// Windows makes a pipeline of a seed in which Funcs combine windows of earlier ones: sums over boxes whose weights are products of a factor along each dimension or are
// not quite, least and greatest values of boxes, long rows, boxes of values that lie apart, of squares and of differences, with other terms beside them, in any order; and
// asks mostly for all of them to be combined from parts.
func Windows(seed uint64) *Pipeline {
	return drawn(seed, 1<<34, (*generator).windows)
}

func (g *generator) windows() *Pipeline {
	g.w, g.h = pick(g, 1, 5, 21, 33, 64, 97, 131), pick(g, 1, 3, 8, 17, 31, 40)
	g.unread = map[string]bool{}
	g.boundedInput()
	for range g.draw(1, 3) {
		f := &Func{Name: g.name("f")}
		if !g.window(f) || g.define(f) != nil {
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
		form, odd := g.draw(0, 4), g.chance(6)
		for j := range tall {
			for i := range wide {
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

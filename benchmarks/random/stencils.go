package random

import "fmt"

// Stencils makes a pipeline of stencils of a seed, of the kind that tiles of warps are for: up to six deep,
// offsets to 4 on each side, diamonds, several outputs, types of 8 to 32 bits mixed, over
// inputs with boundary conditions, now and then with rows of whole vectors that several tiles share; and asks for such tiles, in registers, in shared memory, or in both by any fraction.
func Stencils(seed uint64) *Pipeline {
	return drawn(seed, 1<<32, (*generator).stencils)
}

var stencilTypes = []Type{"u8", "i8", "u16", "i16", "i32", "u32", "f32", "f32", "f16"}

func (g *generator) stencils() *Pipeline {
	g.w, g.h = pick(g, 1, 5, 21, 33, 60, 64, 97, 131, 150), pick(g, 1, 3, 8, 17, 31, 40)
	if g.aligned = g.chance(2); g.aligned {
		g.w, g.h = 260, pick(g, 9, 12, 17) // tiles of 124 points, of which the second lies inside
	}
	g.unread = map[string]bool{}
	for range g.draw(1, 2) {
		g.boundedInput()
	}
	stages := g.draw(1, 6)
	if g.aligned {
		stages = g.draw(2, 3)
	}
	for range stages {
		f := &Func{Name: g.name("f")}
		if !g.stencilStage(f) || g.define(f) != nil {
			return nil
		}
		g.p.Funcs = append(g.p.Funcs, f)
		g.took(f)
	}
	if g.chance(5) {
		g.outputs()
	} else {
		// One output, as a rule of all: what several kernels read belongs to no warp.
		last := g.p.Funcs[len(g.p.Funcs)-1].Name
		s, r := []Span{{0, g.w}, {0, g.h}}, []Span{{0, g.w}, {0, g.h}}
		if !g.aligned && g.chance(2) {
			r = []Span{{pick(g, 0, -3, 7), g.draw(1, g.w)}, {g.draw(-4, 4), g.draw(1, g.h+9)}}
		}
		g.p.Outputs = []*Output{{Func: last, Estimate: s, Run: r}}
	}
	g.prune()
	computed := 0
	for _, f := range g.p.Funcs {
		if f.Boundary == "" {
			computed++
		}
	}
	if len(g.p.Inputs) == 0 || computed < 2 && !g.chance(8) { // nothing that lanes could exchange
		return nil
	}
	g.p.Target = pick(g, "host-cuda-cuda_capability_50", "host-cuda-cuda_capability_75", "host-cuda-cuda_capability_86")
	g.p.Params = []string{"tiling=" + pick(g, "warp-registers", "warp-registers", "all", "warp-shared", "warp-hybrid", "warp-hybrid", "warp-hybrid"), "cost=issue"}
	if g.p.Params[0] == "tiling=warp-hybrid" {
		g.p.Params = append(g.p.Params, fmt.Sprintf("frac_reg=%.2f", float64(g.draw(0, 20))/20))
	}
	if g.aligned {
		g.p.Params = []string{"tiling=warp-registers", "cost=issue", "max_registers=255", fmt.Sprintf("warp_tile=4x%dx1", g.draw(2, 8))}
	} else if g.chance(2) {
		rows, warps := g.draw(1, 6), g.draw(1, 4)
		if g.h <= 4 { // a loop that is too short to be tiled
			rows, warps = 1, 1
		}
		g.p.Params = append(g.p.Params, "max_registers=255", fmt.Sprintf("warp_tile=%dx%dx%d", pick(g, 1, 2, 4), rows, warps))
	}
	return g.p
}

// boundedInput adds an input of a known size, and a boundary condition that all reads go through.
func (g *generator) boundedInput() {
	t := pick(g, stencilTypes...)
	if g.aligned {
		t = pick[Type](g, "f32", "f32", "i32", "u32")
	}
	in := &Input{Name: g.name("in"), Type: t, Dims: 2, Hi: 100}
	switch {
	case g.aligned: // products of sums stay exact
		in.Lo, in.Hi = 0, 3
	case t.float():
		in.Lo, in.Hi = -8, 40
	case t.signed():
		in.Lo = -60
	}
	for _, n := range []int{g.w, g.h} {
		s := Span{pick(g, 0, 0, -3, 5), max(n+pick(g, 0, 0, 3, -2), 2)}
		run := Span{s.Min, max(s.Extent+pick(g, 0, 0, -1, 4), 2)}
		if g.aligned {
			s = Span{pick(g, 0, 0, 4), n}
			run = s
		}
		in.Estimate, in.Run = append(in.Estimate, s), append(in.Run, run)
	}
	g.p.Inputs = append(g.p.Inputs, in)
	f := &Func{Name: g.name("f"), Source: in.Name, Boundary: pick(g, "repeat_edge", "repeat_edge", "mirror_image", "mirror_interior", "constant_exterior", "repeat_image")}
	if g.aligned {
		f.Boundary = pick(g, "repeat_edge", "mirror_interior", "constant_exterior")
	}
	if f.Boundary == "constant_exterior" {
		f.Outside = g.num(t, g.draw(0, 9)).Expr
	}
	if g.define(f) == nil {
		g.p.Funcs = append(g.p.Funcs, f)
	}
}

// stencilStage is a sum of taps on one or two earlier Funcs.
func (g *generator) stencilStage(f *Func) bool {
	if len(g.p.Funcs) == 0 {
		return false
	}
	at := g.vars(f, 2)
	t := pick(g, stencilTypes...)
	if g.aligned {
		t = pick[Type](g, "f32", "f32", "i32")
	}
	var v val
	for i := range g.draw(1, 2) {
		s := g.of(g.p.Funcs[len(g.p.Funcs)-1-min(g.rng.IntN(2+2*i), len(g.p.Funcs)-1)])
		reach := pick(g, 1, 1, 2, 4)
		from := func(dx, dy int) val { return g.to(t, g.read(s, g.add(at[0], dx), g.add(at[1], dy))) }
		if g.aligned && i == 0 {
			s = g.of(g.p.Funcs[len(g.p.Funcs)-1])
			v = g.products(s.f.Boundary != "", from)
			continue
		}
		for j := range g.draw(1, 5) {
			read := func() val { return from(g.draw(-reach, reach), g.draw(-reach, reach)*g.draw(0, 1)) }
			tap := read()
			if g.chance(4) {
				tap = g.op("*", tap, g.num(t, g.draw(2, 3)))
			} else if g.chance(4) {
				tap = g.op("*", tap, g.op("-", read(), read()))
			}
			switch {
			case i == 0 && j == 0:
				v = tap
			case g.chance(5):
				v = g.op(pick(g, "max", "min", "-"), v, tap)
			default:
				v = g.op("+", v, tap)
			}
		}
	}
	return g.finish(f, v, at)
}

// products is, of an input, a product of differences along both dimensions, and of what is computed a sum over a box.
func (g *generator) products(ofInput bool, from func(dx, dy int) val) val {
	across, down := pick(g, 1, 1, 2), pick(g, 1, 1, 2)
	if ofInput {
		return g.op("*", g.op("-", from(across, 0), from(-across, 0)), g.op("-", from(0, down), from(0, -down)))
	}
	v := from(0, 0)
	for dy := -down; dy <= down; dy++ {
		for dx := -across; dx <= across; dx++ {
			if dx != 0 || dy != 0 {
				v = g.op("+", v, from(dx, dy))
			}
		}
	}
	return v
}

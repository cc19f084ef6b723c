package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Generate makes the pipeline of a seed: the same on every machine.
func Generate(seed uint64) *Pipeline {
	return drawn(seed, 0, func(g *generator) *Pipeline {
		p := g.pipeline()
		if p == nil || p.Affordable() != nil {
			return nil
		}
		g.bounds()
		return p
	})
}

// drawn is the first pipeline of a seed that is one and that a run can afford; salt keeps those of one kind from another's.
func drawn(seed, salt uint64, make func(*generator) *Pipeline) *Pipeline {
	for attempt := salt; ; attempt++ {
		g := &generator{rng: rand.New(rand.NewPCG(seed, attempt)), p: &Pipeline{}}
		g.env = env{p: g.p, ranges: map[string][]Range{}}
		if p := make(g); p != nil && p.Affordable() == nil {
			return p
		}
	}
}

type generator struct {
	env
	rng    *rand.Rand
	p      *Pipeline
	w, h   int // what gathers, scatters and reductions range over
	unread map[string]bool
	count  int
	// aligned: rows of inputs and outputs are whole vectors, and wider than a warp's tile of them.
	aligned bool
}

var varNames = []string{"x", "y", "c", "z", "w"}

func (g *generator) draw(lo, hi int) int     { return lo + g.rng.IntN(hi-lo+1) }
func (g *generator) chance(n int) bool       { return g.rng.IntN(n) == 0 }
func pick[T any](g *generator, of ...T) T    { return of[g.rng.IntN(len(of))] }
func (g *generator) name(stem string) string { g.count++; return fmt.Sprintf("%s%d", stem, g.count) }

// pipeline makes one, or nil if chance made one that nobody can run.
func (g *generator) pipeline() *Pipeline {
	extents := []int{1, 2, 3, 5, 7, 8, 13, 16, 17, 21, 33, 40, 48, 64, 65, 90}
	g.w, g.h = pick(g, extents...), pick(g, extents...)
	if g.w*g.h > 64*64 {
		g.h = g.draw(1, 20)
	}
	g.unread = map[string]bool{}
	for range g.draw(1, 3) {
		g.input()
	}
	for range g.draw(0, 2) {
		v := g.draw(-4, 9)
		g.p.Scalars = append(g.p.Scalars, &Scalar{g.name("p"), "i32", v, v + g.draw(-1, 1)*g.draw(0, 2)})
	}
	n := g.draw(3, 10)
	switch g.draw(0, 7) {
	case 0:
		n = g.draw(1, 2)
	case 1:
		n = g.draw(10, 30)
	}
	for tries := 0; len(g.p.Funcs) < n && tries < 20*n; tries++ {
		g.stage()
	}
	if len(g.p.Funcs) == 0 {
		return nil
	}
	g.gather()
	g.outputs()
	g.prune()
	g.wrappers()
	g.parameters()
	return g.p
}

// stage adds a stage of a random kind, if it can be.
func (g *generator) stage() {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	at := g.rng.IntN(total)
	i := slices.IndexFunc(kinds, func(k kind) bool { at -= k.weight; return at < 0 })
	f := &Func{Name: g.name("f")}
	domains := len(g.p.Domains)
	if !kinds[i].make(g, f) || g.define(f) != nil {
		g.p.Domains = g.p.Domains[:domains]
		delete(g.ranges, f.Name)
		return
	}
	g.p.Funcs = append(g.p.Funcs, f)
	if g.p.sizeError() {
		g.p.Funcs = g.p.Funcs[:len(g.p.Funcs)-1]
		g.p.Domains = g.p.Domains[:domains]
		return
	}
	g.p.Kinds = append(g.p.Kinds, kinds[i].name)
	g.took(f)
}

// took notes what a Func reads, and that nothing reads it yet.
func (g *generator) took(f *Func) {
	f.exprs(func(e **Expr) {
		walk(e, func(n **Expr) {
			if (*n).Op == "call" {
				delete(g.unread, (*n).Name)
			}
		})
	})
	delete(g.unread, f.Source)
	g.unread[f.Name] = true
}

// gather joins Funcs that nobody has read, so that more than the last chain is computed.
func (g *generator) gather() {
	var open []source
	for _, f := range g.p.Funcs {
		if g.unread[f.Name] && len(open) < 4 {
			open = append(open, g.of(f))
		}
	}
	if len(open) < 2 || g.chance(4) {
		return
	}
	f := &Func{Name: g.name("f")}
	at := g.vars(f, min(g.draw(1, 3), 5))
	t := g.anyType()
	v := g.to(t, g.read(open[0], at...))
	for _, s := range open[1:] {
		v = g.op(pick(g, "+", "-", "max"), v, g.to(t, g.read(s, g.nudge(at)...)))
	}
	if !g.finish(f, v, at) || g.define(f) != nil {
		return
	}
	g.p.Funcs, g.p.Kinds = append(g.p.Funcs, f), append(g.p.Kinds, "join")
	for _, s := range open {
		delete(g.unread, s.f.Name)
	}
}

// sizeError reports whether a definition is longer than anybody writes.
func (p *Pipeline) sizeError() bool {
	n := 0
	p.exprs(func(e **Expr) { n = max(n, size([]*Expr{*e})) })
	return n > 400
}

func (g *generator) input() {
	t := pick[Type](g, "u8", "u8", "u8", "u16", "i16", "i32", "i8", "u32", "f32", "f32", "f64", "i64", "f16")
	in := &Input{Name: g.name("in"), Type: t, Dims: pick(g, 2, 2, 2, 2, 3, 1, 4, 0), Hi: 100}
	switch {
	case t.float():
		in.Lo, in.Hi, in.Frac = -8, 40, pick(g, 0, 1, 2)
	case t.signed():
		in.Lo = -60
	case g.chance(2):
		in.Hi = 255
	}
	if g.chance(2) { // else as large as it is asked for
		for d := range in.Dims {
			e := [...]int{g.w, g.h, 3, 2}[d]
			s := Span{pick(g, 0, 0, 0, -3, 5), max(1, e+pick(g, 0, 0, 1, -1, 7))}
			r := s
			if g.chance(3) {
				r = Span{s.Min + g.draw(-2, 2), max(2, s.Extent+g.draw(-5, 5))}
			}
			in.Estimate, in.Run = append(in.Estimate, s), append(in.Run, r)
		}
	}
	in.Layout = g.layout(in.Dims)
	g.p.Inputs = append(g.p.Inputs, in)
}

// layout is mostly Halide's own: planar, dense.
func (g *generator) layout(dims int) Layout {
	if dims == 0 || !g.chance(4) {
		return Layout{}
	}
	l := Layout{Pad: g.draw(0, 3)}
	for d := range dims {
		l.Order = append(l.Order, d)
	}
	switch g.draw(0, 2) {
	case 0:
		g.rng.Shuffle(dims, func(i, j int) { l.Order[i], l.Order[j] = l.Order[j], l.Order[i] })
	case 1: // interleaved
		if dims > 2 {
			l.Order = append([]int{2}, slices.DeleteFunc(l.Order, func(d int) bool { return d == 2 })...)
		}
	}
	return l
}

// outputs are the last Func, others that nobody reads, and now and then one that is read.
func (g *generator) outputs() {
	names := []string{g.p.Funcs[len(g.p.Funcs)-1].Name}
	for _, f := range g.p.Funcs[:len(g.p.Funcs)-1] {
		if f.Boundary == "" && len(names) < 4 && (g.unread[f.Name] && g.chance(2) || g.chance(12)) {
			names = append(names, f.Name)
		}
	}
	if g.chance(4) {
		g.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	for _, name := range names {
		f := g.p.Func(name)
		o := &Output{Func: name}
		dims := f.dims(g.p)
		same := g.chance(2)
		for d := range dims {
			e := [...]int{g.w, g.h, 3, 2, 2}[d]
			if g.chance(6) {
				e = g.draw(1, e)
			}
			s := Span{pick(g, 0, 0, 0, 0, g.draw(-9, 9)), e}
			r := s
			if !same {
				switch g.draw(0, 4) {
				case 0:
					r.Extent = 1
				case 1:
					r.Extent = g.draw(1, s.Extent)
				case 2:
					r.Extent = s.Extent + g.draw(0, 9)
				case 3:
					r.Min += g.draw(-5, 5)
				}
			}
			o.Estimate, o.Run = append(o.Estimate, s), append(o.Run, r)
		}
		o.Layout = g.layout(dims)
		g.p.Outputs = append(g.p.Outputs, o)
	}
}

// prune drops what no output needs.
func (g *generator) prune() { g.p.prune() }

func (p *Pipeline) prune() {
	needed := map[string]bool{}
	for _, o := range p.Outputs {
		needed[o.Func] = true
	}
	use := func(e **Expr) {
		walk(e, func(n **Expr) { needed[(*n).Name] = true })
	}
	for i := len(p.Funcs) - 1; i >= 0; i-- {
		if f := p.Funcs[i]; needed[f.Name] {
			needed[f.Source] = true
			f.exprs(use)
			// Domains use Funcs before their users.
			for _, d := range p.Domains {
				if needed[d.Name] {
					for _, s := range d.Spans {
						use(&s[0])
						use(&s[1])
					}
					for k := range d.Where {
						use(&d.Where[k])
					}
				}
			}
		}
	}
	if len(p.Kinds) == len(p.Funcs) {
		var kept []string
		for i, f := range p.Funcs {
			if needed[f.Name] {
				kept = append(kept, p.Kinds[i])
			}
		}
		p.Kinds = kept
	}
	p.Funcs = slices.DeleteFunc(p.Funcs, func(f *Func) bool { return !needed[f.Name] })
	p.Inputs = slices.DeleteFunc(p.Inputs, func(in *Input) bool { return !needed[in.Name] })
	p.Scalars = slices.DeleteFunc(p.Scalars, func(s *Scalar) bool { return !needed[s.Name] })
	p.Domains = slices.DeleteFunc(p.Domains, func(d *Domain) bool { return !needed[d.Name] })
	p.Wraps = slices.DeleteFunc(p.Wraps, func(w Wrap) bool { return !needed[w.Source] || w.User != "" && !needed[w.User] })
}

// bounds adds directives of a user that say nothing of the schedule.
func (g *generator) bounds() {
	ranges, err := g.p.valueRanges()
	if err != nil {
		return
	}
	at, err1 := g.p.boxes(ranges, false)
	run, err2 := g.p.boxes(ranges, true)
	if err1 != nil || err2 != nil {
		return
	}
	for _, f := range g.p.Funcs {
		if f.Boundary != "" || len(f.Vars) == 0 || !g.chance(8) {
			continue
		}
		v := g.draw(0, len(f.Vars)-1)
		b := Bound{Kind: pick(g, "align_bounds", "bound", "bound_extent"), Var: f.Vars[v]}
		if at[f.Name] == nil || run[f.Name] == nil {
			continue // it is read at no point
		}
		both := at[f.Name][v].union(run[f.Name][v])
		output := slices.ContainsFunc(g.p.Outputs, func(o *Output) bool { return o.Func == f.Name })
		switch {
		case b.Kind == "align_bounds":
			b.A = pick(g, 2, 4, 3)
		case output: // what is asked for is as it is
			continue
		case b.Kind == "bound":
			b.A = int(both.Lo) - g.draw(0, 1)
			b.B = int(both.Hi) + g.draw(0, 1) - b.A + 1
		default:
			b.A = int(both.Hi-both.Lo) + 1 + g.draw(0, 1)
		}
		f.Bounds = append(f.Bounds, b)
	}
}

// wrappers adds some.
func (g *generator) wrappers() {
	for range 2 {
		if !g.chance(6) {
			continue
		}
		src := pick(g, g.p.Funcs...)
		var users []string
		for _, f := range g.p.Funcs {
			if f != src && (f.Source == src.Name || g.reads(f, src.Name)) {
				users = append(users, f.Name)
			}
		}
		taken := slices.ContainsFunc(g.p.Wraps, func(w Wrap) bool { return w.Source == src.Name })
		if len(users) == 0 || taken {
			continue
		}
		w := Wrap{Source: src.Name}
		if g.chance(2) {
			w.User = pick(g, users...)
		}
		g.p.Wraps = append(g.p.Wraps, w)
	}
}

func (g *generator) reads(f *Func, name string) bool {
	found := false
	var look func(e *Expr)
	look = func(e *Expr) {
		if isFold(e.Op) { // a Func of its own in Halide, that nobody can name
			return
		}
		found = found || e.Op == "call" && e.Name == name
		for _, a := range e.Args {
			look(a)
		}
	}
	f.exprs(func(e **Expr) { look(*e) })
	return found
}

// With is a generator whose pipelines have more of gowarp's parameters, KEY=VALUE.
func With(generate func(seed uint64) *Pipeline, params ...string) func(seed uint64) *Pipeline {
	return func(seed uint64) *Pipeline {
		p := generate(seed)
		p.Params = append(p.Params, params...)
		return p
	}
}

// parameters draws the target and gowarp's parameters.
func (g *generator) parameters() {
	half, double := false, false
	see := func(t Type) { half, double = half || t == "f16", double || t == "f64" }
	for _, in := range g.p.Inputs {
		see(in.Type)
	}
	g.p.exprs(func(e **Expr) { walk(e, func(n **Expr) { see((*n).Type) }) })
	if g.chance(2) || half {
		g.p.Target = pick(g, "host-cuda-cuda_capability_50", "host-cuda-cuda_capability_75", "host-cuda-cuda_capability_86")
	} else if g.p.Target = "host-opencl"; double {
		g.p.Target += "-cl_doubles"
	}
	set := func(n int, words ...string) {
		if g.chance(n) {
			g.p.Params = append(g.p.Params, pick(g, words...))
		}
	}
	set(3, "fusion=none", "fusion=overlap", "fusion=overlap")
	set(8, "grouping=none")
	set(2, "gpu=rtx2080ti", "gpu=h200", "gpu=sm_86", "gpu=sm_50")
	set(8, "max_registers=32", "max_registers=128")
	set(6, "shared_memory_limit_kb=1", "shared_memory_limit_kb=4", "shared_memory_limit_kb=16")
	set(10, "parallelism=1", "parallelism=500")
	set(3, "mode=autogpu")
	// What gowarp refuses is not asked for: overlapped tiles of a kernel a Func, and code newer
	// than the GPU that is named.
	if slices.Contains(g.p.Params, "grouping=none") {
		g.p.Params = slices.DeleteFunc(g.p.Params, func(w string) bool { return w == "fusion=overlap" })
	}
	for word, capability := range map[string]string{"gpu=sm_50": "50", "gpu=rtx2080ti": "75"} {
		if base, own, cuda := strings.Cut(g.p.Target, "cuda_capability_"); cuda && slices.Contains(g.p.Params, word) {
			g.p.Target = base + "cuda_capability_" + min(own, capability)
		}
	}
}

package random

import "slices"

// val is an expression with what is known of it.
type val struct {
	*Expr
	t Type
	r Range
}

// typed evaluates an expression; ok says whether it means something.
func (g *generator) typed(e *Expr) (val, bool) {
	t, r, err := g.eval(e)
	return val{e, t, r}, err == nil
}

// must is for expressions that are right by construction.
func (g *generator) must(e *Expr) val {
	t, r, err := g.eval(e)
	if err != nil {
		panic("random: " + err.Error())
	}
	return val{e, t, r}
}

func node(op string, args ...val) *Expr {
	e := &Expr{Op: op}
	for _, a := range args {
		e.Args = append(e.Args, a.Expr)
	}
	return e
}

func konst(t Type, n float64) *Expr { return &Expr{Op: "const", Type: t, Num: n} }
func (g *generator) int(n int) val  { return g.must(konst("i32", float64(n))) }
func (g *generator) num(t Type, n int) val {
	if !t.signed() && !t.float() {
		n = max(n, 0)
	}
	return g.must(konst(t, float64(n)))
}
func (g *generator) variable(name string) val { return g.must(&Expr{Op: "var", Name: name}) }
func (g *generator) rvar(d *Domain, k int) val {
	return g.must(&Expr{Op: "rvar", Name: d.Name, K: k})
}

// op applies an operator; operands that are too large for it are wrapped first.
func (g *generator) op(op string, args ...val) val {
	if v, ok := g.typed(node(op, args...)); ok {
		return v
	}
	small := slices.Clone(args)
	for i := range small {
		small[i] = g.wrap(small[i])
	}
	if v, ok := g.typed(node(op, small...)); ok {
		return v
	}
	return args[0]
}

func (g *generator) wrap(v val) val {
	if w, ok := g.typed(node("wrap", v)); ok {
		return w
	}
	return v
}

func (g *generator) add(a val, n int) val {
	switch {
	case n == 0:
		return a
	case n < 0 && a.t.signed():
		return g.op("-", a, g.num(a.t, -n))
	}
	return g.op("+", a, g.num(a.t, n))
}

// to converts; what the type cannot hold is wrapped first.
func (g *generator) to(t Type, v val) val {
	if v.t == t {
		return v
	}
	c := func(v val) (val, bool) {
		e := node("cast", v)
		e.Type = t
		return g.typed(e)
	}
	if w, ok := c(v); ok {
		return w
	}
	if w, ok := c(g.wrap(v)); ok {
		return w
	}
	if v.t.float() { // negative, to an unsigned type: wrap gives no negatives
		v = g.op("abs", g.wrap(v))
		if w, ok := c(v); ok {
			return w
		}
	}
	return g.must(konst(t, 3))
}

// source is something that can be read.
type source struct {
	input *Input
	f     *Func
	dims  int
}

// ofItself says that an index which one source gives would be one into itself. Where that is a Func in memory, Halide 21
// takes its region from the outer access alone, so that the inner one may lie beyond it.
func (s source) ofItself(index source) bool { return s.f != nil && s.f == index.f }

// source draws one: often the latest Func, else any, or an input.
func (g *generator) source() source {
	n := len(g.p.Funcs)
	switch {
	case n > 0 && !g.chance(3):
		return g.of(g.p.Funcs[n-1-min(g.rng.IntN(3), g.rng.IntN(n))])
	case n > 0 && g.chance(2):
		return g.of(pick(g, g.p.Funcs...))
	}
	in := pick(g, g.p.Inputs...)
	return source{input: in, dims: in.Dims}
}

func (g *generator) of(f *Func) source { return source{f: f, dims: f.dims(g.p)} }

// read is the source at coordinates; those that it has beyond are small constants or,
// now and then, a parameter.
func (g *generator) read(s source, at ...val) val {
	e := &Expr{Op: "call"}
	for d := range s.dims {
		var a val
		switch {
		case d < len(at):
			a = at[d]
		case len(g.p.Scalars) > 0 && g.chance(6):
			a = g.must(&Expr{Op: "param", Name: pick(g, g.p.Scalars...).Name})
		default:
			a = g.int(g.draw(0, 1))
		}
		e.Args = append(e.Args, a.Expr)
	}
	if s.f != nil {
		e.Name, e.K = s.f.Name, g.rng.IntN(len(s.f.types))
		return g.must(e)
	}
	e.Op, e.Name = "load", s.input.Name
	if !s.input.Auto() {
		for d := range e.Args {
			lo := g.must(&Expr{Op: "dimmin", Name: e.Name, K: d})
			hi := g.add(g.op("+", lo, g.must(&Expr{Op: "dimext", Name: e.Name, K: d})), -1)
			a, _ := g.typed(e.Args[d])
			e.Args[d] = g.op("clamp", a, lo, hi).Expr
		}
	}
	return g.must(e)
}

// index is a coordinate inside [0, n) from any value.
func (g *generator) index(v val, n int) val {
	v = g.to("i32", v)
	if g.chance(3) {
		return g.op("%", v, g.int(n))
	}
	return g.op("clamp", v, g.int(0), g.int(n-1))
}

// vars makes a Func's variables and returns them as values.
func (g *generator) vars(f *Func, n int) []val {
	f.Vars = varNames[:n]
	var vs []val
	for _, v := range f.Vars {
		vs = append(vs, g.variable(v))
	}
	return vs
}

// domain makes a domain with constant or, now and then, other bounds.
func (g *generator) domain(spans ...Span) *Domain {
	d := &Domain{Name: g.name("r")}
	for k, s := range spans {
		if in := pick(g, g.p.Inputs...); g.chance(12) && !in.Auto() && k < in.Dims { // all of an input
			d.Spans = append(d.Spans, [2]*Expr{{Op: "dimmin", Name: in.Name, K: k}, {Op: "dimext", Name: in.Name, K: k}})
			continue
		}
		lo, n := g.int(s.Min), g.int(s.Extent)
		if g.chance(8) && len(g.p.Scalars) > 0 {
			p := g.must(&Expr{Op: "param", Name: pick(g, g.p.Scalars...).Name})
			n = g.op("clamp", g.op("+", n, p), g.int(1), g.int(s.Extent+4))
		}
		d.Spans = append(d.Spans, [2]*Expr{lo.Expr, n.Expr})
	}
	g.p.Domains = append(g.p.Domains, d)
	return d
}

// rvars are a domain's variables.
func (g *generator) rvars(d *Domain) []val {
	var vs []val
	for k := range d.Spans {
		vs = append(vs, g.rvar(d, k))
	}
	return vs
}

// self is the Func that is being defined, at coordinates.
func (g *generator) self(f *Func, t Type, at ...val) val {
	e := node("call", at...)
	e.Name = f.Name
	return val{e, t, Range{}}
}

var valueTypes = []Type{"i32", "i32", "i32", "i32", "u8", "u8", "u8", "i16", "i16", "u16", "u16", "i8", "u32", "i64", "u64", "f32", "f32", "f32", "f32", "f64", "f16"}

func (g *generator) anyType() Type { return pick(g, valueTypes...) }

// mix turns a value into another: an operator, a constant, a parameter, a coordinate.
func (g *generator) mix(v val, at []val) val {
	t := v.t
	switch g.draw(0, 15) {
	case 0:
		return g.op("*", v, g.num(t, g.draw(2, 3)))
	case 1:
		return g.op("+", v, g.num(t, g.draw(-5, 9)))
	case 2:
		return g.op("/", v, g.num(t, pick(g, 2, 4)))
	case 3:
		if !t.float() {
			return g.op(pick(g, "/", "%"), v, g.num(t, g.draw(3, 11)))
		}
		return g.op(pick(g, "floor", "ceil", "round", "trunc"), g.op("/", v, g.num(t, 2)))
	case 4:
		c := g.condition(v, at)
		return g.op("select", c, v, g.op("+", v, g.num(t, 1)))
	case 5:
		if len(at) > 0 {
			return g.op("+", v, g.to(t, pick(g, at...)))
		}
	case 6:
		return g.to(t, g.to(g.anyType(), v))
	case 7:
		if len(g.p.Scalars) > 0 {
			return g.op("+", v, g.to(t, g.must(&Expr{Op: "param", Name: pick(g, g.p.Scalars...).Name})))
		}
	case 8:
		return g.op("clamp", v, g.num(t, 3), g.num(t, 60))
	case 9:
		return g.to(t, g.op("abs", g.op("-", v, g.num(t, 20))))
	case 10: // a shared subexpression
		a := g.op("+", v, g.num(t, 1))
		return g.op("+", g.op("*", a, a), a)
	case 11:
		if !t.float() {
			return g.op(pick(g, "&", "|", "^"), g.wrap(v), g.num(t, g.draw(1, 15)))
		}
	case 12:
		if !t.float() {
			return g.op(pick(g, "<<", ">>"), v, g.num(t, g.draw(1, 3)))
		}
	case 13: // by what may be 0, which Halide defines
		if !t.float() {
			return g.op(pick(g, "/", "%"), v, g.op("%", v, g.num(t, 3)))
		}
	}
	return v
}

func (g *generator) condition(v val, at []val) val {
	if len(at) > 0 && g.chance(2) {
		a := pick(g, at...)
		switch g.draw(0, 2) {
		case 0:
			return g.op("==", g.op("%", a, g.int(g.draw(2, 3))), g.int(g.draw(0, 1)))
		case 1:
			return g.op("<", a, g.int(g.draw(0, g.w)))
		}
		return g.op("&&", g.op(">", a, g.int(g.draw(0, 3))), g.op("!=", v, g.num(v.t, 7)))
	}
	return g.op(pick(g, "<", ">=", "==", "<="), v, g.num(v.t, g.draw(0, 50)))
}

// join combines two values of any types in a third.
func (g *generator) join(t Type, a, b val) val {
	return g.op(pick(g, "+", "+", "+", "-", "*", "min", "max", "absd"), g.to(t, a), g.to(t, b))
}

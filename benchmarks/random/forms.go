package random

// reduceForm reduces all of a source, or its rows, in the forms in which people write sums, extremes and the like: as trees all of them, but for what is left out of some domain.
func reduceForm(g *generator, f *Func) bool {
	at, r, v := g.long(f)
	if r == nil {
		return false
	}
	var init []*Expr
	u := &Update{}
	for _, i := range at {
		u.Index = append(u.Index, i.Expr)
	}
	kept := 0
	values := pick(g, 1, 1, 1, 2, 3)
	for k := range values {
		t := g.anyType()
		g.init(f, t, at)
		init = append(init, f.Values[0])
		self := g.self(f, t, at...)
		self.K = k
		value := self
		if kept+1 == values || !g.chance(4) {
			value = g.form(self, g.to(t, v), g.condition(v, g.rvars(r)))
		} else {
			kept++
		}
		u.Values = append(u.Values, value.Expr)
	}
	f.Values = init
	f.Updates = append(f.Updates, u)
	return true
}

// form combines a Func's own value with another, c being some condition.
func (g *generator) form(self, a, c val) val {
	t := self.t
	either := func(x, y val) val { return val{node("select", c, x, y), t, Range{}} }
	b := g.num(t, g.draw(1, 3))
	if g.chance(2) {
		b = g.to(t, g.op("%", g.to("i32", a), g.int(3)))
	}
	switch g.draw(0, 10) {
	case 0:
		return g.op2("+", g.op2("+", self, a), b)
	case 1:
		return g.op2("+", b, g.op2("+", self, a))
	case 2:
		return g.op2("-", self, a)
	case 3:
		return g.op2("-", g.op2("-", self, a), b)
	case 4:
		return either(g.op2("+", self, a), self)
	case 5:
		return either(self, g.op2("+", self, g.num(t, 1)))
	case 6:
		return either(g.op2("+", self, b), g.op2("-", self, a))
	case 7:
		return either(g.op2(pick(g, "max", "min"), self, a), self)
	case 8:
		return g.op2("max", b, g.op2("max", self, a))
	case 9:
		better := val{node(pick(g, "<", ">", "<=", ">="), self, a), "b", Range{}}
		if g.chance(2) {
			return val{node("select", better, self, a), t, Range{}}
		}
		return val{node("select", better, a, self), t, Range{}}
	}
	if t.float() {
		return g.op2("+", self, g.op2("+", a, b))
	}
	return g.op2(pick(g, "|", "&", "^"), self, a)
}

// growth is what one iteration of an update adds to a Func's value k at least and at most, if it is that value with more added or subtracted.
func (v *env) growth(e *Expr, name string, k int) (Range, bool) {
	switch {
	case e.Op == "call" && e.Name == name && e.K == k:
		return Range{}, true
	case e.Op == "select" && !e.Args[0].calls(name):
		a, ok := v.growth(e.Args[1], name, k)
		b, too := v.growth(e.Args[2], name, k)
		if _, _, err := v.eval(e.Args[0]); err != nil {
			return Range{}, false
		}
		return a.union(b), ok && too
	case e.Op != "+" && e.Op != "-":
		return Range{}, false
	}
	self, other := e.Args[0], e.Args[1]
	if e.Op == "+" && !self.calls(name) {
		self, other = other, self
	}
	if other.calls(name) {
		return Range{}, false
	}
	r, ok := v.growth(self, name, k)
	_, d, err := v.eval(other)
	if e.Op == "-" {
		d.Lo, d.Hi = -d.Hi, -d.Lo
	}
	return Range{Lo: r.Lo + d.Lo, Hi: r.Hi + d.Hi, Frac: max(r.Frac, d.Frac)}, ok && err == nil
}

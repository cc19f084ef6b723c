package random

// kind is a kind of stage: make fills a Func in, or returns false if it cannot here.
type kind struct {
	name   string
	weight int
	make   func(g *generator, f *Func) bool
}

var kinds = []kind{
	{"pointwise", 12, pointwise},
	{"join", 10, diamond},
	{"stencil", 14, stencil},
	{"down", 5, down},
	{"up", 5, up},
	{"up-linear", 3, upLinear},
	{"transpose", 3, transpose},
	{"mirror", 2, mirror},
	{"interleave", 2, interleave},
	{"table", 4, table},
	{"gather", 4, gather},
	{"boundary", 7, boundary},
	{"histogram", 4, histogram},
	{"scatter", 3, scatter},
	{"reduce", 6, reduce},
	{"reduce-all", 4, reduceAll},
	{"reduce-tuple", 4, reduceTuple},
	{"reduce-form", 4, reduceForm},
	{"arg", 3, arg},
	{"arg-places", 3, argPlaces},
	{"fold", 5, fold},
	{"matmul", 2, matmul},
	{"scan", 6, scan},
	{"update", 5, update},
	{"tuple", 4, tuple},
	{"slice", 3, slice},
	{"stack", 4, stack},
	{"copy", 2, copyOf},
	{"masked", 4, masked},
}

// rank draws the dimensions of a Func over a source.
func (g *generator) rank(s source) int {
	if g.chance(3) {
		return min(max(s.dims+g.draw(-1, 1), 0), 5)
	}
	if s.dims == 0 || g.chance(6) {
		return 2
	}
	return min(s.dims, 5)
}

func (g *generator) finish(f *Func, v val, at []val) bool {
	for range g.draw(0, 2) {
		v = g.mix(v, at)
	}
	if v.t == "b" {
		return false
	}
	f.Values = []*Expr{v.Expr}
	return true
}

func pointwise(g *generator, f *Func) bool {
	s := g.source()
	at := g.vars(f, g.rank(s))
	v := g.to(g.anyType(), g.read(s, at...))
	for range g.draw(0, 3) {
		v = g.mix(v, at)
	}
	return g.finish(f, v, at)
}

func copyOf(g *generator, f *Func) bool {
	s := g.source()
	if s.dims > 5 {
		return false
	}
	f.Values = []*Expr{g.read(s, g.vars(f, s.dims)...).Expr}
	return true
}

func diamond(g *generator, f *Func) bool {
	s := g.source()
	at := g.vars(f, g.rank(s))
	t := g.anyType()
	v := g.to(t, g.read(s, at...))
	for range g.draw(1, 3) {
		v = g.join(t, v, g.mix(g.read(g.source(), g.nudge(at)...), at))
	}
	return g.finish(f, v, at)
}

// nudge is nearby coordinates.
func (g *generator) nudge(at []val) []val {
	var n []val
	for _, a := range at {
		if g.chance(3) {
			a = g.add(a, g.draw(-2, 2))
		}
		n = append(n, a)
	}
	return n
}

func stencil(g *generator, f *Func) bool {
	s := g.source()
	n := g.rank(s)
	if n == 0 {
		return false
	}
	at := g.vars(f, n)
	t := pick[Type](g, "i32", "i32", "u16", "f32", "f32", "u8", "i16", g.anyType())
	dims, dilation, reach := g.draw(1, min(3, n)), 1, g.draw(1, 2)
	if g.chance(4) {
		dilation = g.draw(2, 3)
	}
	if g.chance(5) {
		reach = 4
	}
	first := g.rng.IntN(n - dims + 1)
	v := g.to(t, g.read(s, at...))
	for range g.draw(1, 6) {
		to := append([]val{}, at...)
		for d := range dims {
			to[first+d] = g.add(to[first+d], g.draw(-reach, reach)*dilation)
		}
		tap := g.to(t, g.read(s, to...))
		switch g.draw(0, 3) {
		case 0:
			tap = g.op("*", tap, g.num(t, g.draw(2, 4)))
		case 1:
			if g.chance(2) {
				v = g.op(pick(g, "max", "min", "-"), v, tap)
				continue
			}
		}
		v = g.op("+", v, tap)
	}
	return g.finish(f, v, at)
}

func down(g *generator, f *Func) bool {
	s := g.source()
	n := g.rank(s)
	if n == 0 {
		return false
	}
	at := g.vars(f, n)
	by, d := g.draw(2, 4), g.rng.IntN(n)
	both := n > 1 && g.chance(2)
	t := g.anyType()
	tap := func(k int) val {
		to := append([]val{}, at...)
		to[d] = g.add(g.op("*", at[d], g.int(by)), k)
		if e := (d + 1) % n; both {
			to[e] = g.add(g.op("*", at[e], g.int(2)), g.draw(-1, 1))
		}
		return g.to(t, g.read(s, to...))
	}
	v := tap(0)
	for range g.draw(0, 3) {
		v = g.op("+", v, tap(g.draw(-1, by)))
	}
	return g.finish(f, v, at)
}

func up(g *generator, f *Func) bool {
	s := g.source()
	n := g.rank(s)
	if n == 0 {
		return false
	}
	at := g.vars(f, n)
	to := append([]val{}, at...)
	by := pick(g, 2, 2, 3, 4)
	for d := range to {
		if d == 0 || g.chance(2) {
			to[d] = g.op("/", g.add(to[d], g.draw(0, 1)), g.int(by))
		}
	}
	v := g.read(s, to...)
	if g.chance(3) {
		v = g.join(g.anyType(), v, g.read(g.source(), at...))
	}
	return g.finish(f, v, at)
}

func upLinear(g *generator, f *Func) bool {
	s := g.source()
	n := g.rank(s)
	if n == 0 {
		return false
	}
	at := g.vars(f, n)
	t := pick[Type](g, "u16", "i32", "f32", "u8", "i64", "f64")
	d := g.rng.IntN(n)
	to := append([]val{}, at...)
	to[d] = g.op("/", at[d], g.int(2))
	a := g.to(t, g.read(s, to...))
	if g.chance(2) {
		to[d] = g.op("/", g.add(at[d], 1), g.int(2))
	} else {
		to[d] = g.add(g.op("-", to[d], g.int(1)), 0)
		to[d] = g.op("+", to[d], g.op("*", g.op("%", at[d], g.int(2)), g.int(2)))
		a = g.op("*", a, g.num(t, 3))
	}
	v := g.op("+", a, g.to(t, g.read(s, to...)))
	return g.finish(f, g.op("/", v, g.num(t, 4)), at)
}

func transpose(g *generator, f *Func) bool {
	s := g.source()
	if s.dims < 2 {
		return false
	}
	at := g.vars(f, min(s.dims, 5))
	i := g.rng.IntN(len(at) - 1)
	to := append([]val{}, at...)
	to[i], to[i+1] = to[i+1], to[i]
	v := g.read(s, to...)
	if g.chance(3) {
		v = g.join(g.anyType(), v, g.read(s, at...))
	}
	return g.finish(f, v, at)
}

func mirror(g *generator, f *Func) bool {
	s := g.source()
	if s.dims < 1 {
		return false
	}
	at := g.vars(f, min(s.dims, 5))
	to := append([]val{}, at...)
	to[0] = g.op("-", g.int(g.w-1), at[0])
	return g.finish(f, g.read(s, to...), at)
}

func interleave(g *generator, f *Func) bool {
	a, b := g.source(), g.source()
	n := g.rank(a)
	if n == 0 {
		return false
	}
	at := g.vars(f, n)
	d := g.rng.IntN(n)
	to := append([]val{}, at...)
	to[d] = g.op("/", at[d], g.int(2))
	t := g.anyType()
	even := g.op("==", g.op("%", at[d], g.int(2)), g.int(0))
	return g.finish(f, g.op("select", even, g.to(t, g.read(a, to...)), g.to(t, g.read(b, to...))), at)
}

// table reads a look-up table: an input or a one-dimensional Func, at a value.
func table(g *generator, f *Func) bool {
	s, v := g.source(), g.source()
	for range 5 {
		if s.dims == 1 {
			break
		}
		s = g.source()
	}
	if s.dims < 1 || s.ofItself(v) {
		return false
	}
	at := g.vars(f, g.rank(v))
	i := g.index(g.read(v, at...), g.draw(1, 200))
	return g.finish(f, g.read(s, append([]val{i}, at...)...), at)
}

func gather(g *generator, f *Func) bool {
	s, v := g.source(), g.source()
	n := g.rank(s)
	if s.dims == 0 || n == 0 || s.ofItself(v) {
		return false
	}
	at := g.vars(f, n)
	to := append([]val{}, at...)
	d := g.rng.IntN(n)
	extent := [...]int{g.w, g.h, 3, 2, 2}[d]
	i := g.to("i32", g.read(v, at...))
	if g.chance(2) {
		i = g.op("+", at[d], g.op("%", i, g.int(5))) // near
	}
	to[d] = g.op("clamp", i, g.int(0), g.int(extent-1))
	return g.finish(f, g.read(s, to...), at)
}

func boundary(g *generator, f *Func) bool {
	s := g.source()
	if s.dims == 0 || s.dims > 4 || s.input != nil && s.input.Auto() {
		return false
	}
	f.Boundary = pick(g, "repeat_edge", "repeat_image", "mirror_image", "mirror_interior", "constant_exterior")
	if s.input != nil {
		f.Source = s.input.Name
		for d := range s.input.Estimate {
			if f.Boundary == "mirror_interior" && min(s.input.Estimate[d].Extent, s.input.Run[d].Extent) < 2 {
				return false
			}
		}
	} else {
		if len(s.f.types) > 1 {
			return false
		}
		f.Source = s.f.Name
		for d := range s.dims {
			e := [...]int{g.w, g.h, 3, 2}[d]
			f.Region = append(f.Region, Span{g.draw(-1, 1), max(e, 2)})
		}
	}
	if f.Boundary == "constant_exterior" {
		t := g.read(s).t
		f.Outside = g.num(t, g.draw(0, 9)).Expr
	}
	return true
}

// init is a pure definition of zero, a constant or another Func, of a type.
func (g *generator) init(f *Func, t Type, at []val) {
	v := g.num(t, pick(g, 0, 0, 1, 5))
	if g.chance(4) {
		v = g.to(t, g.read(g.source(), at...))
	}
	f.Values = []*Expr{v.Expr}
}

func (g *generator) extents(n int) []Span {
	var s []Span
	for d := range n {
		e := [...]int{g.w, g.h, 3, 2, 2}[d]
		s = append(s, Span{pick(g, 0, 0, 0, -2, 3), e})
	}
	return s
}

func histogram(g *generator, f *Func) bool {
	s := g.source()
	if s.dims == 0 {
		return false
	}
	n := pick(g, 1, 1, 1, 2)
	at := g.vars(f, n)
	t := g.anyType()
	g.init(f, t, at)
	r := g.domain(g.extents(min(s.dims, 3))...)
	if g.chance(5) {
		g.predicate(r, s)
	}
	bin := g.index(g.read(s, g.rvars(r)...), pick(g, 7, 16, 100, 256))
	to := []val{bin}
	if n > 1 {
		to = append(to, at[1])
	}
	by := g.num(t, g.draw(1, 2))
	if g.chance(3) {
		by = g.to(t, g.read(g.source(), g.rvars(r)...))
	}
	op := "+"
	if g.chance(4) {
		op = pick(g, "max", "min")
	}
	g.update(f, to, g.op2(op, g.self(f, t, to...), by))
	return true
}

// op2 is an operator whose operands' ranges are not known yet, as those of the Func being
// defined.
func (g *generator) op2(op string, a, b val) val { return val{node(op, a, b), a.t, Range{}} }

func (g *generator) update(f *Func, to []val, values ...val) {
	u := &Update{}
	for _, i := range to {
		u.Index = append(u.Index, i.Expr)
	}
	for _, v := range values {
		// What would grow beyond its type is wrapped, as sums of floats are.
		e := v.Expr
		if !v.t.wraps() && (e.Op == "-" || e.Op == "*" || e.Op == "+" && g.chance(6)) {
			e = node("wrap", v)
		}
		u.Values = append(u.Values, e)
	}
	f.Updates = append(f.Updates, u)
}

func (g *generator) predicate(r *Domain, s source) {
	at := g.rvars(r)
	v := g.op("==", g.op("%", at[0], g.int(g.draw(2, 3))), g.int(0))
	switch {
	case len(at) > 1 && g.chance(3):
		v = g.op("<", at[0], at[1])
	case len(at) > 1 && g.chance(3):
		v = g.op("<", g.op("+", at[0], at[1]), g.int((g.w+g.h)/2))
	case g.chance(4):
		x := g.read(s, at...)
		v = g.op("<", x, g.num(x.t, 30))
	}
	r.Where = append(r.Where, v.Expr)
}

func scatter(g *generator, f *Func) bool {
	s := g.source()
	if s.dims == 0 {
		return false
	}
	n := g.draw(1, 2)
	at := g.vars(f, n)
	t := g.anyType()
	g.init(f, t, at)
	r := g.domain(Span{0, g.draw(1, 40)})
	i := g.rvars(r)[0]
	d := g.rng.IntN(n)
	to := append([]val{}, at...)
	var along []val
	for range s.dims {
		along = append(along, i)
	}
	if n > 1 && s.dims > 1 {
		along[1-d] = at[1-d]
	}
	to[d] = g.index(g.read(s, along...), [...]int{g.w, g.h}[d])
	v := g.to(t, g.read(g.source(), along...))
	if g.chance(2) {
		self := g.self(f, t, to...)
		v = g.op2("+", val{node("/", val{self.Expr, t, Range{}}, g.num(t, 2)), t, Range{}}, v)
		if !t.wraps() {
			v = val{node("wrap", v), t, Range{}}
		}
	}
	g.update(f, to, v)
	return true
}

// combine is how a reduction adds a value.
func (g *generator) combine(self, v val) val {
	op := pick(g, "+", "+", "+", "min", "max", "*", "-")
	return g.op2(op, self, v)
}

func reduce(g *generator, f *Func) bool {
	s := g.source()
	if s.dims < 2 {
		return false
	}
	n := min(s.dims-1, 3)
	at := g.vars(f, n)
	t := g.anyType()
	g.init(f, t, at)
	d := g.rng.IntN(s.dims)
	along := append([]val{}, at...)
	span := g.extents(5)[d%5]
	if g.chance(3) {
		span = Span{g.draw(-2, 0), g.draw(1, 9)}
	}
	r := g.domain(span)
	if d > len(along) {
		d = len(along)
	}
	along = append(along[:d:d], append([]val{g.rvars(r)[0]}, at[d:]...)...)
	if g.chance(4) {
		g.predicate(r, s)
	}
	v := g.to(t, g.read(s, along...))
	if g.chance(4) {
		v = g.op("*", v, g.to(t, g.read(g.source(), along...)))
	}
	g.update(f, at, g.combine(g.self(f, t, at...), v))
	return true
}

func reduceAll(g *generator, f *Func) bool {
	s := g.source()
	if s.dims == 0 {
		return false
	}
	at := g.vars(f, pick(g, 0, 0, 1))
	t := g.anyType()
	g.init(f, t, at)
	r := g.domain(g.extents(min(s.dims, 3))...)
	if g.chance(3) {
		g.predicate(r, s)
	}
	to := []val{}
	if len(at) > 0 {
		to = append(to, g.int(g.draw(0, 2)))
	}
	g.update(f, to, g.combine(g.self(f, t, to...), g.to(t, g.read(s, g.rvars(r)...))))
	return true
}

// long is all of a source, or its rows: a reduction's point and domain, and what the source has there. It has no domain if the source is too short to be worth a
// tree.
func (g *generator) long(f *Func) (at []val, r *Domain, v val) {
	s := g.source()
	if s.dims < 2 {
		return nil, nil, v
	}
	at = g.vars(f, min(s.dims-1, 2)*pick(g, 0, 0, 1))
	r = g.domain(g.extents(min(s.dims-len(at), 3))...)
	if g.chance(8) {
		g.predicate(r, s)
	}
	return at, r, g.read(s, append(append([]val{}, at...), g.rvars(r)...)...)
}

// reduceTuple reduces to several values at once, each by an operator of its own: over all of a source, or its rows.
func reduceTuple(g *generator, f *Func) bool {
	at, r, v := g.long(f)
	if r == nil {
		return false
	}
	var init []*Expr
	var values []val
	for k := range g.draw(2, 4) {
		t := g.anyType()
		g.init(f, t, at)
		init = append(init, f.Values[0])
		self := g.self(f, t, at...)
		self.K = k
		x := g.to(t, v)
		if g.chance(3) { // a sum of squares
			x = g.op("*", x, x)
		}
		if op := pick(g, "+", "+", "min", "max", ""); op != "" {
			values = append(values, g.op2(op, self, x))
		} else { // what mostly leaves all of them in order
			values = append(values, g.combine(self, x))
		}
	}
	f.Values = init
	g.update(f, at, values...)
	return true
}

// arg is a hand-written argmax or argmin: a tuple.
func arg(g *generator, f *Func) bool {
	s := g.source()
	if s.dims == 0 {
		return false
	}
	at := g.vars(f, min(s.dims-1, 2)*g.draw(0, 1))
	r := g.domain(g.extents(min(s.dims-len(at), 2))...)
	rv := g.rvars(r)
	v := g.read(s, append(append([]val{}, at...), rv...)...)
	f.Values = []*Expr{konst("i32", 0), konst(v.t, 1)}
	self := func(k int, t Type) val {
		e := g.self(f, t, at...)
		e.K = k
		return e
	}
	better := val{node(pick(g, "<", ">"), v, self(1, v.t)), "b", Range{}}
	g.update(f, at, val{node("select", better, rv[0], self(0, "i32")), "i32", Range{}}, val{node("select", better, v, self(1, v.t)), v.t, Range{}})
	return true
}

// argPlaces is the least or greatest of all of a source, or of its rows, with its places.
func argPlaces(g *generator, f *Func) bool {
	at, r, v := g.long(f)
	if r == nil {
		return false
	}
	places := g.rvars(r)
	last := len(places)
	self := func(k int, t Type) val {
		e := g.self(f, t, at...)
		e.K = k
		return e
	}
	better := val{node(pick(g, "<", ">", "<", ">", "<="), v, self(last, v.t)), "b", Range{}}
	var values []val
	f.Values = nil
	for k, x := range append(places, v) {
		f.Values = append(f.Values, konst(x.t, float64(pick(g, 0, 0, 1))))
		values = append(values, val{node("select", better, x, self(k, x.t)), x.t, Range{}})
	}
	g.update(f, at, values...)
	return true
}

// fold is one of Halide's inline reductions.
func fold(g *generator, f *Func) bool {
	s := g.source()
	if s.dims == 0 {
		return false
	}
	at := g.vars(f, min(s.dims, 3))
	var spans []Span
	for range g.draw(1, min(2, s.dims)) {
		spans = append(spans, Span{g.draw(-2, 0), g.draw(1, 4)})
	}
	r := g.domain(spans...)
	if g.chance(5) {
		g.predicate(r, s)
	}
	to := append([]val{}, at...)
	for k, rv := range g.rvars(r) {
		to[k] = g.op("+", to[k], rv)
	}
	v := g.to(g.anyType(), g.read(s, to...))
	op := pick(g, "sum", "sum", "maximum", "minimum", "product", "argmin", "argmax")
	e := &Expr{Op: op, Name: r.Name, Args: []*Expr{v.Expr}}
	if op == "argmin" || op == "argmax" {
		e.K = g.draw(0, len(spans))
	}
	sum, ok := g.typed(e)
	return ok && g.finish(f, sum, at)
}

func matmul(g *generator, f *Func) bool {
	a, b := g.source(), g.source()
	if a.dims < 2 || b.dims < 2 {
		return false
	}
	at := g.vars(f, 2)
	t := g.anyType()
	f.Values = []*Expr{g.num(t, 0).Expr}
	r := g.domain(Span{0, g.draw(1, 17)})
	k := g.rvars(r)[0]
	v := g.op("*", g.to(t, g.read(a, k, at[1])), g.to(t, g.read(b, at[0], k)))
	g.update(f, at, g.op2("+", g.self(f, t, at...), v))
	return true
}

// scan is a recurrence along a dimension, forward or backward, once or twice.
func scan(g *generator, f *Func) bool {
	s := g.source()
	n := min(max(s.dims, 1), 3)
	at := g.vars(f, n)
	t := g.anyType()
	f.Values = []*Expr{g.to(t, g.read(s, at...)).Expr}
	for range g.draw(1, 2) {
		d := g.rng.IntN(min(n, 2))
		e := [...]int{g.w, g.h}[d]
		r := g.domain(Span{1, max(e-1, 1)})
		i := g.rvars(r)[0]
		from := g.add(i, -1)
		if g.chance(3) { // from the far end
			i = g.op("-", g.int(e), i)
			from = g.add(i, 1)
		}
		to := append([]val{}, at...)
		to[d] = i
		before := append([]val{}, at...)
		before[d] = from
		old, self := g.self(f, t, before...), g.self(f, t, to...)
		var v val
		switch g.draw(0, 3) {
		case 0:
			v = g.op2("+", old, g.to(t, g.read(s, to...)))
		case 1:
			v = g.op2(pick(g, "max", "min"), self, old)
		case 2:
			v = val{node("wrap", g.op2("+", self, old)), t, Range{}}
		default:
			v = val{node("wrap", g.op2("+", self, val{node("floor", val{node("/", old, g.num(t, 2)), t, Range{}}), t, Range{}})), t, Range{}}
			if !t.float() {
				v = g.op2("max", self, val{node("/", old, g.num(t, 2)), t, Range{}})
			}
		}
		g.update(f, to, v)
	}
	return true
}

// update is a pure definition and one to three updates of several forms.
func update(g *generator, f *Func) bool {
	s := g.source()
	n := min(max(s.dims, 1), 4)
	at := g.vars(f, n)
	t := g.anyType()
	v := g.to(t, g.read(s, at...))
	f.Values = []*Expr{v.Expr}
	for range g.draw(1, 3) {
		to := append([]val{}, at...)
		switch g.draw(0, 5) {
		case 5: // the loops in another order than the dimensions
			if n < 2 {
				return false
			}
			r := g.domain(Span{0, g.draw(1, 9)}, Span{g.draw(-1, 1), g.draw(1, 9)})
			rv := g.rvars(r)
			to[0], to[1] = rv[1], rv[0]
			g.update(f, to, g.op2("+", g.self(f, t, to...), g.to(t, g.read(g.source(), rv...))))
		case 0: // pointwise
			g.update(f, to, g.op2(pick(g, "+", "max", "-"), g.self(f, t, to...), g.to(t, g.read(g.source(), at...))))
		case 1: // a row
			to[g.rng.IntN(n)] = g.int(g.draw(0, 3))
			g.update(f, to, g.to(t, g.read(g.source(), to...)))
		case 2: // a window
			r := g.domain(Span{-1, 3})
			from := append([]val{}, at...)
			d := g.rng.IntN(n)
			from[d] = g.op("+", at[d], g.rvars(r)[0])
			g.update(f, to, g.op2("+", g.self(f, t, to...), g.to(t, g.read(s, from...))))
		case 3: // every third
			r := g.domain(Span{0, g.w})
			g.predicate(r, s)
			to[0] = g.rvars(r)[0]
			g.update(f, to, g.op2("+", g.self(f, t, to...), g.num(t, 1)))
		case 4: // from another place of the Func itself
			d := g.rng.IntN(n)
			from := append([]val{}, at...)
			to[d], from[d] = g.int(0), g.int(g.draw(1, 5))
			g.update(f, to, g.self(f, t, from...))
		}
	}
	return true
}

func tuple(g *generator, f *Func) bool {
	s := g.source()
	at := g.vars(f, g.rank(s))
	a := g.read(s, at...)
	b := g.to(g.anyType(), g.read(g.source(), g.nudge(at)...))
	f.Values = []*Expr{a.Expr, b.Expr}
	if len(at) > 0 && g.chance(2) { // each from the other
		self := func(k int, t Type) val {
			e := g.self(f, t, at...)
			e.K = k
			return e
		}
		if a.t == b.t && g.chance(2) {
			g.update(f, at, self(1, b.t), self(0, a.t))
		} else {
			g.update(f, at, g.op2("max", self(0, a.t), g.num(a.t, 7)), g.op2("min", self(1, b.t), g.num(b.t, 50)))
		}
	}
	return true
}

// slice drops the last dimensions.
func slice(g *generator, f *Func) bool {
	s := g.source()
	if s.dims == 0 {
		return false
	}
	at := g.vars(f, g.draw(0, min(s.dims-1, 4)))
	return g.finish(f, g.read(s, at...), at)
}

// stack adds a dimension: channels from different sources, or a shifted one.
func stack(g *generator, f *Func) bool {
	s := g.source()
	if s.dims > 4 {
		return false
	}
	at := g.vars(f, s.dims+1)
	c := at[len(at)-1]
	t := g.anyType()
	v := g.to(t, g.read(s, at...))
	switch {
	case g.chance(3) && s.dims > 0:
		to := append([]val{}, at[:s.dims]...)
		to[0] = g.op("+", to[0], c)
		v = g.to(t, g.read(s, to...))
	case g.chance(2):
		v = g.op("select", g.op("==", c, g.int(0)), v, g.to(t, g.read(g.source(), at...)))
	default:
		v = g.op("+", v, g.to(t, c))
	}
	return g.finish(f, v, at)
}

// masked is an update under a condition that reads something at the point that it is about: it overwrites a part of the Func, its rows or columns, or combines what a window has.
func masked(g *generator, f *Func) bool {
	s := g.source()
	if s.dims == 0 || s.dims > 3 {
		return false
	}
	at := g.vars(f, s.dims)
	t := g.anyType()
	g.init(f, t, at)
	to := append([]val{}, at...)
	from := append([]val{}, at...)
	var r *Domain
	window := g.chance(3)
	if window {
		r = g.domain(Span{g.draw(-2, 0), g.draw(1, 4)})
		d := g.rng.IntN(s.dims)
		from[d] = g.op("+", at[d], g.rvars(r)[0])
	} else if d := g.rng.IntN(s.dims); s.dims > 1 && g.chance(2) {
		r = g.domain(g.extents(5)[d])
		to[d] = g.rvars(r)[0]
		from[d] = to[d]
	} else {
		r = g.domain(g.extents(s.dims)...)
		to = g.rvars(r)
		from = to
	}
	if g.chance(4) {
		g.predicate(r, s)
	}
	x := g.read(s, from...)
	r.Where = append(r.Where, node(pick(g, "<", ">"), x, g.num(x.t, pick(g, 1, 30, 100))))
	v := g.to(t, g.read(g.source(), from...))
	if window || g.chance(3) {
		v = g.combine(g.self(f, t, to...), v)
	}
	g.update(f, to, v)
	return true
}

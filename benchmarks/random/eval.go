package random

import (
	"fmt"
	"math"
)

// coordinate bounds every coordinate of every Func; Regions refuses pipelines beyond.
const coordinate = 8192

// env is what is known while an expression is evaluated.
type env struct {
	p      *Pipeline
	vars   map[string]Range // nil: any coordinate
	ranges map[string][]Range
	self   *Func // being defined; its ranges are in ranges already
}

// Check finds the range of every Func's values and fails if something in the pipeline is
// undefined, inexact or ill-typed.
func (p *Pipeline) Check() error {
	_, err := p.valueRanges()
	return err
}

func (p *Pipeline) valueRanges() (map[string][]Range, error) {
	v := &env{p: p, ranges: map[string][]Range{}}
	for _, f := range p.Funcs {
		if err := v.define(f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return v.ranges, nil
}

// define finds the types and ranges of a Func whose callees are defined.
func (v *env) define(f *Func) error {
	f.types = nil
	if f.Boundary != "" {
		return v.boundary(f)
	}
	var rs []Range
	for _, e := range f.Values {
		t, r, err := v.eval(e)
		if err != nil {
			return err
		}
		if t == "b" {
			return fmt.Errorf("a Func of bool")
		}
		f.types, rs = append(f.types, t), append(rs, r)
	}
	v.ranges[f.Name] = rs
	v.self = f
	defer func() { v.self = nil }()
	for i, u := range f.Updates {
		if err := v.update(f, u); err != nil {
			return fmt.Errorf("update %d: %w", i, err)
		}
	}
	return nil
}

func (v *env) boundary(f *Func) error {
	var rs []Range
	if in := v.p.Input(f.Source); in != nil {
		f.types, rs = []Type{in.Type}, []Range{in.Range()}
		if in.Auto() {
			return fmt.Errorf("the input %s has no box of its own", in.Name)
		}
	} else {
		src := v.p.Func(f.Source)
		if src == nil || src.types == nil {
			return fmt.Errorf("no source %s", f.Source)
		}
		f.types = src.types
		rs = append(rs, v.ranges[src.Name]...)
	}
	if f.Outside != nil {
		t, r, err := v.eval(f.Outside)
		if err != nil {
			return err
		}
		if t != f.types[0] || len(rs) != 1 {
			return fmt.Errorf("constant_exterior of %s with a %s", f.types[0], t)
		}
		rs[0] = rs[0].union(r)
	}
	v.ranges[f.Name] = rs
	return nil
}

// update widens the ranges of a Func by an update: by adding as often as the update runs,
// else until nothing grows.
func (v *env) update(f *Func, u *Update) error {
	n := 1.0
	for _, name := range domainsOf(append(append([]*Expr{}, u.Index...), u.Values...)) {
		d := v.p.Domain(name)
		if d == nil {
			return fmt.Errorf("no domain %s", name)
		}
		for k := range d.Spans {
			_, r, err := v.eval(d.Spans[k][1])
			if err != nil {
				return err
			}
			n *= max(r.Hi, 0)
		}
		for _, w := range d.Where {
			if _, _, err := v.eval(w); err != nil {
				return err
			}
		}
		if err := v.somewhere(d); err != nil {
			return err
		}
	}
	for _, e := range u.Index {
		if t, _, err := v.eval(e); err != nil {
			return err
		} else if t != "i32" {
			return fmt.Errorf("an index of type %s", t)
		}
	}
	if len(u.Values) != len(f.types) {
		return fmt.Errorf("%d values for %d", len(u.Values), len(f.types))
	}
	for pass := range 4 {
		grew := false
		for k, e := range u.Values {
			old := v.ranges[f.Name][k]
			var r Range
			d, sum := v.growth(e, f.Name, k)
			if sum = sum && !f.types[k].wraps(); sum && pass > 0 {
				continue // all that is added is in its range
			} else if sum {
				r = Range{Lo: old.Lo + n*min(d.Lo, 0), Hi: old.Hi + n*max(d.Hi, 0), Frac: max(old.Frac, d.Frac)}
				if !f.types[k].holds(r) {
					return fmt.Errorf("a sum of %g times %v", n, d)
				}
			}
			t, r2, err := v.eval(e)
			if err != nil {
				return err
			}
			if t != f.types[k] {
				return fmt.Errorf("a %s into a %s", t, f.types[k])
			}
			if !sum {
				r = old.union(r2)
				grew = grew || !r.within(old)
			}
			// In place, and of a copy: tuples of different Funcs may share.
			rs := append([]Range{}, v.ranges[f.Name]...)
			rs[k] = r
			v.ranges[f.Name] = rs
		}
		if !grew {
			return nil
		}
	}
	return fmt.Errorf("its values grow without end")
}

func (e *Expr) calls(name string) bool {
	if e.Op == "call" && e.Name == name {
		return true
	}
	for _, a := range e.Args {
		if a.calls(name) {
			return true
		}
	}
	return false
}

// Range is what the input's values can be.
func (in *Input) Range() Range {
	s := math.Exp2(-float64(in.Frac))
	return Range{Lo: float64(in.Lo) * s, Hi: float64(in.Hi) * s, Frac: in.Frac, Typed: math.Inf(1)}
}

// spanRange is the union of a list's spans.
func spanRange(spans ...Span) Range {
	r := Range{Lo: float64(spans[0].Min), Hi: float64(spans[0].Min + spans[0].Extent - 1), Frac: 0}
	for _, s := range spans {
		r = r.union(Range{Lo: float64(s.Min), Hi: float64(s.Min + s.Extent - 1), Frac: 0})
	}
	return r
}

// eval finds an expression's type and range.
func (v *env) eval(e *Expr) (Type, Range, error) {
	fail := func(format string, args ...any) (Type, Range, error) {
		return "", Range{}, fmt.Errorf("%s: %s", e, fmt.Sprintf(format, args...))
	}
	switch e.Op {
	case "const":
		r := Range{Lo: e.Num, Hi: e.Num, Frac: 0}
		for r.Lo*math.Exp2(float64(r.Frac)) != math.Floor(r.Lo*math.Exp2(float64(r.Frac))) {
			r.Frac++
		}
		if !e.Type.holds(r) {
			return fail("not a %s", e.Type)
		}
		r.Typed = math.Abs(e.Num)
		return e.Type, r, nil
	case "var":
		if r, ok := v.vars[e.Name]; ok {
			return "i32", r, nil
		}
		return "i32", Range{Lo: -coordinate, Hi: coordinate, Frac: 0}, nil
	case "rvar":
		d := v.p.Domain(e.Name)
		if d == nil || e.K >= len(d.Spans) {
			return fail("no such domain")
		}
		_, lo, err := v.eval(d.Spans[e.K][0])
		if err != nil {
			return "", Range{}, err
		}
		_, n, err := v.eval(d.Spans[e.K][1])
		return "i32", Range{Lo: lo.Lo, Hi: max(lo.Hi+n.Hi-1, lo.Lo), Frac: 0}, err
	case "param":
		s := v.p.Scalar(e.Name)
		if s == nil {
			return fail("no such parameter")
		}
		return s.Type, Range{Lo: float64(min(s.Estimate, s.Run)), Hi: float64(max(s.Estimate, s.Run)), Frac: 0}, nil
	case "dimmin", "dimext":
		in := v.p.Input(e.Name)
		if in == nil || in.Auto() || e.K >= in.Dims {
			return fail("no such dimension")
		}
		a, b := in.Estimate[e.K], in.Run[e.K]
		if e.Op == "dimmin" {
			return "i32", Range{Lo: float64(min(a.Min, b.Min)), Hi: float64(max(a.Min, b.Min)), Frac: 0}, nil
		}
		return "i32", Range{Lo: float64(min(a.Extent, b.Extent)), Hi: float64(max(a.Extent, b.Extent)), Frac: 0}, nil
	case "load":
		in := v.p.Input(e.Name)
		if in == nil || in.Dims != len(e.Args) {
			return fail("no such input")
		}
		if err := v.indices(e); err != nil {
			return "", Range{}, err
		}
		return in.Type, in.Range(), nil
	case "call":
		f := v.p.Func(e.Name)
		if v.self != nil && v.self.Name == e.Name {
			f = v.self
		}
		if f == nil || e.K >= len(f.types) || e.K >= len(v.ranges[e.Name]) || len(e.Args) != f.dims(v.p) {
			return fail("no such Func")
		}
		if err := v.indices(e); err != nil {
			return "", Range{}, err
		}
		return f.types[e.K], v.ranges[e.Name][e.K], nil
	}
	if isFold(e.Op) {
		return v.fold(e)
	}
	var ts []Type
	var rs []Range
	for _, a := range e.Args {
		t, r, err := v.eval(a)
		if err != nil {
			return "", Range{}, err
		}
		ts, rs = append(ts, t), append(rs, r)
	}
	t, r, err := operate(e, ts, rs)
	if err != nil {
		return fail("%v", err)
	}
	return t, r, nil
}

func (v *env) indices(e *Expr) error {
	for _, a := range e.Args {
		if t, _, err := v.eval(a); err != nil {
			return err
		} else if t != "i32" {
			return fmt.Errorf("%s: an index of type %s", e, t)
		}
	}
	return nil
}

// isFold reports whether an operator is an inline reduction.
func isFold(op string) bool {
	switch op {
	case "sum", "product", "maximum", "minimum", "argmin", "argmax":
		return true
	}
	return false
}

func (v *env) fold(e *Expr) (Type, Range, error) {
	d := v.p.Domain(e.Name)
	if d == nil || len(e.Args) != 1 || e.Args[0].calls("") {
		return "", Range{}, fmt.Errorf("%s: no such domain", e)
	}
	n, where := 1.0, Range{}
	for k := range d.Spans {
		_, r, err := v.eval(d.Spans[k][1])
		if err != nil {
			return "", Range{}, err
		}
		n *= max(r.Hi, 0)
		_, at, err := v.eval(&Expr{Op: "rvar", Name: e.Name, K: k})
		if err != nil {
			return "", Range{}, err
		}
		where = where.union(at)
	}
	t, r, err := v.eval(e.Args[0])
	if err != nil {
		return "", Range{}, err
	}
	if err := v.somewhere(d); err != nil {
		return "", Range{}, err
	}
	if len(d.Where) > 0 && e.Op != "sum" && e.Op != "product" {
		return "", Range{}, fmt.Errorf("%s: of no point it would be the type's extreme", e)
	}
	switch e.Op {
	case "sum":
		r = Range{Lo: n * min(r.Lo, 0), Hi: n * max(r.Hi, 0), Frac: r.Frac}
		if t.wraps() && !t.holds(r) {
			r = t.whole()
		}
		if t == "b" || !t.holds(r) {
			return "", Range{}, fmt.Errorf("%s: a sum beyond %s", e, t)
		}
	case "product":
		if !t.wraps() {
			return "", Range{}, fmt.Errorf("%s: a product of %s", e, t)
		}
		r = t.whole()
	case "argmin", "argmax":
		if e.K < len(d.Spans) {
			return "i32", where, nil
		}
	}
	return t, r, nil
}

// dims is how many dimensions a Func has.
func (f *Func) dims(p *Pipeline) int {
	if f.Boundary == "" {
		return len(f.Vars)
	}
	if in := p.Input(f.Source); in != nil {
		return in.Dims
	}
	if src := p.Func(f.Source); src != nil {
		return src.dims(p)
	}
	return -1
}

// wrapModulus is what op wrap reduces integers by, and wrapFloat floats.
const (
	wrapModulus = 97
	wrapFloat   = 32
)

// operate is eval for operators.
func operate(e *Expr, ts []Type, rs []Range) (Type, Range, error) {
	arity := map[string]int{"!": 1, "cast": 1, "abs": 1, "floor": 1, "ceil": 1, "round": 1, "trunc": 1, "wrap": 1, "select": 3, "clamp": 3}[e.Op]
	if arity == 0 {
		arity = 2
	}
	if len(ts) != arity {
		return "", Range{}, fmt.Errorf("%d arguments", len(ts))
	}
	t, a := ts[0], rs[0]
	last := ts[len(ts)-1]
	if e.Op == "select" {
		t = ts[1]
	}
	if t != last || e.Op == "clamp" && ts[1] != t || e.Op == "select" && ts[0] != "b" {
		return "", Range{}, fmt.Errorf("types %v", ts)
	}
	var b Range
	if len(rs) > 1 {
		b = rs[1]
	}
	yes := Range{Lo: 0, Hi: 1, Frac: 0}
	switch e.Op {
	case "<", "<=", "==", "!=", ">", ">=":
		return "b", yes, nil
	case "&&", "||", "!":
		if t != "b" {
			return "", Range{}, fmt.Errorf("of %s", t)
		}
		return "b", yes, nil
	case "select":
		return t, rs[1].union(rs[2]), nil
	case "cast":
		return cast(e.Type, t, a)
	}
	if t == "b" {
		return "", Range{}, fmt.Errorf("of bool")
	}
	result := t
	var r Range
	if (e.Op == "/" || e.Op == "%") && !t.float() && !t.signed() && b.Lo <= 0 {
		// 0 everywhere but in Halide 21's backends that write C, OpenCL among them.
		return "", Range{}, fmt.Errorf("unsigned division by what may be 0")
	}
	switch e.Op {
	case "+":
		r = Range{Lo: a.Lo + b.Lo, Hi: a.Hi + b.Hi, Frac: max(a.Frac, b.Frac)}
	case "-":
		r = Range{Lo: a.Lo - b.Hi, Hi: a.Hi - b.Lo, Frac: max(a.Frac, b.Frac)}
	case "*":
		r = corners(a, b, func(x, y float64) float64 { return x * y })
		r.Frac = a.Frac + b.Frac
	case "/":
		if t.float() {
			n := math.Log2(b.Lo)
			if b.Lo != b.Hi || n != math.Floor(n) || n < 0 || n > 4 {
				return "", Range{}, fmt.Errorf("division by what is no power of two")
			}
			r = Range{Lo: a.Lo / b.Lo, Hi: a.Hi / b.Lo, Frac: a.Frac + int(n)}
		} else if b.Lo > 0 {
			r = corners(a, b, func(x, y float64) float64 { return math.Floor(x / y) })
		} else {
			m := max(math.Abs(a.Lo), math.Abs(a.Hi))
			r = Range{Lo: -m, Hi: m, Frac: 0}
			if !t.signed() {
				r.Lo = 0
			}
		}
	case "%":
		if t.float() {
			return "", Range{}, fmt.Errorf("of floats")
		}
		m := max(math.Abs(b.Lo), math.Abs(b.Hi))
		r = Range{Lo: 0, Hi: max(m-1, 0), Frac: 0}
	case "min":
		r = Range{Lo: min(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi), Frac: max(a.Frac, b.Frac)}
	case "max":
		r = Range{Lo: max(a.Lo, b.Lo), Hi: max(a.Hi, b.Hi), Frac: max(a.Frac, b.Frac)}
	case "clamp":
		lo, hi := rs[1], rs[2]
		r = Range{Lo: max(min(a.Lo, hi.Lo), lo.Lo), Hi: max(min(a.Hi, hi.Hi), lo.Hi), Frac: max(a.Frac, lo.Frac, hi.Frac)}
	case "abs", "absd":
		d := a
		if e.Op == "absd" {
			d = Range{Lo: a.Lo - b.Hi, Hi: a.Hi - b.Lo, Frac: max(a.Frac, b.Frac)}
			if t.signed() && !t.wraps() && !t.holds(d) {
				return "", Range{}, fmt.Errorf("a difference of %v", d)
			}
		}
		r = Range{Lo: 0, Hi: max(math.Abs(d.Lo), math.Abs(d.Hi)), Frac: d.Frac}
		if t.signed() {
			result = "u" + t[1:]
		}
	case "floor", "ceil", "round", "trunc":
		if !t.float() {
			return "", Range{}, fmt.Errorf("of %s", t)
		}
		r = Range{Lo: math.Floor(a.Lo), Hi: math.Ceil(a.Hi), Frac: 0}
	case "wrap":
		if r = (Range{Lo: 0, Hi: wrapModulus - 1, Frac: 0}); t.float() {
			r.Hi = wrapFloat - 1
		}
	case "&", "|", "^":
		if t.float() || a.Lo < 0 || b.Lo < 0 {
			return "", Range{}, fmt.Errorf("of %s, of %v and %v", t, a, b)
		}
		r = Range{Lo: 0, Hi: math.Exp2(math.Ceil(math.Log2(max(a.Hi, b.Hi)+1))) - 1, Frac: 0}
	case "<<", ">>":
		if t.float() || b.Lo < 0 || b.Hi > 7 {
			return "", Range{}, fmt.Errorf("of %s by %v", t, b)
		}
		by := func(x, y float64) float64 { return x * math.Exp2(y) }
		if e.Op == ">>" {
			by = func(x, y float64) float64 { return math.Floor(x / math.Exp2(y)) }
		}
		r = corners(a, b, by)
	default:
		return "", Range{}, fmt.Errorf("unknown operator")
	}
	r.Typed = a.Typed
	for i, of := range rs {
		r.Cut = r.Cut || of.Cut && !result.float() // any operator may leave nothing but an operand: x + 0
		switch {
		case i == 0:
		case e.Op == "*":
			r.Typed *= of.Typed
		case e.Op == "+" || e.Op == "-":
			r.Typed += of.Typed
		case e.Op != "/":
			r.Typed = max(r.Typed, of.Typed)
		}
	}
	if !result.holds(r) {
		if !result.wraps() {
			return "", Range{}, fmt.Errorf("%v is beyond %s", r, result)
		}
		r = result.whole()
	}
	return result, r, nil
}

func corners(a, b Range, op func(x, y float64) float64) Range {
	p, q, s, t := op(a.Lo, b.Lo), op(a.Lo, b.Hi), op(a.Hi, b.Lo), op(a.Hi, b.Hi)
	return Range{Lo: min(p, q, s, t), Hi: max(p, q, s, t), Frac: 0}
}

func cast(to, from Type, a Range) (Type, Range, error) {
	if to == "b" {
		return "", Range{}, fmt.Errorf("to bool")
	}
	r := a
	if from.float() && !to.float() {
		r = Range{Lo: math.Trunc(a.Lo), Hi: math.Trunc(a.Hi), Cut: true}
		w := to.whole()
		if r.Lo < w.Lo || r.Hi > w.Hi {
			return "", Range{}, fmt.Errorf("a float in %v to %s", a, to)
		}
		// Halide 21 clamps what is read at such a place to the cut bounds of the float's: int32(float(u16) * float(u16)) to 0 ... -131072.
		if a.Typed > w.Hi && !math.IsInf(a.Typed, 1) {
			return "", Range{}, fmt.Errorf("a float that may be %g to %s", a.Typed, to)
		}
	}
	if to.float() && !from.float() {
		r.Typed = from.whole().Hi + 1
	}
	if !to.holds(r) {
		// Halide makes uint8(float) of uint8(int(float)), which each backend does in its own way
		// with what a byte does not hold.
		if !to.wraps() || r.Cut && !to.float() {
			return "", Range{}, fmt.Errorf("%v to %s", a, to)
		}
		r = to.whole()
	}
	return to, r, nil
}

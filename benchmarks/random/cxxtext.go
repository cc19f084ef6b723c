package random

import (
	"fmt"
	"strconv"
	"strings"
)

// Cxx is the pipeline as Halide C++, to be read and to be tried out.
func (p *Pipeline) Cxx() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("// %s %s", p.Target, strings.Join(p.Params, " "))
	var vars []string
	for _, f := range p.Funcs {
		if len(f.Vars) > len(vars) {
			vars = f.Vars
		}
	}
	if len(vars) > 0 {
		line("Var %s;", strings.Join(vars, ", "))
	}
	for _, in := range p.Inputs {
		line("ImageParam %s(%s, %d);  // %s", in.Name, in.Type.halide(), in.Dims, in.comment())
	}
	for _, s := range p.Scalars {
		line("Param<%s> %s;  // estimate %d, run with %d", s.Type.cxx(), s.Name, s.Estimate, s.Run)
	}
	domains := map[string]bool{}
	for _, f := range p.Funcs {
		f.exprs(func(e **Expr) {
			walk(e, func(n **Expr) {
				d := p.Domain((*n).Name)
				if d == nil || (*n).Op == "call" || domains[d.Name] {
					return
				}
				domains[d.Name] = true
				var s []string
				for _, m := range d.Spans {
					s = append(s, p.cxx(m[0])+", "+p.cxx(m[1]))
				}
				line("RDom %s(%s);", d.Name, strings.Join(s, ", "))
				for _, w := range d.Where {
					line("%s.where(%s);", d.Name, p.cxx(w))
				}
			})
		})
		if f.Boundary != "" {
			var s []string
			for _, d := range f.Region {
				s = append(s, fmt.Sprintf("{%d, %d}", d.Min, d.Extent))
			}
			args := f.Source
			if f.Outside != nil {
				args += ", " + p.cxx(f.Outside)
			}
			if len(s) > 0 {
				args += ", {" + strings.Join(s, ", ") + "}"
			}
			line("Func %s = BoundaryConditions::%s(%s);", f.Name, f.Boundary, args)
			continue
		}
		line("Func %s;", f.Name)
		line("%s(%s) = %s;", f.Name, strings.Join(f.Vars, ", "), p.tuple(f.Values))
		for _, u := range f.Updates {
			line("%s(%s) = %s;", f.Name, p.list(u.Index), p.tuple(u.Values))
		}
		for _, d := range f.Bounds {
			line("%s.%s(%s, %d, %d);", f.Name, d.Kind, d.Var, d.A, d.B)
		}
	}
	for _, w := range p.Wraps {
		line("%s.in(%s);", w.Source, w.User)
	}
	for _, o := range p.Outputs {
		line("// output %s: estimate %s, run %s, layout %s", o.Func, spans(o.Estimate), spans(o.Run), o.Layout)
	}
	return b.String()
}

func (in *Input) comment() string {
	text := fmt.Sprintf("values %d to %d", in.Lo, in.Hi)
	if in.Frac > 0 {
		text += fmt.Sprintf(" by 1/%d", 1<<in.Frac)
	}
	if in.Auto() {
		return text + ", as large as asked for, layout " + in.Layout.String()
	}
	return text + fmt.Sprintf(", estimate %s, run %s, layout %s", spans(in.Estimate), spans(in.Run), in.Layout)
}

func (t Type) halide() string {
	kind := "UInt"
	if t.float() {
		kind = "Float"
	} else if t.signed() {
		kind = "Int"
	}
	return fmt.Sprintf("%s(%d)", kind, t.bits())
}

func (p *Pipeline) list(es []*Expr) string {
	var s []string
	for _, e := range es {
		s = append(s, p.cxx(e))
	}
	return strings.Join(s, ", ")
}

func (p *Pipeline) tuple(es []*Expr) string {
	if len(es) == 1 {
		return p.cxx(es[0])
	}
	return "Tuple(" + p.list(es) + ")"
}

func (p *Pipeline) cxx(e *Expr) string {
	switch e.Op {
	case "const":
		n := strconv.FormatFloat(e.Num, 'g', -1, 64)
		if e.Type == "i32" {
			return n
		}
		return fmt.Sprintf("cast<%s>(%s)", e.Type.cxx(), n)
	case "var", "param":
		return e.Name
	case "rvar":
		return e.Name + "." + string("xyzw"[e.K])
	case "load":
		return e.Name + "(" + p.list(e.Args) + ")"
	case "call":
		s := e.Name + "(" + p.list(e.Args) + ")"
		if f := p.Func(e.Name); f != nil && len(f.Values) > 1 {
			s += fmt.Sprintf("[%d]", e.K)
		}
		return s
	case "dimmin":
		return fmt.Sprintf("%s.dim(%d).min()", e.Name, e.K)
	case "dimext":
		return fmt.Sprintf("%s.dim(%d).extent()", e.Name, e.K)
	case "cast":
		return fmt.Sprintf("cast<%s>(%s)", e.Type.cxx(), p.list(e.Args))
	case "!":
		return "!(" + p.list(e.Args) + ")"
	case "wrap":
		v := p.cxx(e.Args[0])
		if t, _, err := p.typeOf(e); err == nil && t.float() {
			return fmt.Sprintf("(floor(%s) - floor(floor(%s) / %d) * %d)", v, v, wrapFloat, wrapFloat)
		}
		return fmt.Sprintf("(%s %% %d)", v, wrapModulus)
	case "abs", "floor", "ceil", "round", "trunc", "min", "max", "clamp", "select", "absd":
		return e.Op + "(" + p.list(e.Args) + ")"
	}
	if isFold(e.Op) {
		s := e.Op + "(" + e.Name + ", " + p.list(e.Args) + ")"
		if e.Op[:3] == "arg" {
			s += fmt.Sprintf("[%d]", e.K)
		}
		return s
	}
	return "(" + p.cxx(e.Args[0]) + " " + e.Op + " " + p.cxx(e.Args[1]) + ")"
}

func (p *Pipeline) typeOf(e *Expr) (Type, Range, error) {
	ranges, err := p.valueRanges()
	if err != nil {
		return "", Range{}, err
	}
	return (&env{p: p, ranges: ranges}).eval(e)
}

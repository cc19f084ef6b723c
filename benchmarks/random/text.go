package random

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the expression in the form that cxx/random.cc reads.
func (e *Expr) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *Expr) write(b *strings.Builder) {
	b.WriteString("(" + e.Op)
	switch e.Op {
	case "const":
		b.WriteString(" " + string(e.Type) + " " + strconv.FormatFloat(e.Num, 'g', -1, 64))
	case "cast":
		b.WriteString(" " + string(e.Type))
	case "var", "param", "load":
		b.WriteString(" " + e.Name)
	case "rvar", "call", "dimmin", "dimext", "sum", "product", "maximum", "minimum", "argmin", "argmax":
		fmt.Fprintf(b, " %s %d", e.Name, e.K)
	}
	for _, a := range e.Args {
		b.WriteByte(' ')
		a.write(b)
	}
	b.WriteByte(')')
}

func exprs(es []*Expr) string {
	words := make([]string, len(es))
	for i, e := range es {
		words[i] = e.String()
	}
	return "(" + strings.Join(words, " ") + ")"
}

func spans(s []Span) string {
	words := make([]string, len(s))
	for i, d := range s {
		words[i] = fmt.Sprintf("(%d %d)", d.Min, d.Extent)
	}
	return "(" + strings.Join(words, " ") + ")"
}

func (l Layout) String() string {
	words := make([]string, len(l.Order))
	for i, d := range l.Order {
		words[i] = strconv.Itoa(d)
	}
	return fmt.Sprintf("(%s) %d", strings.Join(words, " "), l.Pad)
}

// String is the pipeline on one line, in the form that cxx/random.cc reads.
func (p *Pipeline) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "(pipeline (target %s)", p.Target)
	for _, w := range p.Params {
		b.WriteString(" (with " + w + ")")
	}
	for _, in := range p.Inputs {
		fmt.Fprintf(&b, " (input %s %s %d %d %d %d %s %s %s)", in.Name, in.Type, in.Dims, in.Lo, in.Hi, in.Frac, spans(in.Estimate), spans(in.Run), in.Layout)
	}
	for _, s := range p.Scalars {
		fmt.Fprintf(&b, " (scalar %s %s %d %d)", s.Name, s.Type, s.Estimate, s.Run)
	}
	domains := map[string]bool{}
	for _, f := range p.Funcs {
		// A domain may use Funcs and inputs in its predicate, so it comes before its first user.
		f.exprs(func(e **Expr) {
			walk(e, func(n **Expr) {
				if d := p.Domain((*n).Name); d != nil && (*n).Op != "call" && !domains[d.Name] {
					domains[d.Name] = true
					var s []string
					for _, m := range d.Spans {
						s = append(s, "("+m[0].String()+" "+m[1].String()+")")
					}
					fmt.Fprintf(&b, " (rdom %s (%s) %s)", d.Name, strings.Join(s, " "), exprs(d.Where))
				}
			})
		})
		if f.Boundary != "" {
			outside := "()"
			if f.Outside != nil {
				outside = f.Outside.String()
			}
			fmt.Fprintf(&b, " (boundary %s %s %s %s %s)", f.Name, f.Boundary, f.Source, spans(f.Region), outside)
			continue
		}
		fmt.Fprintf(&b, " (func %s (%s) %s)", f.Name, strings.Join(f.Vars, " "), exprs(f.Values))
		for _, u := range f.Updates {
			fmt.Fprintf(&b, " (update %s %s %s)", f.Name, exprs(u.Index), exprs(u.Values))
		}
		for _, d := range f.Bounds {
			fmt.Fprintf(&b, " (%s %s %s %d %d)", d.Kind, f.Name, d.Var, d.A, d.B)
		}
	}
	for _, w := range p.Wraps {
		fmt.Fprintf(&b, " (wrapper %s %s)", w.Source, w.User)
	}
	for _, o := range p.Outputs {
		fmt.Fprintf(&b, " (output %s %s %s %s)", o.Func, spans(o.Estimate), spans(o.Run), o.Layout)
	}
	b.WriteByte(')')
	return b.String()
}

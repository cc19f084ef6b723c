package random

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Shrink looks for a smaller pipeline that fails as this one did, trying at most so many.
func (r *Runner) Shrink(ctx context.Context, p *Pipeline, failed Result, budget int) (*Pipeline, Result, error) {
	want := failed.Signature()
	from, shrunk := 0, false // the next edit, and whether one since edit 0 helped
	for budget > 0 {
		jobs, edit := smaller(p, from)
		if len(jobs) == 0 {
			if !shrunk {
				break
			}
			from, shrunk = 0, false
			continue
		}
		results, err := r.until(ctx, jobs, want)
		if err != nil {
			return p, failed, err
		}
		budget -= len(results)
		from = edit[len(results)-1] + 1
		for i, res := range results {
			if res.Signature() == want {
				// The edits behind are others now, and most of those before were tried.
				p, failed, from, shrunk = jobs[i].Pipeline, res, edit[i], true
				break
			}
		}
	}
	return p, failed, nil
}

// until is Run that stops at a failure that is looked for.
func (r *Runner) until(ctx context.Context, jobs []Job, want string) ([]Result, error) {
	var all []Result
	for len(all) < len(jobs) {
		done, err := r.process(ctx, jobs[len(all):])
		if err != nil {
			return nil, err
		}
		all = append(all, done...)
		if slices.ContainsFunc(done, func(d Result) bool { return d.Signature() == want }) {
			break
		}
	}
	return all, nil
}

var (
	names   = regexp.MustCompile(`n\d+_\w+(\$\d+)?`)
	figures = regexp.MustCompile(`\d+`)
)

// Signature is what has to stay the same: the outcome, and an error's words without its
// names and numbers.
func (r Result) Signature() string {
	text := ""
	switch r.Outcome {
	case Error:
		text = figures.ReplaceAllString(names.ReplaceAllString(r.Text, "f"), "0")
		text = text[:min(len(text), 60)]
	case Finding:
		text, _, _ = strings.Cut(strings.TrimPrefix(r.Text, "; "), " ")
	}
	return string(r.Outcome) + " " + text
}

// Clone copies a pipeline. Subexpressions that were shared are so no longer.
func (p *Pipeline) Clone() *Pipeline {
	b, err := json.Marshal(p)
	if err != nil {
		panic("random: " + err.Error())
	}
	var q Pipeline
	if err := json.Unmarshal(b, &q); err != nil {
		panic("random: " + err.Error())
	}
	return &q
}

// weight is what shrinking makes smaller.
func (p *Pipeline) weight() float64 {
	w := 100*len(p.Funcs) + 60*len(p.Outputs) + 20*len(p.Inputs) + 10*(len(p.Scalars)+len(p.Wraps)+len(p.Params)) + 20*len(p.Domains)
	p.exprs(func(e **Expr) {
		walk(e, func(n **Expr) {
			w += 4
			if (*n).Op == "const" && (*n).Num != 0 {
				w++
			}
			if isFold((*n).Op) || (*n).Op == "call" || (*n).Op == "load" {
				w += 4
			}
		})
	})
	s := 0.0
	box := func(of []Span) {
		for _, d := range of {
			if d.Min != 0 {
				s++
			}
			s += float64(d.Extent) / 16
		}
	}
	for _, f := range p.Funcs {
		w += 30*len(f.Updates) + 10*len(f.Bounds) + 3*len(f.Vars)
		box(f.Region)
	}
	for _, d := range p.Domains {
		w += 10 * len(d.Where)
		for _, m := range d.Spans {
			s += m[1].Num / 16
		}
	}
	for _, o := range p.Outputs {
		w += 3*len(o.Layout.Order) + o.Layout.Pad
		box(o.Estimate)
		box(o.Run)
		if !slices.Equal(o.Estimate, o.Run) {
			w += 5
		}
	}
	for _, in := range p.Inputs {
		w += 3*len(in.Layout.Order) + in.Layout.Pad + 5*len(in.Estimate) + 3*in.Dims
		box(in.Estimate)
		box(in.Run)
	}
	return float64(w) + s
}

// few is how many smaller pipelines are tried in a process.
const few = 12

// smaller makes the next few sound pipelines that are smaller by an edit, from an edit on.
func smaller(p *Pipeline, from int) (jobs []Job, edit []int) {
	w := p.weight()
	for i := from; len(jobs) < few; i++ {
		q := p.Clone()
		if !change(q, i) {
			break
		}
		q.prune()
		if q.Affordable() != nil || q.weight() >= w {
			continue
		}
		q.prune()
		jobs, edit = append(jobs, Job{uint64(len(jobs)), q}), append(edit, i)
	}
	return jobs, edit
}

// change does the edit of a number, and reports whether there is one. The coarsest come first.
func change(p *Pipeline, edit int) bool {
	// turn says whether this is the edit that was asked for.
	turn := func() bool { edit--; return edit == -1 }
	for i := range p.Outputs {
		if turn() {
			p.Outputs = slices.Delete(p.Outputs, i, i+1)
			return true
		}
	}
	for _, f := range p.Funcs {
		if turn() { // it alone is an output, as large as the first was
			n := f.dims(p)
			o := p.Outputs[0]
			for len(o.Estimate) < n {
				o.Estimate, o.Run = append(o.Estimate, Span{0, 2}), append(o.Run, Span{0, 2})
			}
			p.Outputs = []*Output{{Func: f.Name, Estimate: o.Estimate[:n:n], Run: o.Run[:n:n]}}
			return true
		}
	}
	for _, f := range p.Funcs {
		if turn() {
			f.Updates = nil
			return true
		}
		if turn() { // constants in place of a Func
			f.Boundary, f.Source, f.Outside, f.Region = "", "", nil, nil
			f.Vars = varNames[:max(f.dims(p), len(f.Vars))]
			f.Values, f.Updates = nil, nil
			for _, t := range f.types {
				f.Values = append(f.Values, konst(t, 1))
			}
			return true
		}
		if len(f.Values) == 1 && f.Boundary == "" && turn() { // its value in place of its calls
			f.substitute(p)
			return true
		}
		for i := range f.Updates {
			if turn() {
				f.Updates = slices.Delete(f.Updates, i, i+1)
				return true
			}
		}
		if turn() {
			f.Bounds = nil
			return true
		}
	}
	if turn() {
		p.Params = nil
		return true
	}
	for i := range p.Params {
		if turn() {
			p.Params = slices.Delete(p.Params, i, i+1)
			return true
		}
	}
	if turn() {
		p.Wraps = nil
		return true
	}
	return p.changeSizes(turn) || p.changeExprs(turn)
}

func (p *Pipeline) changeSizes(turn func() bool) bool {
	box := func(of ...*Span) bool {
		for _, s := range of {
			if turn() {
				s.Min = 0
				return true
			}
			for _, n := range []int{1, 2, s.Extent / 4, s.Extent / 2, s.Extent - s.Extent/4, s.Extent - 1} {
				if turn() {
					s.Extent = max(1, min(n, s.Extent))
					return true
				}
			}
		}
		return false
	}
	for _, o := range p.Outputs {
		if turn() {
			o.Run = slices.Clone(o.Estimate)
			return true
		}
		if turn() {
			o.Estimate = slices.Clone(o.Run)
			return true
		}
		if turn() {
			o.Layout = Layout{}
			return true
		}
		for d := range o.Estimate {
			a, b := o.Estimate[d], o.Run[d]
			if box(&a) {
				if o.Estimate[d] == b {
					o.Run[d] = a
				}
				o.Estimate[d] = a
				return true
			}
			if a != b && box(&o.Run[d]) {
				return true
			}
		}
	}
	for _, d := range p.Domains {
		for i := range d.Where {
			if turn() {
				d.Where = slices.Delete(d.Where, i, i+1)
				return true
			}
		}
		for k := range d.Spans {
			for _, n := range []float64{1, 2, 4, 16, d.Spans[k][1].Num - 1} {
				if turn() {
					d.Spans[k][1] = konst("i32", max(1, n))
					return true
				}
			}
		}
	}
	for _, in := range p.Inputs {
		if turn() {
			in.Layout = Layout{}
			return true
		}
		if turn() {
			in.Estimate, in.Run = nil, nil
			return true
		}
		if turn() {
			in.Run = slices.Clone(in.Estimate)
			return true
		}
		for d := range in.Estimate {
			if box(&in.Estimate[d], &in.Run[d]) {
				return true
			}
		}
	}
	for _, f := range p.Funcs {
		for d := range f.Region {
			if box(&f.Region[d]) {
				return true
			}
		}
	}
	return false
}

// changeExprs puts constants and operands in the place of expressions.
func (p *Pipeline) changeExprs(turn func() bool) bool {
	v := &env{p: p}
	v.ranges, _ = p.valueRanges()
	done := false
	p.exprs(func(root **Expr) {
		var visit func(e **Expr)
		visit = func(e **Expr) {
			if done || (*e).Op == "wrap" && (*e).Args[0].Op == "const" {
				return
			}
			t, _, err := v.eval(*e)
			for _, c := range candidates(*e) {
				if done {
					return
				}
				ct, _, cerr := v.eval(c)
				// What cannot be judged here, such as calls of the Func itself, is tried.
				if err == nil && cerr == nil && ct != t {
					continue
				}
				if turn() {
					*e, done = c, true
					return
				}
			}
			if err == nil && (*e).Op != "const" && t != "b" {
				for _, n := range []float64{0, 1} {
					if !done && turn() {
						*e, done = konst(t, n), true
					}
				}
			}
			for i := range (*e).Args {
				visit(&(*e).Args[i])
			}
		}
		visit(root)
	})
	return done
}

// candidates are the operands of an operator, and those of its operands.
func candidates(e *Expr) []*Expr {
	if e.Op == "call" || e.Op == "load" || isFold(e.Op) {
		return nil
	}
	c := slices.Clone(e.Args)
	for _, a := range e.Args {
		if a.Op != "call" && a.Op != "load" {
			c = append(c, a.Args...)
		}
	}
	return c
}

// substitute puts a Func's pure value in the place of its calls.
func (f *Func) substitute(p *Pipeline) {
	p.exprs(func(root **Expr) {
		walk(root, func(e **Expr) {
			if (*e).Op == "call" && (*e).Name == f.Name && !f.Values[0].calls(f.Name) {
				at := map[string]*Expr{}
				for k, v := range f.Vars {
					at[v] = (*e).Args[k]
				}
				*e = replace(f.Values[0], at)
			}
		})
	})
}

// replace copies an expression with others for its variables.
func replace(e *Expr, vars map[string]*Expr) *Expr {
	if v := vars[e.Name]; e.Op == "var" && v != nil {
		return v
	}
	c := *e
	c.Args = nil
	for _, a := range e.Args {
		c.Args = append(c.Args, replace(a, vars))
	}
	return &c
}

package random

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// The largest pipelines: points computed at root, each with its updates and operations,
// and the extent of a dimension.
const (
	mostWork   = 3e5
	mostPoints = 60000
)

// Affordable fails if the pipeline at root computes more than a test has time for, or
// reaches coordinates that Check did not think of. It grows outputs that are too small.
func (p *Pipeline) Affordable() error {
	ranges, err := p.valueRanges()
	if err != nil {
		return err
	}
	for _, run := range []bool{false, true} {
		boxes, err := p.boxes(ranges, run)
		if err != nil {
			return err
		}
		p.cover(boxes, run)
	}
	return nil
}

// cover makes outputs as large as other Funcs and their own updates need them, which
// Halide asks for; bounds that are too small go.
func (p *Pipeline) cover(boxes map[string][]Range, run bool) {
	for _, o := range p.Outputs {
		at := o.Estimate
		if run {
			at = o.Run
		}
		for d, r := range boxes[o.Func] {
			at[d] = Span{int(r.Lo), int(r.Hi-r.Lo) + 1}
		}
	}
	for _, f := range p.Funcs {
		f.Bounds = slices.DeleteFunc(f.Bounds, func(b Bound) bool {
			r := boxes[f.Name][slices.Index(f.Vars, b.Var)]
			return b.Kind == "bound" && (r.Lo < float64(b.A) || r.Hi >= float64(b.A+b.B)) || b.Kind == "bound_extent" && r.Hi-r.Lo >= float64(b.A)
		})
	}
}

// regions collects the box that is required of each Func and input.
type regions struct {
	env
	boxes map[string][]Range
}

func (p *Pipeline) boxes(ranges map[string][]Range, run bool) (map[string][]Range, error) {
	g := &regions{env{p: p, ranges: ranges}, map[string][]Range{}}
	for _, o := range p.Outputs {
		box := o.Estimate
		if run {
			box = o.Run
		}
		var at []Range
		for _, s := range box {
			at = append(at, spanRange(s))
		}
		g.need(o.Func, at)
	}
	work := 0.0
	for i := len(p.Funcs) - 1; i >= 0; i-- {
		f := p.Funcs[i]
		box, ok := g.boxes[f.Name]
		if !ok {
			continue // nobody reads it
		}
		w, err := g.require(f, box)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		work += w
	}
	if work > mostWork {
		return nil, fmt.Errorf("%g operations", work)
	}
	for name, box := range g.boxes {
		if _, err := points(box); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return g.boxes, nil
}

func points(box []Range) (float64, error) {
	n := 1.0
	for _, r := range box {
		if math.Abs(r.Lo) > coordinate || math.Abs(r.Hi) > coordinate {
			return 0, fmt.Errorf("coordinates from %g to %g", r.Lo, r.Hi)
		}
		n *= r.Hi - r.Lo + 1
	}
	if n > mostPoints {
		return 0, fmt.Errorf("%g points", n)
	}
	return n, nil
}

func (g *regions) need(name string, box []Range) {
	old, ok := g.boxes[name]
	if !ok {
		g.boxes[name] = append([]Range{}, box...)
		return
	}
	for k := range old {
		old[k] = old[k].union(box[k])
	}
}

// widen applies the user's bounds to a Func's box, in place.
func (f *Func) widen(box []Range) {
	for _, b := range f.Bounds {
		r := &box[slices.Index(f.Vars, b.Var)]
		switch b.Kind {
		case "bound":
			*r = r.union(spanRange(Span{b.A, b.B}))
		case "bound_extent":
			r.Hi = max(r.Hi, r.Lo+float64(b.A)-1)
		case "align_bounds": // to a multiple; the remainder is 0
			m := float64(b.A)
			r.Lo = math.Floor(r.Lo/m) * m
			r.Hi = math.Ceil((r.Hi+1)/m)*m - 1
		}
	}
}

// require adds what a Func reads for its box, and returns its work.
func (g *regions) require(f *Func, box []Range) (float64, error) {
	f.widen(box)
	if f.Boundary != "" {
		src := make([]Range, len(box))
		for k, s := range f.Region {
			src[k] = spanRange(s)
		}
		if f.Region != nil {
			g.need(f.Source, src)
		}
		return points(box)
	}
	// Updates write, and read of the Func itself, more than was asked for; twice, as each
	// may move what another needs.
	for range 2 {
		for i := len(f.Updates) - 1; i >= 0; i-- {
			u := f.Updates[i]
			g.vars = g.at(f, box)
			for k, e := range u.Index {
				_, r, err := g.eval(e)
				if err != nil {
					return 0, err
				}
				box[k] = box[k].union(r)
			}
			for _, e := range u.Values {
				if err := g.reads(e, f.Name); err != nil {
					return 0, err
				}
			}
			box = g.boxes[f.Name]
			f.widen(box)
		}
	}
	g.vars = g.at(f, box)
	n, err := points(box)
	if err != nil {
		return 0, err
	}
	work := n * float64(size(f.Values))
	for _, e := range f.Values {
		if err := g.reads(e, ""); err != nil {
			return 0, err
		}
		work += n * g.folded(e)
	}
	for _, u := range f.Updates {
		m := float64(size(u.Values) + size(u.Index))
		for _, name := range domainsOf(append(append([]*Expr{}, u.Index...), u.Values...)) {
			for _, s := range g.p.Domain(name).Spans {
				_, r, err := g.eval(s[1])
				if err != nil {
					return 0, err
				}
				m *= max(r.Hi, 1)
			}
			for _, w := range g.p.Domain(name).Where {
				if err := g.reads(w, ""); err != nil {
					return 0, err
				}
			}
		}
		for k, e := range u.Index {
			if e.Op == "var" {
				m *= box[k].Hi - box[k].Lo + 1
			}
			if err := g.reads(e, ""); err != nil {
				return 0, err
			}
		}
		for _, e := range u.Values {
			if err := g.reads(e, ""); err != nil {
				return 0, err
			}
			work += m * g.folded(e)
		}
		work += m
	}
	return work, nil
}

func (g *regions) at(f *Func, box []Range) map[string]Range {
	m := maps.Clone(g.vars)
	if m == nil {
		m = map[string]Range{}
	}
	for k, v := range f.Vars {
		m[v] = box[k]
	}
	return m
}

// reads adds what an expression reads; only of one Func if it is named.
func (g *regions) reads(e *Expr, only string) error {
	if (e.Op == "call" || e.Op == "load") && (only == "" || only == e.Name) {
		var box []Range
		for _, a := range e.Args {
			_, r, err := g.eval(a)
			if err != nil {
				return err
			}
			box = append(box, r)
		}
		g.need(e.Name, box)
	}
	for _, a := range e.Args {
		if err := g.reads(a, only); err != nil {
			return err
		}
	}
	return nil
}

// folded is the work of the inline reductions in an expression, for a point.
func (g *regions) folded(e *Expr) float64 {
	w := 0.0
	for _, a := range e.Args {
		w += g.folded(a)
	}
	if isFold(e.Op) {
		n := float64(size(e.Args))
		for _, s := range g.p.Domain(e.Name).Spans {
			if _, r, err := g.eval(s[1]); err == nil {
				n *= max(r.Hi, 1)
			}
		}
		w += n
	}
	return w
}

// size is the number of nodes.
func size(es []*Expr) int {
	n := 0
	for _, e := range es {
		n += 1 + size(e.Args)
	}
	return n
}

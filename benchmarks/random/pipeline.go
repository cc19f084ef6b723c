// Package random makes random Halide pipelines, runs them through gowarp's plugin in the
// process that loaded it, compares them with every Func at root on the CPU, and reduces
// those that fail.
//
// A pipeline is data (Pipeline), so that it can be sent to the C++ program that builds it
// (cxx/random.cc), shrunk, and printed as C++. What a value can be is computed (Range), so
// that results have to be equal bit for bit: no integer overflows whose overflow is
// undefined, and floats hold only numbers that every order of evaluation gives exactly.
// The package knows nothing of schedules.
package random

import "slices"

// Pipeline is a Halide pipeline and how to call it.
type Pipeline struct {
	Target  string
	Params  []string // gowarp's, KEY=VALUE
	Inputs  []*Input
	Scalars []*Scalar
	Domains []*Domain
	Funcs   []*Func // each reads only those before it, and itself in updates
	Wraps   []Wrap
	Outputs []*Output
	// Kinds are the kinds of stages that the generator put in, for statistics only.
	Kinds []string
}

// Span is a dimension of a region.
type Span struct{ Min, Extent int }

// Layout is how a buffer lies in memory.
type Layout struct {
	Order []int // dimensions from the densest on; nil for 0, 1, 2, …
	Pad   int   // elements behind each row of the densest dimension
}

// Input is an ImageParam.
type Input struct {
	Name   string
	Type   Type
	Lo, Hi int // of the values, before division by 2^Frac
	Frac   int // only for floats
	// Estimate and Run are the box for the estimates and for the call; nil for both means
	// what the pipeline asks for.
	Estimate, Run []Span
	Dims          int
	Layout        Layout
}

// Auto reports whether the input is as large as the pipeline asks for.
func (in *Input) Auto() bool { return in.Estimate == nil }

// Scalar is a Param<int32_t> or of another type.
type Scalar struct {
	Name          string
	Type          Type
	Estimate, Run int
}

// Domain is an RDom. Its variables are NAME.x, NAME.y, …
type Domain struct {
	Name  string
	Spans [][2]*Expr // min, extent
	Where []*Expr
}

// Func is a Func: a pure definition of one value or a tuple, and updates; or the
// boundary condition of an input or another Func.
type Func struct {
	Name    string
	Vars    []string
	Values  []*Expr
	Updates []*Update
	// Boundary, if not "", makes the Func BoundaryConditions::Boundary of Source. Of an
	// input the region is its own, of a Func it is Region.
	Boundary string
	Source   string
	Region   []Span
	Outside  *Expr // constant_exterior's
	Bounds   []Bound
	// Order is the order of the pure variables, a schedule that says nothing of the GPU.
	types []Type
}

// Update is an update definition.
type Update struct {
	Index  []*Expr
	Values []*Expr
}

// Bound is a directive of the user about a dimension.
type Bound struct {
	Kind string // bound, align_bounds, bound_extent
	Var  string
	A, B int
}

// Wrap is SOURCE.in(USER), or SOURCE.in() for no user.
type Wrap struct{ Source, User string }

// Output is an output: a Func, the estimates, what is asked for, and the buffer.
type Output struct {
	Func     string
	Estimate []Span
	Run      []Span
	Layout   Layout
}

// Expr is an expression. Op is one of the operators of eval.go; what else is set depends
// on it.
type Expr struct {
	Op   string
	Type Type    // of const and cast
	Name string  // of var, param, call, load, fold and the like
	Num  float64 // of const
	K    int     // component of a tuple (call, fold), dimension (dimmin, dimext)
	Args []*Expr
}

// Input returns an input by name, or nil.
func (p *Pipeline) Input(name string) *Input {
	i := slices.IndexFunc(p.Inputs, func(in *Input) bool { return in.Name == name })
	if i < 0 {
		return nil
	}
	return p.Inputs[i]
}

// Func returns a Func by name, or nil.
func (p *Pipeline) Func(name string) *Func {
	i := slices.IndexFunc(p.Funcs, func(f *Func) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return p.Funcs[i]
}

// Domain returns an RDom by name, or nil.
func (p *Pipeline) Domain(name string) *Domain {
	i := slices.IndexFunc(p.Domains, func(d *Domain) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return p.Domains[i]
}

// Scalar returns a scalar parameter by name, or nil.
func (p *Pipeline) Scalar(name string) *Scalar {
	i := slices.IndexFunc(p.Scalars, func(s *Scalar) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return p.Scalars[i]
}

// exprs calls do for each root expression of the pipeline, by reference.
func (p *Pipeline) exprs(do func(**Expr)) {
	for _, d := range p.Domains {
		for i := range d.Spans {
			do(&d.Spans[i][0])
			do(&d.Spans[i][1])
		}
		for i := range d.Where {
			do(&d.Where[i])
		}
	}
	for _, f := range p.Funcs {
		f.exprs(do)
	}
}

func (f *Func) exprs(do func(**Expr)) {
	if f.Outside != nil {
		do(&f.Outside)
	}
	for i := range f.Values {
		do(&f.Values[i])
	}
	for _, u := range f.Updates {
		for i := range u.Index {
			do(&u.Index[i])
		}
		for i := range u.Values {
			do(&u.Values[i])
		}
	}
}

// walk visits an expression's nodes, by reference, parents first.
func walk(e **Expr, do func(**Expr)) {
	do(e)
	for i := range (*e).Args {
		walk(&(*e).Args[i], do)
	}
}

// domainNames are the domains that a list of expressions runs over, itself and not in a fold.
func domainsOf(es []*Expr) []string {
	var names []string
	var look func(e *Expr)
	look = func(e *Expr) {
		if e.Op == "rvar" && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
		if isFold(e.Op) {
			return
		}
		for _, a := range e.Args {
			look(a)
		}
	}
	for _, e := range es {
		look(e)
	}
	return names
}

package halideir

import "math"

// Env gives values to variables, by index. A variable beyond its slice is
// unknown. Scalars and bounds of inputs come from the pipeline's estimates.
type Env struct {
	Lo, Hi []int64 // bounds of the consumer stage's loops, in boxes
	Dim    []int64 // the Func's arguments
	RVar   []int64 // the stage's reduction variables
}

// value is a scalar as evaluation sees it.
type value struct {
	i   int64
	f   float64
	flt bool
	ok  bool
}

func intValue(i int64) value { return value{i: i, ok: true} }

func boolValue(b bool) value {
	if b {
		return intValue(1)
	}
	return intValue(0)
}

// evalBudget is how many node visits plain recursion may make before memory
// for shared operands is worth its cost. Boxes seldom have over 25 nodes.
const evalBudget = 256

// EvalInt is the value of an integer or bool expression. It is not ok where a
// variable is unknown, a division is by a constant float zero, a value leaves
// its type (where Halide leaves that undefined), or something is loaded.
// Division and remainder are Euclidean, and by zero give zero, as in Halide.
func (p *Pipeline) EvalInt(id NodeID, env Env) (int64, bool) {
	if id < 0 || int(id) >= len(p.Nodes) || !p.Nodes[id].Type.IsInt() || p.Nodes[id].Type.Lanes > 1 {
		return 0, false
	}
	e := evaluator{p: p, env: env, budget: evalBudget}
	v := e.eval(id, nil)
	if e.budget < 0 {
		v = e.evalShared(id)
	}
	return v.i, v.ok
}

// NotANumber reports whether an integer is made of a float that is none, as of the root of what may be below 0: what a run makes of it is any number.
func (p *Pipeline) NotANumber(id NodeID, env Env) bool {
	if id < 0 || int(id) >= len(p.Nodes) {
		return false
	}
	e := evaluator{p: p, env: env, budget: evalBudget}
	e.eval(id, nil)
	return e.nan
}

type evaluator struct {
	p      *Pipeline
	env    Env
	budget int
	input  int  // depth of inputs whose bounds name inputs
	nan    bool // a float that is no number was converted
}

// scope is the lets around an expression, innermost first.
type scope struct {
	name string
	v    value
	up   *scope
}

// eval recurses without memory until the budget is spent.
func (e *evaluator) eval(id NodeID, s *scope) value {
	if e.budget--; e.budget < 0 {
		return value{}
	}
	n := &e.p.Nodes[id]
	switch n.Op {
	case OpVar:
		if n.Kind == VarLet {
			for ; s != nil; s = s.up {
				if s.name == n.Name {
					return s.v
				}
			}
			return value{}
		}
		return e.variable(n)
	case OpLet:
		return e.eval(n.Args[1], &scope{n.Name, e.eval(n.Args[0], s), s})
	case OpSelect:
		switch c := e.eval(n.Args[0], s); {
		case !c.ok:
			return value{}
		case c.i != 0:
			return e.eval(n.Args[1], s)
		}
		return e.eval(n.Args[2], s)
	}
	var buf [3]value
	args := buf[:0]
	for _, a := range n.Args {
		if len(args) == len(buf) {
			break
		}
		args = append(args, e.eval(a, s))
	}
	if n.Op == OpCast && n.Type.IsInt() && len(args) == 1 && args[0].ok && args[0].flt && math.IsNaN(args[0].f) {
		e.nan = true
	}
	return e.p.fold(n, args)
}

// evalShared visits each node once, without recursion, however deep or shared
// the expression is. A let's name must mean one value in it.
func (e *evaluator) evalShared(root NodeID) value {
	nodes := e.p.Nodes
	lets := map[string]NodeID{}
	seen := make([]bool, root+1)
	for stack := []NodeID{root}; len(stack) > 0; {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		if n := &nodes[id]; n.Op == OpLet {
			if old, ok := lets[n.Name]; ok && old != n.Args[0] {
				lets[n.Name] = NoNode
			} else {
				lets[n.Name] = n.Args[0]
			}
		}
		stack = append(stack, nodes[id].Args...)
	}
	// An operand has a smaller id, so ascending order needs no stack; a let's
	// variable wants its value earlier still, which a walk that writes values
	// before bodies guarantees. Otherwise it is unknown.
	values := make([]value, root+1)
	for id := range values {
		if !seen[id] {
			continue
		}
		n := &nodes[id]
		switch n.Op {
		case OpVar:
			if n.Kind != VarLet {
				values[id] = e.variable(n)
			} else if v, ok := lets[n.Name]; ok && v >= 0 && int(v) < id {
				values[id] = values[v]
			}
		case OpLet:
			values[id] = values[n.Args[1]]
		case OpSelect:
			if c := values[n.Args[0]]; c.ok && c.i != 0 {
				values[id] = values[n.Args[1]]
			} else if c.ok {
				values[id] = values[n.Args[2]]
			}
		default:
			var buf [3]value
			args := buf[:0]
			for _, a := range n.Args {
				if len(args) == len(buf) {
					break
				}
				args = append(args, values[a])
			}
			values[id] = e.p.fold(n, args)
		}
	}
	return values[root]
}

func (e *evaluator) variable(n *Node) value {
	at := func(list []int64) value {
		if n.Index < 0 || n.Index >= len(list) {
			return value{}
		}
		return intValue(list[n.Index])
	}
	switch n.Kind {
	case VarDim:
		return at(e.env.Dim)
	case VarRVar:
		return at(e.env.RVar)
	case VarLo:
		return at(e.env.Lo)
	case VarHi:
		return at(e.env.Hi)
	case VarScalar:
		return e.scalar(n.Index)
	case VarBound:
		return e.bound(n.Of, n.Dim, n.Field)
	case VarOutput:
		return e.output(n.Of, n.Dim, n.Field)
	}
	return value{}
}

// output is what the author declares of an output's dimension.
func (e *evaluator) output(of, dim int, field string) value {
	if of < 0 || of >= len(e.p.Funcs) || e.input >= maxInputDepth {
		return value{}
	}
	lo, extent, ok := e.p.Declared(&e.p.Funcs[of], dim)
	switch {
	case !ok:
		return value{}
	case field == "min":
		return intValue(lo)
	}
	return intValue(extent)
}

// maxInputDepth ends chains of inputs whose bounds or estimates name each
// other.
const maxInputDepth = 8

// Known reports whether a scalar input has a value to reckon with: an estimate, mostly.
func (p *Pipeline) Known(in *Input) bool {
	e := evaluator{p: p, budget: math.MaxInt}
	return e.scalar(in.ID).ok
}

// scalar is a parameter's estimate, else the value it has now, else its range
// where that is one value.
func (e *evaluator) scalar(i int) value {
	if i < 0 || i >= len(e.p.Inputs) || e.input >= maxInputDepth {
		return value{}
	}
	e.input++
	defer func() { e.input-- }()
	in := &e.p.Inputs[i]
	for _, id := range []NodeID{in.Estimate, in.Value} {
		if id != NoNode {
			if v := e.eval(id, nil); v.ok {
				return v
			}
		}
	}
	if in.Min != NoNode && in.Max != NoNode {
		if lo, hi := e.eval(in.Min, nil), e.eval(in.Max, nil); lo.ok && lo == hi {
			return lo
		}
	}
	return value{}
}

// bound is what the user fixed of an input's dimension, else the estimate.
func (e *evaluator) bound(of, dim int, field string) value {
	if of < 0 || of >= len(e.p.Inputs) || dim < 0 || dim >= len(e.p.Inputs[of].Dims) || e.input >= maxInputDepth {
		return value{}
	}
	e.input++
	defer func() { e.input-- }()
	d := &e.p.Inputs[of].Dims[dim]
	get := func(fixed NodeID, estimate *int64) value {
		if fixed != NoNode {
			if v := e.eval(fixed, nil); v.ok && !v.flt {
				return v
			}
		}
		if estimate != nil {
			return intValue(*estimate)
		}
		return value{}
	}
	switch field {
	case "min":
		return get(d.Min, d.MinEstimate)
	case "extent":
		return get(d.Extent, d.ExtentEstimate)
	case "stride":
		return get(d.Stride, nil)
	case "max":
		lo, n := get(d.Min, d.MinEstimate), get(d.Extent, d.ExtentEstimate)
		if sum, ok := addOverflow(lo.i, n.i); lo.ok && n.ok && ok && sum > math.MinInt64 {
			return intValue(sum - 1)
		}
	}
	return value{}
}

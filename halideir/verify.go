package halideir

import (
	"fmt"
	"slices"
)

// Verify checks every rule of FORMAT.md that the passes lean on: ids, order,
// types, loops, boxes. Its errors name the Func and the node.
func (p *Pipeline) Verify() error {
	v := verifier{p: p}
	for _, step := range []func(*verifier) error{
		(*verifier).nodes, (*verifier).inputs, (*verifier).funcs, (*verifier).outputs, (*verifier).edges,
	} {
		if err := step(&v); err != nil {
			return fmt.Errorf("halideir: %w", err)
		}
	}
	return nil
}

// reach sums up what an expression uses, so that each use is checked in
// constant time however much the expressions share. Each field is a largest
// index, -1 where there is none; bounds is set for variables of boxes.
type reach struct{ dim, rvar, fn, loop int32 }

var reachNone = reach{-1, -1, -1, -1}

func (r *reach) add(o reach) {
	r.dim, r.rvar, r.fn, r.loop = max(r.dim, o.dim), max(r.rvar, o.rvar), max(r.fn, o.fn), max(r.loop, o.loop)
}

type verifier struct {
	p       *Pipeline
	reaches []reach
}

func (v *verifier) node(id NodeID, format string, args ...any) error {
	n := &v.p.Nodes[id]
	return fmt.Errorf("nodes[%d] (%s, %s): %s", id, n.Op, v.p.userOf(id), fmt.Sprintf(format, args...))
}

func (v *verifier) inputs() error {
	for i := range v.p.Inputs {
		in := &v.p.Inputs[i]
		where := fmt.Sprintf("inputs[%d] (%s)", i, in.Label)
		ids := []NodeID{in.Estimate, in.Min, in.Max, in.Value}
		for k, d := range in.Dims {
			ids = append(ids, d.Min, d.Extent, d.Stride)
			if d.ExtentEstimate != nil && *d.ExtentEstimate < 0 {
				return fmt.Errorf("%s: the estimated extent %d is negative in dimension %d; say %s.dim(%d).set_estimate(MIN, EXTENT) with the size that is expected", where, *d.ExtentEstimate, k, in.Name, k)
			}
		}
		for _, id := range ids {
			if err := v.use(where, id, true, reachNone); err != nil {
				return err
			}
		}
		switch in.Kind {
		case InputBuffer, InputConstant:
		case InputScalar:
			if len(in.Dims) != 0 {
				return fmt.Errorf("%s: a scalar has %d dimensions", where, len(in.Dims))
			}
		default:
			return fmt.Errorf("%s: kind %q is not buffer, scalar or constant", where, in.Kind)
		}
	}
	return nil
}

// use checks one reference to an expression: the id, and that the expression
// uses nothing beyond limit.
func (v *verifier) use(where string, id NodeID, optional bool, limit reach) error {
	if id == NoNode {
		if optional {
			return nil
		}
		return fmt.Errorf("%s: an expression is missing", where)
	}
	if id < 0 || int(id) >= len(v.p.Nodes) {
		return fmt.Errorf("%s: node %d does not exist; there are %d", where, id, len(v.p.Nodes))
	}
	r := v.reaches[id]
	switch {
	case r.dim > limit.dim:
		return fmt.Errorf("%s: node %d uses argument %d, beyond the last (%d)", where, id, r.dim, limit.dim)
	case r.rvar > limit.rvar:
		return fmt.Errorf("%s: node %d uses reduction variable %d, beyond the last (%d)", where, id, r.rvar, limit.rvar)
	case r.loop > limit.loop:
		return fmt.Errorf("%s: node %d uses the bounds of loop %d, beyond the last (%d)", where, id, r.loop, limit.loop)
	case r.fn > limit.fn:
		return fmt.Errorf("%s: node %d calls Func %d, which is not computed before it", where, id, r.fn)
	}
	return nil
}

func (v *verifier) funcs() error {
	for i := range v.p.Funcs {
		f := &v.p.Funcs[i]
		where := fmt.Sprintf("Func %d (%s)", i, f.Label)
		if f.ID != i {
			return fmt.Errorf("%s: its id is %d", where, f.ID)
		}
		if len(f.Types) == 0 {
			return fmt.Errorf("%s: it has no type", where)
		}
		seen := map[string]bool{}
		for _, a := range f.Args {
			if seen[a] {
				return fmt.Errorf("%s: two arguments are named %q", where, a)
			}
			seen[a] = true
		}
		if err := v.promises(where, f); err != nil {
			return err
		}
		switch {
		case f.Extern != nil && len(f.Stages) > 0:
			return fmt.Errorf("%s: it is extern, but has stages", where)
		case f.Extern != nil:
			if err := v.extern(where, f); err != nil {
				return err
			}
		case len(f.Stages) == 0:
			return fmt.Errorf("%s: it has no definition", where)
		}
		for j := range f.Stages {
			if err := v.stage(f, j); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) promises(where string, f *Func) error {
	isArg := func(name string) bool {
		for _, a := range f.Args {
			if a == name {
				return true
			}
		}
		return false
	}
	for _, b := range f.Bounds {
		if !isArg(b.Var) {
			return fmt.Errorf("%s: a bound names %q, which is no argument", where, b.Var)
		}
		for _, id := range []NodeID{b.Min, b.Extent, b.Modulus, b.Remainder} {
			if err := v.use(where+": bound of "+b.Var, id, true, reachNone); err != nil {
				return err
			}
		}
	}
	for _, e := range f.Estimates {
		if !isArg(e.Var) {
			return fmt.Errorf("%s: an estimate names %q, which is no argument", where, e.Var)
		}
		if e.Extent < 0 && slices.ContainsFunc(f.Bounds, func(b Bound) bool { return b.Var == e.Var && b.Extent != NoNode }) {
			return fmt.Errorf("%s: its bound says that the extent of %s is %d, which is negative; give Func::bound the extent that %s has", where, e.Var, e.Extent, e.Var)
		}
		if e.Extent < 0 {
			return fmt.Errorf("%s: the estimated extent of %s, %d, is negative; say %s.set_estimate(%s, MIN, EXTENT) with the size that is expected", where, e.Var, e.Extent, f.Name, e.Var)
		}
	}
	for _, w := range f.Wrappers {
		if w.In < -1 || w.In >= len(v.p.Funcs) || w.Wrapper < 0 || w.Wrapper >= len(v.p.Funcs) {
			return fmt.Errorf("%s: a wrapper names a Func that does not exist (in %d, wrapper %d)", where, w.In, w.Wrapper)
		}
	}
	return nil
}

func (v *verifier) extern(where string, f *Func) error {
	for k, a := range f.Extern.Args {
		where := fmt.Sprintf("%s: extern argument %d", where, k)
		switch {
		case a.Func >= f.ID:
			return fmt.Errorf("%s: Func %d is not computed before it", where, a.Func)
		case a.Input >= len(v.p.Inputs):
			return fmt.Errorf("%s: input %d does not exist", where, a.Input)
		case a.Func >= 0 || a.Input >= 0:
			continue
		}
		if err := v.use(where, a.Expr, false, reach{-1, -1, int32(f.ID - 1), -1}); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) stage(f *Func, j int) error {
	s := &f.Stages[j]
	where := stageName(f, j)
	if len(s.Args) != len(f.Args) {
		return fmt.Errorf("%s: %d arguments on the left-hand side of a Func of %d", where, len(s.Args), len(f.Args))
	}
	if len(s.Values) != len(f.Types) {
		return fmt.Errorf("%s: %d values for %d tuple components", where, len(s.Values), len(f.Types))
	}
	// Updates read their own Func; nothing else is a cycle.
	limit := reach{dim: int32(len(f.Args) - 1), rvar: int32(len(s.RVars) - 1), fn: int32(f.ID - 1), loop: -1}
	if j > 0 {
		limit.fn++
	}
	for k, id := range s.Args {
		if err := v.use(fmt.Sprintf("%s: left-hand argument %d", where, k), id, false, limit); err != nil {
			return err
		}
		if n := &v.p.Nodes[id]; j == 0 && (n.Op != OpVar || n.Kind != VarDim || n.Index != k) {
			return fmt.Errorf("%s: left-hand argument %d of the pure definition is node %d (%s), not the argument itself", where, k, id, n.Op)
		}
	}
	for k, id := range s.Values {
		if err := v.use(fmt.Sprintf("%s: value %d", where, k), id, false, limit); err != nil {
			return err
		}
		if t := v.p.Nodes[id].Type; t != f.Types[k] {
			return fmt.Errorf("%s: value %d (node %d) is a %s, the Func holds %s", where, k, id, t, f.Types[k])
		}
	}
	if len(s.Restated) != 0 && len(s.Restated) != len(f.Types) {
		return fmt.Errorf("%s: %d restated values for %d tuple components", where, len(s.Restated), len(f.Types))
	}
	for k, id := range s.Restated {
		if err := v.use(fmt.Sprintf("%s: restated value %d", where, k), id, false, limit); err != nil {
			return err
		}
		if t := v.p.Nodes[id].Type; t != f.Types[k] {
			return fmt.Errorf("%s: restated value %d (node %d) is a %s, the Func holds %s", where, k, id, t, f.Types[k])
		}
	}
	if a := s.ArgExtreme; a != nil {
		if len(s.RVars) == 0 || a.Value < 0 || a.Value >= len(f.Types) || len(a.Places) == 0 {
			return fmt.Errorf("%s: arg_extreme needs reduction variables, one of the %d values and places", where, len(f.Types))
		}
		for i, k := range a.Places {
			if k < 0 || k >= len(f.Types) || k == a.Value || f.Types[k].Code != Int || slices.Contains(a.Places[:i], k) {
				return fmt.Errorf("%s: arg_extreme: place %d is value %d, which is none of signed integers for itself", where, i, k)
			}
		}
	}
	if err := v.use(where+": predicate", s.Predicate, true, limit); err != nil {
		return err
	}
	if s.Predicate != NoNode && !v.p.Nodes[s.Predicate].Type.IsBool() {
		return fmt.Errorf("%s: the predicate (node %d) is a %s, not a bool", where, s.Predicate, v.p.Nodes[s.Predicate].Type)
	}
	for k := range s.RVars {
		for _, id := range []NodeID{s.RVars[k].Min, s.RVars[k].Extent} {
			if err := v.use(fmt.Sprintf("%s: range of %s", where, s.RVars[k].Name), id, false, reachNone); err != nil {
				return err
			}
		}
	}
	return v.loops(where, f, s, j)
}

func (v *verifier) loops(where string, f *Func, s *Stage, j int) error {
	args, rvars := make([]bool, len(f.Args)), make([]bool, len(s.RVars))
	for _, l := range s.Loops {
		var seen *bool
		switch {
		case l.Kind == LoopPure && l.Arg >= 0 && l.Arg < len(args):
			seen = &args[l.Arg]
		case (l.Kind == LoopPureRVar || l.Kind == LoopImpureRVar) && l.RVar >= 0 && l.RVar < len(rvars):
			seen = &rvars[l.RVar]
		default:
			return fmt.Errorf("%s: the %s loop %q runs over no argument and no reduction variable of the stage", where, l.Kind, l.Name)
		}
		if *seen {
			return fmt.Errorf("%s: two loops run over %q", where, l.Name)
		}
		*seen = true
	}
	for k, have := range rvars {
		if !have {
			return fmt.Errorf("%s: no loop runs over reduction variable %q", where, s.RVars[k].Name)
		}
	}
	for k, have := range args {
		// An update has loops for those arguments only that its left-hand side leaves free.
		n := &v.p.Nodes[s.Args[k]]
		if free := n.Op == OpVar && n.Kind == VarDim && n.Index == k; free && !have {
			return fmt.Errorf("%s: no loop runs over argument %q", where, f.Args[k])
		}
	}
	if j == 0 && len(s.RVars) > 0 {
		return fmt.Errorf("%s: a pure definition has reduction variables", where)
	}
	return nil
}

func (v *verifier) outputs() error {
	if len(v.p.Outputs) == 0 {
		return fmt.Errorf("outputs: the pipeline has none")
	}
	is := make([]bool, len(v.p.Funcs))
	for i, f := range v.p.Outputs {
		if f < 0 || f >= len(v.p.Funcs) {
			return fmt.Errorf("outputs[%d]: Func %d does not exist; there are %d", i, f, len(v.p.Funcs))
		}
		is[f] = true
	}
	for i := range v.p.Funcs {
		if f := &v.p.Funcs[i]; f.Output != is[i] {
			return fmt.Errorf("Func %d (%s): output is %v, but outputs says otherwise", i, f.Label, f.Output)
		}
	}
	return nil
}

func (v *verifier) edges() error {
	for i, e := range v.p.Edges {
		where := fmt.Sprintf("edges[%d]", i)
		if e.Consumer < 0 || e.Consumer >= len(v.p.Funcs) {
			return fmt.Errorf("%s: consumer %d does not exist; there are %d Funcs", where, e.Consumer, len(v.p.Funcs))
		}
		f := &v.p.Funcs[e.Consumer]
		if e.Stage < 0 || e.Stage >= max(len(f.Stages), 1) {
			return fmt.Errorf("%s: %s has no stage %d", where, f.Label, e.Stage)
		}
		loops := 0
		if f.Extern == nil {
			where += " of " + stageName(f, e.Stage)
			loops = len(f.Stages[e.Stage].Loops)
		}
		dims := 0
		switch {
		case (e.Func >= 0) == (e.Input >= 0):
			return fmt.Errorf("%s: it needs a func or an input, and not both", where)
		case e.Func > e.Consumer || e.Func == e.Consumer && e.Stage == 0:
			return fmt.Errorf("%s: Func %d is not computed before it", where, e.Func)
		case e.Func >= 0:
			dims = len(v.p.Funcs[e.Func].Args)
		case e.Input >= len(v.p.Inputs):
			return fmt.Errorf("%s: input %d does not exist; there are %d", where, e.Input, len(v.p.Inputs))
		default:
			dims = len(v.p.Inputs[e.Input].Dims)
		}
		if len(e.Box) != dims && (f.Extern == nil || len(e.Box) != 0) {
			return fmt.Errorf("%s: the box has %d dimensions, its producer %d", where, len(e.Box), dims)
		}
		for k, r := range e.Box {
			for _, id := range []NodeID{r.Lo, r.Hi} {
				at := fmt.Sprintf("%s: box dimension %d", where, k)
				if err := v.use(at, id, true, reach{-1, -1, int32(e.Consumer), int32(loops - 1)}); err != nil {
					return err
				}
			}
		}
	}
	return v.needed()
}

// stageName is gray or gray.update(0), with the Func's id.
func stageName(f *Func, stage int) string {
	if stage == 0 {
		return fmt.Sprintf("Func %d (%s)", f.ID, f.Label)
	}
	return fmt.Sprintf("Func %d (%s.update(%d))", f.ID, f.Label, stage-1)
}

// needed checks that what a stage reads for what it stores has an edge, without which nobody knows how much of it.
func (v *verifier) needed() error {
	type read struct{ consumer, stage, fn, input int }
	known := make(map[read]bool, len(v.p.Edges))
	for _, e := range v.p.Edges {
		known[read{e.Consumer, e.Stage, e.Func, e.Input}] = true
	}
	for i := range v.p.Funcs {
		f := &v.p.Funcs[i]
		for j := range f.Stages {
			var err error
			v.p.Walk(func(_ NodeID, n *Node) {
				if err != nil || !n.ReadsBuffer() {
					return
				}
				if !known[read{i, j, n.Func, n.Input}] {
					var producer string
					if n.ReadsFunc() {
						producer = v.p.Funcs[n.Func].Label
					} else {
						producer = v.p.Inputs[n.Input].Label
					}
					err = fmt.Errorf("%s reads %s, and edges has none between them: export the pipeline again", stageName(f, j), producer)
				}
			}, slices.Concat(f.Stages[j].Args, f.Stages[j].Values)...)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

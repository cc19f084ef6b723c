package autoscheduler

import (
	"slices"

	"gowarp/halideir"
)

// part is one value of a Func.
type part struct{ fn, out int }

// dead lists the stored Funcs that no output depends on any more. Of an inlined Func with several values only those that are read are computed, and what the others read is read by nobody; of a call of
// one only the arguments are evaluated that its value has. Of such a Func at root Halide 21's bounds inference dies, or a name of it is left that stands for nothing.
func (s *state) dead() []int {
	partly := false // whether a Func is inlined that may leave one
	for id, inlined := range s.problem.Inlined {
		partly = partly || inlined && s.leaves[id]
	}
	if !partly {
		return nil
	}
	e := evaluation{p: s.p, inlined: s.problem.Inlined, args: map[part][]bool{}}
	alive := make([]bool, len(s.p.Funcs))
	seen := map[part]bool{}
	var work []part
	reach := func(at part) {
		if !s.problem.Inlined[at.fn] {
			at.out = 0 // a stored Func computes all of its values
		}
		if !seen[at] {
			seen[at] = true
			work = append(work, at)
		}
	}
	for _, id := range s.p.Outputs {
		reach(part{id, 0})
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		f := &s.p.Funcs[at.fn]
		alive[at.fn] = true
		var roots []halideir.NodeID
		if s.problem.Inlined[at.fn] {
			roots = []halideir.NodeID{f.Stages[0].Values[at.out]}
		} else {
			for st := range f.Stages {
				roots = append(roots, f.Stages[st].Roots()...)
				for v := range f.Stages[st].RVars {
					roots = append(roots, f.Stages[st].RVars[v].Min, f.Stages[st].RVars[v].Extent)
				}
			}
			if f.Extern != nil {
				for _, a := range f.Extern.Args {
					roots = append(roots, a.Expr)
					if a.Func >= 0 {
						reach(part{a.Func, 0})
					}
				}
			}
		}
		e.of(roots, func(n *halideir.Node) {
			if n.Op == halideir.OpCall && n.Call == halideir.CallHalide {
				reach(part{n.Func, n.Out})
			}
		})
	}
	var out []int
	for id := range s.p.Funcs {
		if !alive[id] && !s.problem.Inlined[id] {
			out = append(out, id)
		}
	}
	return out
}

// evaluation tells what is evaluated of expressions once some Funcs are inlined.
type evaluation struct {
	p       *halideir.Pipeline
	inlined []bool
	args    map[part][]bool // which arguments the value of an inlined Func has
}

// of visits the nodes that are evaluated, each once. What a let binds is taken to be.
func (e *evaluation) of(roots []halideir.NodeID, visit func(n *halideir.Node)) {
	e.p.WalkInto(func(_ halideir.NodeID, n *halideir.Node) []halideir.NodeID {
		visit(n)
		if n.Op != halideir.OpCall || n.Call != halideir.CallHalide || !e.inlined[n.Func] {
			return n.Args
		}
		var evaluated []halideir.NodeID
		has := e.has(part{n.Func, n.Out})
		for k, a := range n.Args {
			if has[k] {
				evaluated = append(evaluated, a)
			}
		}
		return evaluated
	}, roots...)
}

// has tells which arguments the value of an inlined Func has.
func (e *evaluation) has(at part) []bool {
	if known, ok := e.args[at]; ok {
		return known
	}
	f := &e.p.Funcs[at.fn]
	out := make([]bool, len(f.Args))
	e.of([]halideir.NodeID{f.Stages[0].Values[at.out]}, func(n *halideir.Node) {
		if n.Op == halideir.OpVar && n.Kind == halideir.VarDim {
			out[n.Index] = true
		}
	})
	e.args[at] = out
	return out
}

// leavesUnread tells of each Func whether something may be read by nobody once it is inlined: it has several values, or an argument that its value has not, or calls a Func of which that is so.
func leavesUnread(p *halideir.Pipeline) []bool {
	out := make([]bool, len(p.Funcs))
	for id := range p.Funcs { // callees come first
		f := &p.Funcs[id]
		out[id] = len(f.Types) > 1
		if len(f.Stages) == 0 {
			continue
		}
		has := make([]bool, len(f.Args))
		p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
			switch {
			case n.Op == halideir.OpVar && n.Kind == halideir.VarDim:
				has[n.Index] = true
			case n.Op == halideir.OpCall && n.Call == halideir.CallHalide && n.Func != id:
				out[id] = out[id] || out[n.Func]
			}
		}, f.Stages[0].Values...)
		out[id] = out[id] || slices.Contains(has, false)
	}
	return out
}

package strategy

import (
	"fmt"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/rfactor"
	"gowarp/internal/plan"
)

// columns is a Func whose updates write to other places than their loops' own, and its reader: of which arguments each point has a column of its own, in which nothing that a neighbour's
// stages do is read.
type columns struct {
	pr     *plan.Problem
	g      *plan.Group
	reader []int // by argument of the member: the loop of the reader that it is read along, -1 for those that columns go along
}

// columnsOf says why a group is not that, in the words of a strategy.
func columnsOf(pr *plan.Problem, g *plan.Group, name string) (columns, error) {
	c := columns{pr: pr, g: g}
	out := &pr.P.Funcs[g.Out]
	switch {
	case len(g.Members) != 1:
		return c, fmt.Errorf("%s: a group of other than one Func and its reader", name)
	case len(out.Stages) != 1 || !pr.PureLoops(g.Out, 0) || out.Partial || readOutput(pr, g.Out):
		return c, fmt.Errorf("%s: %s has updates, or others read it", name, out.Label)
	}
	m := &pr.P.Funcs[g.Members[0]]
	if m.Partial || len(m.Bounds) > 0 || len(m.Stages) < 2 || !slices.ContainsFunc(all(len(m.Stages)), func(s int) bool { return !pr.PureLoops(m.ID, s) }) {
		return c, fmt.Errorf("%s: no update of %s writes to other places than its loops' own", name, m.Label)
	}
	for s := range m.Stages {
		if loadsWhere(pr, &m.Stages[s]) {
			return c, fmt.Errorf("%s: a predicate of %s loads something: it is not under the guard of a split (pass_dims.go)", name, m.Label)
		}
		if pr.Dims[pr.StageIndex(m.ID, s)].Atomic {
			return c, fmt.Errorf("%s: threads of all blocks do the updates of %s together", name, m.Label)
		}
	}
	c.reader = make([]int, len(m.Args))
	for k := range m.Args {
		c.reader[k] = c.readAlong(m, k)
	}
	return c, nil
}

// loadsWhere reports whether the domain of a stage has a predicate that loads something.
func loadsWhere(pr *plan.Problem, st *halideir.Stage) (found bool) {
	pr.P.Walk(func(_ halideir.NodeID, n *halideir.Node) { found = found || n.ReadsBuffer() }, st.Predicate)
	return found
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// readAlong is the loop of the reader that gives an argument of the member, if every stage has it as its own and so do all reads; -1 if not.
func (c columns) readAlong(m *halideir.Func, k int) int {
	for s := 1; s < len(m.Stages); s++ {
		if !rfactor.OwnPlace(c.pr.P, m.Stages[s].Args[k], k) {
			return -1
		}
		loop := slices.IndexFunc(m.Stages[s].Loops, func(l halideir.Loop) bool { return l.Arg == k })
		for _, t := range c.taps(m.ID, s, m.ID) {
			if x := &t.Index[k]; x.Kind != access.Affine || x.Loop != loop || x.Num != 1 || x.Den != 1 || x.Offset != 0 || x.Clamped {
				return -1
			}
		}
	}
	found := -1
	for i, t := range c.taps(c.g.Out, 0, m.ID) {
		x := &t.Index[k]
		if x.Kind != access.Affine || x.Num != 1 || x.Den != 1 || x.Offset != 0 || x.Clamped || i > 0 && x.Loop != found {
			return -1
		}
		found = x.Loop
	}
	return found
}

// taps are the loads of a stage from a Func.
func (c columns) taps(fn, stage, from int) (out []plan.Tap) {
	for _, t := range c.pr.Expand[c.pr.StageIndex(fn, stage)].Loads {
		if t.Func == from {
			out = append(out, t)
		}
	}
	return out
}

// severalSteps has the innermost loop that turns make several iterations at a time: their loads do not wait for each other.
func (c columns) severalSteps(n *plan.Nest) {
	st := &c.pr.P.Funcs[n.Func].Stages[n.Stage]
	inner := slices.IndexFunc(n.Serial, func(u plan.Use) bool { return u.Tile == 0 && u.Extent > 1 })
	if inner < 0 || st.Predicate != halideir.NoNode || int64(c.pr.ExpandOf(n).Tree)*maxSteps > maxSteppedOps {
		return
	}
	u := n.Serial[inner]
	if u.Extent >= 2*maxSteps {
		u.Steps = maxSteps
	}
	if st.Loops[u.Loop].Arg >= 0 { // any order
		n.Serial = slices.Insert(slices.Delete(n.Serial, inner, inner+1), 0, u)
		return
	}
	n.Serial[inner] = u
}

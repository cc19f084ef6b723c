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
// stages do is read. Between the two there may be summaries of a column: values that are reduced from it at each point (how many there are, the most frequent, a median).
type columns struct {
	pr        *plan.Problem
	g         *plan.Group
	reader    []int         // by argument of the member: the loop of the reader that it is read along, -1 for those that columns go along
	summaries map[int][]int // likewise by argument of each summary; none of them is -1
}

// columnsOf says why a group is not that, in the words of a strategy.
func columnsOf(pr *plan.Problem, g *plan.Group, name string) (columns, error) {
	c := columns{pr: pr, g: g, summaries: map[int][]int{}}
	out := &pr.P.Funcs[g.Out]
	switch {
	case len(g.Members) == 0:
		return c, fmt.Errorf("%s: a group of one Func", name)
	case len(out.Stages) != 1 || !pr.PureLoops(g.Out, 0) || out.Partial || readOutput(pr, g.Out):
		return c, fmt.Errorf("%s: %s has updates, or others read it", name, out.Label)
	}
	m := &pr.P.Funcs[g.Members[0]]
	if m.Partial || len(m.Bounds) > 0 || len(m.Stages) < 2 || !slices.ContainsFunc(all(len(m.Stages)), func(s int) bool { return !pr.PureLoops(m.ID, s) }) {
		return c, fmt.Errorf("%s: no update of %s writes to other places than its loops' own", name, m.Label)
	}
	for s := range m.Stages {
		if rfactor.ConditionReads(pr.P, &m.Stages[s]) {
			return c, fmt.Errorf("%s: a predicate of %s loads something: it is not under the guard of a split (pass_dims.go)", name, m.Label)
		}
		if pr.Dims[pr.StageIndex(m.ID, s)].Atomic {
			return c, fmt.Errorf("%s: threads of all blocks do the updates of %s together", name, m.Label)
		}
	}
	for i := len(g.Members) - 1; i > 0; i-- { // readers first
		if err := c.summary(g.Members[i], name); err != nil {
			return c, err
		}
	}
	c.reader = make([]int, len(m.Args))
	for k := range m.Args {
		c.reader[k] = c.readAlong(m, k)
	}
	return c, nil
}

// summary takes in a Func between the columns and the reader.
func (c columns) summary(fn int, name string) error {
	f := &c.pr.P.Funcs[fn]
	if f.Partial || len(f.Bounds) > 0 {
		return fmt.Errorf("%s: %s is not for one thread", name, f.Label)
	}
	for s := range f.Stages {
		if !c.pr.PureLoops(fn, s) || rfactor.ConditionReads(c.pr.P, &f.Stages[s]) {
			return fmt.Errorf("%s: %s is no summary of a column: it has places of its own", name, f.Label)
		}
	}
	along := make([]int, len(f.Args))
	for k := range f.Args {
		if along[k] = c.readAlong(f, k); along[k] < 0 {
			return fmt.Errorf("%s: %s is no summary of a column: it is not read at each point's own place in dimension %d", name, f.Label, k)
		}
	}
	c.summaries[fn] = along
	return nil
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// readAlong is the loop of the reader that gives an argument of a Func, if every stage has it as its own and so do all reads, those of summaries too; -1 if not.
func (c columns) readAlong(m *halideir.Func, k int) int {
	for s := 1; s < len(m.Stages); s++ {
		if !rfactor.OwnPlace(c.pr.P, m.Stages[s].Args[k], k) {
			return -1
		}
		loop := slices.IndexFunc(m.Stages[s].Loops, func(l halideir.Loop) bool { return l.Arg == k })
		for _, t := range c.taps(m.ID, s, m.ID) {
			if !t.Index[k].IsLoop(loop) {
				return -1
			}
		}
	}
	found := -1
	one := func(l int) bool { // whether all reads so far are along the same loop
		if found < 0 {
			found = l
		}
		return l >= 0 && l == found
	}
	for _, t := range c.taps(c.g.Out, 0, m.ID) {
		if !one(own(&t.Index[k])) {
			return -1
		}
	}
	for fn, along := range c.summaries {
		for s := range c.pr.P.Funcs[fn].Stages {
			for _, t := range c.taps(fn, s, m.ID) {
				l := own(&t.Index[k])
				if l >= 0 {
					if l = c.pr.P.Funcs[fn].Stages[s].Loops[l].Arg; l >= 0 {
						l = along[l]
					}
				}
				if !one(l) {
					return -1
				}
			}
		}
	}
	return found
}

// own is the loop that an index is, without anything beside it; -1 if it is something else.
func own(x *access.Index) int {
	if x.IsLoop(x.Loop) {
		return x.Loop
	}
	return -1
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

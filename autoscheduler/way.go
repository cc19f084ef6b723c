package autoscheduler

import (
	"fmt"
	"slices"

	"gowarp/autoscheduler/profile"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/internal/plan"
)

// Way is a way to run one kernel, with all that was decided before it: what it takes to lay it out again, whatever estimates and searches make of the pipeline by
// then. Funcs are their numbers in the pipeline.
type Way struct {
	Factored bool        `json:"factored,omitempty"` // of the pipeline whose reductions are factored
	Inlined  []int       `json:"inlined,omitempty"`
	Folded   []int       `json:"folded,omitempty"`
	Unproven []int       `json:"unproven,omitempty"`
	Out      int         `json:"out"`
	Stage    int         `json:"stage"`
	Members  []int       `json:"members,omitempty"`
	Nested   bool        `json:"nested,omitempty"` // members are computed in threads where that repeats no work
	Choice   plan.Choice `json:"choice"`
	// Where Funcs begin at whole cells of points: all that do, which changes regions, and how the kernel's own Funcs lie in cells.
	Aligned map[int][]int64 `json:"aligned,omitempty"`
	Cells   []plan.CellsOf  `json:"cells,omitempty"`
}

// WayOf is the way of a kernel of a result.
func WayOf(r *Result, g *plan.Group, k *plan.Kernel) Way {
	pr := r.Problem
	w := Way{Factored: r.Factored, Inlined: which(pr.Inlined), Folded: which(pr.Folded), Unproven: which(pr.Unproven), Out: g.Out, Stage: k.Out.Stage, Members: g.Members, Choice: k.Choice, Aligned: r.Aligned, Cells: pr.CellsIn(k)}
	if strategy.IsOtherwise(k.Strategy) {
		w.Nested = slices.ContainsFunc(k.Members, func(m plan.Member) bool { return m.Where == plan.AtThread })
	}
	return w
}

// which are the numbers of those that are true.
func which(all []bool) (out []int) {
	for i, yes := range all {
		if yes {
			out = append(out, i)
		}
	}
	return out
}

// Layer lays ways of one pipeline out again.
type Layer struct {
	p      *halideir.Pipeline
	params Params
	before map[string]*state // by what was decided before kernels
}

// NewLayer is a Layer of a pipeline and parameters.
func NewLayer(p *halideir.Pipeline, params Params) *Layer {
	return &Layer{p: p, params: params, before: map[string]*state{}}
}

// Name is the Func and the stage that a way's kernel computes, as Funcs are numbered where this Layer runs it: of
// another pipeline's way that is not what was run.
func (l *Layer) Name(w *Way) (string, error) {
	s, err := l.decided(w)
	if err != nil {
		return "", err
	}
	p := s.problem.P
	if err := has(p, w.Out); err != nil {
		return "", err
	}
	return profile.Name(p.Funcs[w.Out].Label, w.Stage), nil
}

// has is an error if the pipeline of a way has no such Func.
func has(p *halideir.Pipeline, fn int) error {
	if fn < 0 || fn >= len(p.Funcs) {
		return fmt.Errorf("autoscheduler: the pipeline has no Func %d; it is another pipeline's way", fn)
	}
	return nil
}

// Kernel lays a way out.
func (l *Layer) Kernel(w *Way) (*plan.Problem, *plan.Kernel, error) {
	s, err := l.decided(w)
	if err != nil {
		return nil, nil, err
	}
	pr := s.problem
	for _, fn := range append(slices.Clone(w.Members), w.Out) {
		if err := has(pr.P, fn); err != nil {
			return nil, nil, err
		}
	}
	if w.Stage < 0 || w.Stage >= len(pr.P.Funcs[w.Out].Stages) {
		return nil, nil, fmt.Errorf("autoscheduler: %s has no stage %d; it is another pipeline's way", pr.P.Funcs[w.Out].Label, w.Stage)
	}
	options := s.options
	options.Nesting = strategy.NestNever
	if w.Nested {
		options.Nesting = strategy.NestAlways
	}
	for _, st := range slices.Concat(strategy.Tilings["all"], strategy.Otherwise) {
		if st.Name() != w.Choice.Strategy {
			continue
		}
		prepared, err := st.Prepare(pr, pr.NewGroup(w.Out, w.Members), options)
		if err != nil {
			return nil, nil, err
		}
		k, err := prepared.Kernel(w.Stage, w.Choice)
		return pr, k, err
	}
	return nil, nil, fmt.Errorf("autoscheduler: no strategy is called %q", w.Choice.Strategy)
}

// decided is the state before groups, as a way has it.
func (l *Layer) decided(w *Way) (*state, error) {
	key := fmt.Sprint(w.Factored, w.Inlined, w.Folded, w.Unproven, w.Aligned, w.Cells)
	if s := l.before[key]; s != nil {
		return s, nil
	}
	s, err := newState(l.p, l.params)
	if err != nil {
		return nil, err
	}
	table := []pass{{"check", nil, checkInput}}
	if w.Factored {
		table = append(table, pass{"factor", nil, factor})
	}
	table = append(table, pass{"analyse", nil, analyse}, pass{"inline", nil, func(s *state) error { return s.inlineOnly(w) }}, pass{"dims", nil, chooseDims}, pass{"tile-bounds", nil, tileBounds})
	if len(w.Aligned) > 0 {
		table = append(table, pass{"align", nil, func(s *state) error { return s.alignedOnly(w) }})
	}
	if err := s.runTable(table); err != nil {
		return nil, err
	}
	l.before[key] = s
	return s, nil
}

// alignedOnly has those Funcs begin at whole cells that do in a way.
func (s *state) alignedOnly(w *Way) error {
	for fn, moduli := range w.Aligned {
		if err := has(s.p, fn); err != nil {
			return err
		}
		if len(moduli) != len(s.p.Funcs[fn].Args) {
			return fmt.Errorf("autoscheduler: %s has no cells in %d dimensions; it is another pipeline's way", s.p.Funcs[fn].Label, len(moduli))
		}
	}
	base, _, err := s.analysed()
	if err != nil {
		return err
	}
	regions := base.Aligned(s.p, w.Aligned)
	if regions == nil {
		return fmt.Errorf("autoscheduler: inputs do not suffice for Funcs that begin at whole cells; it is another pipeline's way")
	}
	if err := s.setRegions(regions); err != nil {
		return err
	}
	for i := range w.Cells {
		if err := has(s.p, w.Cells[i].Func); err != nil {
			return err
		}
	}
	s.problem.SetCells(w.Cells, nil)
	return nil
}

// inlineOnly inlines what a way has inlined.
func (s *state) inlineOnly(w *Way) error {
	for _, to := range []struct {
		marks []bool
		fns   []int
	}{{s.problem.Inlined, w.Inlined}, {s.problem.Folded, w.Folded}, {s.problem.Unproven, w.Unproven}} {
		clear(to.marks)
		for _, fn := range to.fns {
			if fn < 0 || fn >= len(to.marks) {
				return fmt.Errorf("autoscheduler: the pipeline has no Func %d; it is another pipeline's way", fn)
			}
			to.marks[fn] = true
		}
	}
	for id := range s.p.Funcs {
		for st := range s.p.Funcs[id].Stages {
			s.expand(id, st)
		}
	}
	return nil
}

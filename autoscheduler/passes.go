// Package autoscheduler turns a pipeline into a schedule: one ordered table of
// passes over one state. It knows nothing of Halide's C++ and runs where no
// Halide is installed.
package autoscheduler

import (
	"fmt"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/grouping"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
	"gowarp/occupancy"
)

// pass is one step. Its place in the table is checked against after.
type pass struct {
	name  string
	after []string // passes that must stand before it
	run   func(*state) error
}

// passes is the whole compiler.
var passes = []pass{
	{"check", nil, checkInput},
	{"analyse", []string{"check"}, analyse},
	{"inline", []string{"analyse"}, inline},
	{"dims", []string{"inline"}, chooseDims},
	{"group", []string{"inline", "dims"}, group},
	{"tile", []string{"group"}, tile},
	{"legality", []string{"tile"}, checkLegality},
	{"emit", []string{"legality"}, emit},
}

func init() {
	if err := checkOrder(passes); err != nil {
		panic(err)
	}
}

// checkOrder reports a pass that stands before one that it needs.
func checkOrder(table []pass) error {
	var seen []string
	for _, p := range table {
		for _, a := range p.after {
			if !slices.Contains(seen, a) {
				return fmt.Errorf("autoscheduler: pass %s must come after %s", p.name, a)
			}
		}
		seen = append(seen, p.name)
	}
	return nil
}

// state is what the passes hand on.
type state struct {
	p          *halideir.Pipeline
	params     Params
	apart      []int // Funcs that share no kernel with another
	device     occupancy.Device
	options    strategy.Options
	coster     coster.Coster
	grouping   grouping.Grouping
	strategies []strategy.Strategy
	problem    *plan.Problem
	searcher   *search.Searcher
	groups     []*plan.Group
	found      []*search.Found // parallel to groups
	out        *schedule.Schedule
	notes      []Note
}

// Note is one decision, for explanations.
type Note struct {
	Pass string
	Func int // -1 for the pipeline
	Text string
}

func (s *state) note(pass string, fn int, format string, args ...any) {
	s.notes = append(s.notes, Note{pass, fn, fmt.Sprintf(format, args...)})
}

// Result is a schedule with the reasons for it.
type Result struct {
	Schedule  *schedule.Schedule
	Problem   *plan.Problem
	Groups    []*plan.Group
	Found     []*search.Found // the choice for each group
	Notes     []Note
	Evaluated int // candidates priced
}

// Schedule schedules a pipeline. It does not change p.
func Schedule(p *halideir.Pipeline, params Params) (*schedule.Schedule, error) {
	r, err := Run(p, params)
	if err != nil {
		return nil, err
	}
	return r.Schedule, nil
}

// Run is Schedule with the reasons.
func Run(p *halideir.Pipeline, params Params) (*Result, error) {
	return run(p, params, nil)
}

func run(p *halideir.Pipeline, params Params, apart []int) (*Result, error) {
	if err := p.Verify(); err != nil {
		return nil, err
	}
	s := &state{p: p, params: params, apart: apart}
	if err := s.configure(); err != nil {
		return nil, err
	}
	for _, ps := range passes {
		if err := ps.run(s); err != nil {
			return nil, err
		}
	}
	return &Result{Schedule: s.out, Problem: s.problem, Groups: s.groups, Found: s.found, Notes: s.notes, Evaluated: s.searcher.Evaluated}, nil
}

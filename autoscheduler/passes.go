// Package autoscheduler turns a pipeline into a schedule: one ordered table of
// passes over one state. It knows nothing of Halide's C++ and runs where no
// Halide is installed.
package autoscheduler

import (
	"errors"
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
	{"factor", []string{"check"}, factor},
	{"analyse", []string{"check", "factor"}, analyse},
	{"inline", []string{"analyse"}, inline},
	{"dims", []string{"inline"}, chooseDims},
	{"tile-bounds", []string{"dims"}, tileBounds},
	{"group", []string{"inline", "tile-bounds"}, group},
	{"tile", []string{"group"}, tile},
	{"align", []string{"tile"}, align},
	{"judge", []string{"align"}, judge},
	{"join", []string{"judge"}, join},
	{"legality", []string{"join"}, checkLegality},
	{"emit", []string{"legality"}, emit},
}

// replayPasses stand for them where the schedule is given.
var replayPasses = []pass{
	{"check", nil, checkInput},
	{"factor", []string{"check"}, readSaved},
	{"analyse", []string{"check", "factor"}, analyse},
	{"replay", []string{"factor", "analyse"}, replay},
}

func tableFor(params Params) []pass {
	if params.Schedule != "" {
		return replayPasses
	}
	return passes
}

func init() {
	for _, table := range [][]pass{passes, replayPasses, drawPasses} {
		if err := checkOrder(table); err != nil {
			panic(err)
		}
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
	given      *halideir.Pipeline   // p before reductions were factored
	factors    []schedule.Directive // what made p of it
	saved      *schedule.Schedule   // the one to replay
	elsewhere  string               // see Result
	params     Params
	tried      tried
	device     occupancy.Device
	machine    coster.Machine // what the device does in a cycle
	options    strategy.Options
	coster     coster.Coster
	effort     search.Effort
	grouping   grouping.Grouping
	strategies []strategy.Strategy
	analysis   analysis
	problem    *plan.Problem
	unclamped  []bool // of the Funcs
	leaves     []bool // likewise: what they read, or are called with, may be read by nobody once they are inlined
	searcher   *search.Searcher
	groups     []*plan.Group
	found      []*search.Found // parallel to groups
	aligned    map[int][]int64 // outputs of groups that begin at whole cells: of how many points, by argument
	out        *schedule.Schedule
	drawing    *drawing                // where a schedule is drawn, see Draw
	behind     func(pass string) error // if any, called behind each pass

	// For explanations only.
	explain    bool
	notes      []Note
	whyInOrder map[[2]int]string    // by Func and stage: why its iterations run in order
	inlines    map[int]InlineReason // of the Funcs that could be inlined
	merges     []grouping.Merge
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
	Found     []*search.Found  // the choice for each group
	Explained bool             // whether there are reasons
	Aligned   map[int][]int64  // outputs of groups that begin at whole cells: of how many points, by argument
	Factored  bool             // whether reductions are factored: Problem.P has more Funcs than the pipeline given
	Inlining  []InlineReason   // by Func
	Merges    []grouping.Merge // in order, then what was refused
	Notes     []Note
	InOrder   map[[2]int]string // by Func and stage: why its iterations run in order
	Elsewhere string            // of a schedule that is replayed: for what else it was made, if it was
	Evaluated int               // candidates priced
	Unit      string            // of their costs, where they have one
}

// Remarks are the notes on the pipeline as a whole.
func (r *Result) Remarks() []string { return remarks(r.Notes) }

func remarks(notes []Note) []string {
	var out []string
	for _, n := range notes {
		if n.Func < 0 {
			out = append(out, n.Text)
		}
	}
	return out
}

// Schedule schedules a pipeline. It does not change p.
func Schedule(p *halideir.Pipeline, params Params) (*schedule.Schedule, error) {
	out, _, err := ScheduleAndRemark(p, params)
	return out, err
}

// ScheduleAndRemark is Schedule with the notes on the pipeline as a whole; that a schedule was replayed whoever asked for it knows, and what
// is factored the schedule shows.
func ScheduleAndRemark(p *halideir.Pipeline, params Params) (*schedule.Schedule, []string, error) {
	r, err := NewSession(p, params, false).Checked()
	if err != nil {
		return nil, nil, err
	}
	return r.Schedule, remarks(slices.DeleteFunc(r.Notes, func(n Note) bool { return n.Pass == "replay" || n.Pass == "factor" })), nil
}

// ErrReplayed is what Run returns where a saved schedule is replayed.
var ErrReplayed = errors.New("autoscheduler: schedule= replays a saved schedule: nothing is decided that could be explained; leave it away")

// Run is Schedule with the reasons.
func Run(p *halideir.Pipeline, params Params) (*Result, error) {
	if params.Schedule != "" {
		return nil, ErrReplayed
	}
	return NewSession(p, params, true).Checked()
}

// result is what the passes came to.
func (s *state) result() *Result {
	r := &Result{
		Schedule: s.out, Problem: s.problem, Groups: s.groups, Found: s.found, Aligned: s.aligned, Explained: s.explain,
		Merges: s.merges, Notes: s.notes, InOrder: s.whyInOrder, Elsewhere: s.elsewhere, Evaluated: s.searcher.Evaluated, Unit: coster.Unit(s.coster), Factored: len(s.factors) > 0,
	}
	if s.explain {
		r.Inlining = s.inlineReasons()
	}
	return r
}

func newState(p *halideir.Pipeline, params Params) (*state, error) {
	if err := p.Verify(); err != nil {
		return nil, err
	}
	s := &state{p: p, given: p, params: params, inlines: map[int]InlineReason{}}
	return s, s.configure()
}

// run is every pass.
func (s *state) run() error { return s.runTable(tableFor(s.params)) }

func (s *state) runTable(table []pass) error {
	for _, ps := range table {
		if err := ps.run(s); err != nil {
			return err
		}
		if s.behind == nil {
			continue
		}
		if err := s.behind(ps.name); err != nil {
			return err
		}
	}
	return nil
}

// upTo are the passes of a table up to one.
func upTo(table []pass, name string) []pass {
	return table[:len(table)-len(behind(table, name))]
}

// behind are the passes of a table behind one.
func behind(table []pass, name string) []pass {
	return table[1+slices.IndexFunc(table, func(p pass) bool { return p.name == name }):]
}

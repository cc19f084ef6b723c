package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/search"
	"gowarp/halideir"
	"gowarp/internal/plan"
	"gowarp/internal/ptxas"
)

// Session schedules one pipeline, again and again where what comes of a schedule is not what was expected (see RunnerUp). It keeps what the
// schedules so far were, so that each is made once. It is not for several goroutines at a time.
type Session struct {
	p       *halideir.Pipeline
	params  Params
	explain bool
	after   tried
	// foreseen is the first schedule as far as its tiles; nil where it was not predicted.
	foreseen *state
	trial    *state // of the trials: before anything judges; nil if there are none
	tiled    *state // of the last schedule: before legality is looked at
	last     *Result
}

// NewSession begins one. With explain the results have reasons.
func NewSession(p *halideir.Pipeline, params Params, explain bool) *Session {
	return &Session{p: p, params: params, explain: explain}
}

// Trials are, with search=ptxas and search=sim, the schedules in which every kernel is run in the best of its few ways, in the second best, and so on, or in its last
// one: compiled or run, all of them say what each way takes. Kernels do not depend on each other, so that one schedule tries all at once.
func (s *Session) Trials() ([]*Result, error) {
	if !s.params.Judged() || s.params.Schedule != "" {
		return nil, nil
	}
	st, err := s.begun(passes)
	if err != nil {
		return nil, err
	}
	s.trial = st
	aligned := st.fork()
	if err := aligned.runTable(upTo(behind(passes, "tile"), "align")); err != nil {
		return nil, err
	}
	ways := 0
	for _, f := range aligned.found {
		ways = max(ways, f.Ways())
	}
	trials := make([]*Result, ways)
	for n := range trials {
		t := aligned.fork()
		t.tried.unjoined = true // what one kernel takes is asked
		for i, f := range t.found {
			t.found[i] = f.Way(n)
		}
		if err := t.runTable(behind(passes, "judge")); err != nil {
			return nil, err
		}
		trials[n] = t.result()
	}
	return trials, nil
}

// Unjoined is the schedule with every kernel in a launch of its own, as in trials, which it stays: what one kernel takes is asked.
func (s *Session) Unjoined() (*Result, error) {
	s.after.unjoined = true
	return s.First()
}

// Compiled takes in what ptxas said of the kernels of a trial. It decides in all schedules to come.
func (s *Session) Compiled(trial *Result, uses []ptxas.Use) {
	s.judged(trial, func(fn string, stage int) (j search.Judged, found bool) {
		for i := range uses {
			if u := &uses[i]; ptxas.Of(u.Kernel, fn, stage) {
				found = true
				j.Registers, j.SpillBytes = max(j.Registers, u.Registers), max(j.SpillBytes, u.SpillBytes())
			}
		}
		return j, found
	})
}

// Counted takes in what a simulator counted of the kernels of a trial. It decides in all schedules to come.
func (s *Session) Counted(trial *Result, kernels []Counted) {
	s.judged(trial, func(fn string, stage int) (j search.Judged, found bool) {
		for i := range kernels {
			if c := &kernels[i]; ptxas.Of(c.Kernel, fn, stage) {
				found = true
				j.Simulated = j.Simulated.Plus(c.Simulated()) // of a stage with a special case one of the two kernels ran
			}
		}
		return j, found
	})
}

// judged adds what was said of the kernels of a trial; nothing of those that Halide left out. A stage with a special case has two, of which for a compiler
// the one that needs more matters.
func (s *Session) judged(trial *Result, of func(fn string, stage int) (search.Judged, bool)) {
	if s.after.judged == nil {
		s.after.judged = map[string]search.Judged{}
	}
	for _, f := range trial.Found {
		for _, k := range f.Layout.Kernels {
			if k.Host {
				continue
			}
			if j, found := of(trial.Problem.P.Funcs[k.Out.Func].Name, k.Out.Stage); found {
				s.after.judged[search.Identity(trial.Problem, k)] = j
			}
		}
	}
}

// refused takes note of the kernels at fault, and reports whether that leaves others to choose among which were judged as well: those are known better than what a search
// would find in their place. Only as long as nothing but what was judged has decided.
func (s *Session) refused(faults []Fault) bool {
	others := s.after
	others.unjoined = false
	if s.trial == nil || !others.nothing() {
		return false
	}
	pr, left := s.last.Problem, false
	for _, f := range faults {
		if f.Func == WholeSchedule || f.Unneeded || f.Torn || f.Unproven || f.Unbounded {
			return false
		}
	}
	for i, g := range s.last.Groups {
		if !slices.ContainsFunc(faults, func(f Fault) bool { return g.Has(f.Func) }) {
			continue
		}
		for _, k := range s.last.Found[i].Layout.Kernels {
			id := search.Identity(pr, k)
			if j, ok := s.after.judged[id]; ok && !j.Refused {
				j.Refused = true
				s.after.judged[id] = j
			}
		}
		if !s.last.Found[i].Others(pr, s.after.judged) {
			return false
		}
		left = true
	}
	return left
}

// First is the schedule.
func (s *Session) First() (*Result, error) {
	if s.trial == nil {
		return s.run()
	}
	st := s.trial.fork()
	st.tried = s.after
	if err := st.runTable(behind(passes, "tile")); err != nil {
		return nil, err
	}
	s.last = st.result()
	return s.last, nil
}

// run is the schedule after what was tried.
func (s *Session) run() (*Result, error) {
	table := tableFor(s.params)
	st, err := s.begun(table)
	if err != nil {
		return nil, err
	}
	if s.params.Schedule == "" {
		s.tiled, table = st.fork(), behind(table, "tile")
	}
	if err := st.runTable(table); err != nil {
		return nil, err
	}
	s.last = st.result()
	return s.last, nil
}

// begun is a state after what was tried, as far as its tiles unless a schedule is replayed.
func (s *Session) begun(table []pass) (*state, error) {
	foreseen := s.foreseen
	s.foreseen = nil
	if foreseen != nil && s.after.nothing() {
		return foreseen, nil
	}
	st, err := newState(s.p, s.params)
	if err != nil {
		return nil, err
	}
	st.tried, st.explain = s.after, s.explain
	if s.params.Schedule == "" {
		err = st.runTable(upTo(table, "tile"))
	}
	return st, err
}

// retile is the last schedule with other kernels for the groups of Funcs that are given no extents any more; which Funcs are computed together stays. A second
// search over all of it would take as long as the first. It is nil where a group has no kernel then.
func (s *Session) retile(unproven []int) *Result {
	st := s.tiled.fork()
	st.tried = s.after
	for _, fn := range unproven {
		st.problem.Unproven[fn] = true
	}
	st.problem.Kept = plan.NewKept() // what was worked out with them
	var again []*plan.Group
	var at []int
	for i, g := range st.groups {
		if slices.ContainsFunc(unproven, g.Has) {
			again, at = append(again, g), append(at, i)
		}
	}
	found, err := st.tileGroups(again)
	if err != nil {
		return nil
	}
	for i, f := range found {
		st.found[at[i]] = f
	}
	tiled := st.fork()
	if st.asked() != nil || st.runTable(behind(passes, "tile")) != nil {
		return nil
	}
	s.tiled, s.last = tiled, st.result()
	return s.last
}

// fork is a state that may be carried on without a change to this one.
func (s *state) fork() *state {
	f := *s
	f.found, f.notes = slices.Clone(s.found), slices.Clone(s.notes)
	return &f
}

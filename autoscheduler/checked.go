package autoscheduler

import (
	"fmt"
	"slices"
	"strings"

	"gowarp/halideir"
)

// Checked is the schedule that was taken when the pipeline was dumped, where Halide made something else of the first than it has: the faults that the dump holds are answered as they were
// then (see RunnerUp). It is the first where there are none, where nobody checks, and where it comes to other schedules than then: by other parameters, or by another gowarp. A remark says so.
func (s *Session) Checked() (*Result, error) {
	first, err := s.First()
	checked := s.p.Checked
	if err != nil || len(checked) == 0 || s.params.Check == "0" || s.params.Judged() || s.params.Schedule != "" {
		return first, err
	}
	made := map[string]*Result{} // by digest
	now, said := first, []string{}
	for i := range checked {
		c := &checked[i]
		made[now.Schedule.Digest()] = now
		then := made[c.Schedule]
		if then == nil {
			break
		}
		if len(c.Faults) == 0 {
			return then.remarked("the schedule that the generator took: of the one before it " + strings.Join(said, ", and of the next one ")), nil
		}
		p := then.Problem.P
		faults := make([]Fault, len(c.Faults))
		for k, f := range c.Faults {
			faults[k] = FaultOf(f)
		}
		if then != now || slices.ContainsFunc(faults, func(f Fault) bool { return f.Func >= len(p.Funcs) }) {
			break
		}
		said = append(said, faultsSaid(p, c.Faults))
		next, err := s.RunnerUp(faults)
		if err != nil {
			return nil, err
		}
		if next != nil {
			now = next
		}
	}
	return first.remarked("not checked by Halide: the dump says what came of another schedule, of other parameters or another gowarp's; a generator may take another than this"), nil
}

// remarked is a result with a remark on the pipeline as a whole.
func (r *Result) remarked(text string) *Result {
	with := *r
	with.Notes = append(slices.Clone(r.Notes), Note{"check", -1, text})
	return &with
}

// faultsSaid says what came of a schedule.
func faultsSaid(p *halideir.Pipeline, faults []halideir.Fault) string {
	var said []string
	for _, of := range []struct {
		kind halideir.FaultKind
		form string
	}{
		{halideir.Torn, "an update of %s is not atomic"},
		{halideir.Unneeded, "no point of %s is needed"},
		{halideir.Unproven, "the extents of %s were not proven"},
		{halideir.Unbounded, "with %s inlined Halide found no bounds of what they read"},
		{halideir.Differs, "the kernel of %s came out otherwise"},
	} {
		var names []string
		for _, f := range faults {
			if f.Kind == of.kind && f.Func != halideir.WholeSchedule {
				names = append(names, p.Funcs[f.Func].Label)
			}
		}
		if len(names) > 0 {
			said = append(said, fmt.Sprintf(of.form, strings.Join(names, ", ")))
		}
	}
	if slices.ContainsFunc(faults, func(f halideir.Fault) bool { return f.Func == halideir.WholeSchedule }) {
		said = append(said, "Halide did not lower the whole of it as it was expected (HL_DEBUG_AUTOSCHEDULE=1 prints what it said)")
	}
	return strings.Join(said, ", ")
}

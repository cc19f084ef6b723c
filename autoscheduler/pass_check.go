package autoscheduler

import (
	"fmt"
	"strings"

	"gowarp/halideir"
)

// maxEstimate is the largest extent that an estimate may name: Halide's
// indices are 32-bit.
const maxEstimate = 1<<31 - 1

// maxPoints is the most points of an output that estimates may name: no GPU has memory for
// them, and products of sizes stay far inside 64 bits.
const maxPoints = 1 << 40

// checkInput refuses what cannot be scheduled: Funcs that are scheduled already,
// outputs without estimates.
func checkInput(s *state) error {
	if len(s.p.Outputs) == 0 {
		return fmt.Errorf("autoscheduler: the pipeline has no output")
	}
	for i := range s.p.Funcs {
		f := &s.p.Funcs[i]
		if len(f.Scheduled) > 0 {
			return fmt.Errorf("autoscheduler: %s is already scheduled: %s; gowarp schedules whole pipelines: remove the schedule, or wrap it in `if (!using_autoscheduler())`",
				f.Label, strings.Join(f.Scheduled, ", "))
		}
	}
	for _, id := range s.p.Outputs {
		if err := checkEstimates(s.p, &s.p.Funcs[id]); err != nil {
			return err
		}
		s.noteIdle(&s.p.Funcs[id])
	}
	return nil
}

// noteIdle says which estimates of an output are not what it is scheduled for, because a bound says otherwise.
func (s *state) noteIdle(f *halideir.Func) {
	for k := range f.Args {
		lo, n, _ := s.p.Declared(f, k)
		if e, ok := f.Estimated(k); ok && (e.Min != lo || e.Extent != n) {
			s.note("check", -1, "the estimate of %s of %s, %d points from %d, has no effect: a bound says that there are %d from %d, and that is what it is scheduled for", argLabel(f, k), f.Label, e.Extent, e.Min, n, lo)
		}
	}
}

// checkEstimates wants a sensible range for every dimension of an output.
func checkEstimates(p *halideir.Pipeline, f *halideir.Func) error {
	points := int64(1)
	for k := range f.Args {
		label := argLabel(f, k)
		_, n, ok := p.Declared(f, k)
		switch {
		case !ok:
			return fmt.Errorf("autoscheduler: output %s has no estimate in numbers of dimension %d (%s); add %s.set_estimate(%s, 0, EXTENT), or for a generator's output %s.dim(%d).set_estimate(0, EXTENT)",
				f.Label, k, label, f.Label, label, f.Label, k)
		case n < 1 || n > maxEstimate:
			return fmt.Errorf("autoscheduler: output %s: the estimate of dimension %d (%s) has extent %d; it must be from 1 to %d", f.Label, k, label, n, int64(maxEstimate))
		}
		if points > maxPoints/n {
			return fmt.Errorf("autoscheduler: output %s: the estimates of dimensions 0 to %d name more than 2^40 points, which no GPU has memory for; estimate a size that will occur", f.Label, k)
		}
		points *= n
	}
	return nil
}

// argLabel is the label of a Func's argument.
func argLabel(f *halideir.Func, k int) string {
	if len(f.Stages) > 0 {
		for _, l := range f.Stages[0].Loops {
			if l.Arg == k {
				return l.Label
			}
		}
	}
	return f.Args[k]
}

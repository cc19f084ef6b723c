package autoscheduler

import (
	"slices"

	"gowarp/halideir"
)

// Launch is a kernel that a schedule is expected to make, at the estimated sizes.
type Launch struct {
	Func, Stage     int
	Blocks, Threads [3]int64
	SharedBytes     int64
	SharedExact     bool // false: Halide sizes it at run time, SharedBytes is the most
}

// Launches are the kernels that the schedule is expected to make; what runs on the host is
// not among them.
func (r *Result) Launches() []Launch {
	var out []Launch
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.Host {
				continue
			}
			l := Launch{Func: k.Out.Func, Stage: k.Out.Stage, Blocks: k.Grid, Threads: k.Block, SharedBytes: k.SharedBytes, SharedExact: true}
			for i := range k.Members {
				if slices.Contains(k.Members[i].Bounded, false) {
					l.SharedExact = false
				}
			}
			out = append(out, l)
		}
	}
	return out
}

// WholeSchedule is the fault of a schedule of which it is not known which kernel is at fault.
const WholeSchedule = -1

// RunnerUp is Run for a pipeline of which earlier schedules did not come out as expected.
// faults[0] are the Funcs of the kernels of Run's schedule that did not, faults[1] those of
// the runner-up to it, and so on. The Funcs of such kernels get a kernel each, all others are
// fused as is best; after WholeSchedule every Func gets a kernel of its own. The
// answer is nil where this is what the schedule before was. A replayed schedule has no runner-up.
func RunnerUp(p *halideir.Pipeline, params Params, faults [][]int, explain bool) (*Result, error) {
	var apart []int
	for _, kernels := range faults {
		r, err := run(p, params, apart, false)
		if err != nil {
			return nil, err
		}
		more := r.together(kernels)
		if len(more) == 0 {
			return nil, nil
		}
		apart = append(apart, more...)
	}
	return run(p, params, apart, explain)
}

// together lists the Funcs of the groups that make the kernels, where there is more than one
// to a group; for WholeSchedule every Func, if there is any such group.
func (r *Result) together(kernels []int) []int {
	var out []int
	for _, g := range r.Groups {
		switch {
		case len(g.Members) == 0:
		case slices.Contains(kernels, WholeSchedule):
			out = out[:0]
			for fn := range r.Problem.P.Funcs {
				out = append(out, fn)
			}
			return out
		case slices.ContainsFunc(kernels, g.Has):
			out = append(append(out, g.Members...), g.Out)
		}
	}
	return out
}

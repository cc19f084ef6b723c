package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// Launch is a kernel that a schedule is expected to make, at the estimated sizes.
type Launch struct {
	Func, Stage     int
	Blocks, Threads [3]int64
	SharedBytes     int64
	SharedExact     bool  // false: Halide may take less than SharedBytes
	SharedMost      int64 // up to so much the kernel is still the one that was priced; see plan.Kernel.SharedMost
	GlobalScratch   bool  // a member is in global memory
	Launches        int64 // iterations of the host's loops around it
}

// Launches are the kernels that the schedule is expected to make; what runs on the host is
// not among them.
func (r *Result) Launches() []Launch {
	var out []Launch
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.Host || k.With != nil {
				continue
			}
			l := Launch{Func: k.Out.Func, Stage: k.Out.Stage, Blocks: k.Grid, Threads: k.Block, SharedBytes: k.SharedBytes, SharedExact: true, SharedMost: k.SharedMost(r.Problem), Launches: k.Launches()}
			for i := range k.Members {
				if m := &k.Members[i]; m.Where == plan.AtBlockGlobal {
					l.GlobalScratch = true
				} else if !m.Fixed() || slices.Contains(m.Given, true) {
					l.SharedExact = false // Halide's order of what is read at scaled places may share more
				}
			}
			out = append(out, l)
		}
	}
	return out
}

// Need is the points of an input that are read along one dimension, at the estimated sizes.
type Need struct {
	Input, Dim int
	Min, Max   int64
}

// Needs are what the pipeline reads of its inputs by the region of every Func on its own. A
// schedule may make Halide ask for more: inside an inlined Func it can lose sight of a clamp. Of inputs
// that are read, directly or not, where a reduction's predicate holds nothing is said, unless that is of partial results: what
// Halide makes of predicates depends on the schedule, also where they never hold.
func (r *Result) Needs() []Need {
	p := r.Problem.P
	predicated, unsaid := make([]bool, len(p.Funcs)), make([]bool, len(p.Inputs))
	for id := len(p.Funcs) - 1; id >= 0; id-- { // consumers first
		for s := range p.Funcs[id].Stages {
			if !predicated[id] && (p.Funcs[id].Partial || p.Funcs[id].Stages[s].Predicate == halideir.NoNode) {
				continue
			}
			for _, e := range r.Problem.Regions.Edges(id, s) {
				if e.Func >= 0 {
					predicated[e.Func] = true
				} else {
					unsaid[e.Input] = true
				}
			}
		}
	}
	var out []Need
	for id, box := range r.Problem.Regions.Inputs {
		for d, i := range box {
			if !i.IsEmpty() && !unsaid[id] {
				out = append(out, Need{id, d, i.Lo, i.Hi})
			}
		}
	}
	return out
}

// WholeSchedule is the Func of a fault of which it is not known which kernel is at fault.
const WholeSchedule = halideir.WholeSchedule

// Fault is what came out otherwise than a schedule has it.
type Fault struct {
	Func     int  // whose kernel did, or WholeSchedule
	Unneeded bool // Halide needs no point of the Func at the estimated sizes
	Torn     bool // its update was to be atomic and is not
	Unproven bool // Halide cannot prove that the extents that it is given do
	// Unbounded: with it inlined Halide finds no bounds of what it reads.
	Unbounded bool
}

// FaultOf is a fault as a dump has it.
func FaultOf(f halideir.Fault) Fault {
	return Fault{Func: f.Func, Unneeded: f.Kind == halideir.Unneeded, Torn: f.Kind == halideir.Torn, Unproven: f.Kind == halideir.Unproven, Unbounded: f.Kind == halideir.Unbounded}
}

// tried is what earlier schedules leave to the next.
type tried struct {
	unwarped  []int // Funcs whose kernels have no tiles of warps
	simple    []int // Funcs whose kernels are in the ways that need no other's
	apart     []int // Funcs that share no kernel with another
	unneeded  []int // Funcs that get no kernel
	stored    []int // Funcs that are not inlined
	summed    []int // Funcs in whose atomic operations a pass has Halide see additions, though it should by itself
	inOrder   []int // Funcs whose updates have no atomic operations
	unproven  []int // Funcs whose extents could not be proved
	unaligned []int // Funcs that were to begin at whole cells, and did not come out so
	plain     bool  // nothing is inlined
	unjoined  bool  // every kernel has a launch of its own

	unfactored bool // reductions are left as they are
	unadded    bool // additions are atomic only where Halide sees them by itself

	judged map[string]search.Judged // what a compiler or a simulator said of kernels
}

// nothing reports whether there was no earlier schedule.
func (t *tried) nothing() bool {
	return len(t.unwarped)+len(t.simple)+len(t.apart)+len(t.unneeded)+len(t.stored)+len(t.summed)+len(t.inOrder)+len(t.unproven)+len(t.unaligned) == 0 && !t.plain && !t.unfactored && !t.unadded && !t.unjoined
}

// RunnerUp is the schedule for a pipeline of which the last one did not come out as expected.
// A Func of which Halide needs no point is inlined; where it has updates, nothing else is inlined into its
// readers; and where it is still not needed it is kept on the host with them. Updates that were to be atomic are so by a pass that has Halide see additions, then only where it does by itself, then run in order. In a kernel where Halide cannot prove the extents that a Func is given none is given. A Func with which inlined Halide finds no bounds of what it reads is stored. Other kernels that are at fault have
// no tiles of warps, then a point a thread, then a kernel for each of their Funcs; all others are fused as is best; after WholeSchedule every Func gets a kernel of its own, and where that
// is so already, nothing is inlined any more. The answer is nil where this is what
// the schedule before was. A replayed schedule has no runner-up.
func (s *Session) RunnerUp(faults []Fault) (*Result, error) {
	if s.params.Schedule != "" {
		return nil, nil
	}
	r, after := s.last, &s.after
	if r.Factored && slices.ContainsFunc(faults, func(f Fault) bool { return f.Func == WholeSchedule || f.Unneeded || f.Unbounded }) {
		// Ids are others without what factoring made.
		*after = tried{unfactored: true, judged: after.judged}
		return s.run()
	}
	if torn := torn(faults); s.params.Mode == "gowarp" && !after.unadded && len(torn) > 0 {
		if r.added() {
			*after = tried{unadded: true, judged: after.judged} // likewise: others may be factored
			return s.run()
		}
		if torn = without(torn, after.summed); len(torn) > 0 {
			after.summed = append(after.summed, torn...)
			return s.run()
		}
	}
	if !after.unjoined && r.joined(faults) {
		after.unjoined = true
		return s.run()
	}
	if unaligned := r.alignedIn(faults); unaligned != nil {
		after.unaligned = append(after.unaligned, unaligned...)
		return s.run()
	}
	if s.refused(faults) {
		return s.First()
	}
	var kernels, unneeded, stored, inOrder, unproven []int
	for _, f := range faults {
		switch {
		case f.Torn && !slices.Contains(after.inOrder, f.Func):
			inOrder = append(inOrder, f.Func)
		case f.Unproven:
			if g, given := r.holder(f.Func); given {
				unproven = append(unproven, g.Members...)
			} else if g != nil {
				kernels = append(kernels, g.Out)
			}
		case f.Unbounded && r.Problem.Inlined[f.Func]:
			stored = append(stored, f.Func)
		case f.Unbounded && slices.ContainsFunc(faults, func(o Fault) bool { return o.Unbounded && r.Problem.Inlined[o.Func] }):
			// Another is at fault.
		case f.Unbounded:
			kernels = append(kernels, WholeSchedule)
		case !f.Unneeded:
			kernels = append(kernels, f.Func)
		case slices.Contains(after.unneeded, f.Func):
		case len(r.Problem.P.Funcs[f.Func].Stages) > 1 && len(r.inlinedBeside(f.Func)) > 0:
			stored = append(stored, r.inlinedBeside(f.Func)...)
		default:
			unneeded = append(unneeded, f.Func)
		}
	}
	unwarped := r.in(kernels, after.unwarped, strategy.OfWarps)
	kernels = without(kernels, unwarped)
	simple := r.in(kernels, after.simple, func(name string) bool { return !strategy.IsOtherwise(name) })
	kernels = without(kernels, simple)
	more := r.together(kernels)
	switch {
	case len(unneeded) > 0 || len(stored) > 0 || len(inOrder) > 0 || len(unproven) > 0 || len(unwarped) > 0 || len(simple) > 0 || len(more) > 0:
		after.unwarped = append(after.unwarped, unwarped...)
		after.simple = append(after.simple, simple...)
		after.inOrder = append(after.inOrder, inOrder...)
		after.unproven = append(after.unproven, unproven...)
		after.stored = append(after.stored, stored...)
		after.unneeded = append(after.unneeded, unneeded...)
		after.apart = append(after.apart, more...)
		if s.trial == nil && len(unproven) > 0 && len(unneeded)+len(stored)+len(inOrder)+len(unwarped)+len(simple)+len(more) == 0 {
			if r := s.retile(unproven); r != nil {
				return r, nil
			}
		}
	case slices.Contains(kernels, WholeSchedule) && !after.plain && slices.Contains(r.Problem.Inlined, true):
		after.plain, after.apart = true, all(r.Problem.P)
	default:
		return nil, nil
	}
	return s.run()
}

// torn are the Funcs whose updates were to be atomic and are not.
func torn(faults []Fault) (fns []int) {
	for _, f := range faults {
		if f.Torn {
			fns = append(fns, f.Func)
		}
	}
	return fns
}

// added reports whether a pass has Halide see an addition somewhere.
func (r *Result) added() bool {
	return slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Do == schedule.AtomicAddition })
}

// alignedIn are the Funcs that begin at whole cells, of the kernels at fault or of all.
func (r *Result) alignedIn(faults []Fault) []int {
	var out []int
	for _, g := range r.Groups {
		if r.Aligned[g.Out] != nil && slices.ContainsFunc(faults, func(f Fault) bool {
			_, given := r.holder(f.Func)
			return f.Func == WholeSchedule || g.Has(f.Func) && !f.Unneeded && !f.Torn && (!f.Unproven || !given)
		}) {
			out = append(out, g.Out)
		}
	}
	return out
}

// without is the kernels that are not among others.
func without(kernels, others []int) []int {
	return slices.DeleteFunc(kernels, func(fn int) bool { return slices.Contains(others, fn) })
}

// in lists the Funcs of the groups that make the kernels, where one is run by such a strategy and nobody has asked it not to be.
func (r *Result) in(kernels, asked []int, such func(strategy string) bool) []int {
	var out []int
	for i, g := range r.Groups {
		if slices.Contains(asked, g.Out) || !slices.ContainsFunc(kernels, g.Has) || slices.Contains(kernels, WholeSchedule) {
			continue
		}
		if slices.ContainsFunc(r.Found[i].Layout.Kernels, func(k *plan.Kernel) bool { return !k.Host && such(k.Strategy) }) {
			out = append(append(out, g.Members...), g.Out)
		}
	}
	return out
}

// holder is the group whose kernels store a Func other than its output, and whether the Func is given extents there.
func (r *Result) holder(fn int) (g *plan.Group, given bool) {
	for i, g := range r.Groups {
		for _, k := range r.Found[i].Layout.Kernels {
			for _, m := range k.Members {
				if m.Func == fn {
					return g, slices.Contains(m.Given, true)
				}
			}
		}
	}
	return nil, false
}

// together lists the Funcs of the groups that make the kernels, where a kernel computes more than one, inlined ones
// that a strategy stores among them; for WholeSchedule every Func, if there is any such group.
func (r *Result) together(kernels []int) []int {
	var out []int
	for i, g := range r.Groups {
		switch {
		case !slices.ContainsFunc(r.Found[i].Layout.Kernels, func(k *plan.Kernel) bool { return len(k.Members) > 0 }):
		case slices.Contains(kernels, WholeSchedule):
			return all(r.Problem.P)
		case slices.ContainsFunc(kernels, g.Has):
			out = append(append(out, g.Members...), g.Out)
		}
	}
	return out
}

// inlinedBeside lists the Funcs that are inlined, though they need not be, into stages that read a Func.
func (r *Result) inlinedBeside(fn int) []int {
	readers := r.Problem.Affected(fn)
	var out []int
	for id, inlined := range r.Problem.Inlined {
		if inlined && !r.Problem.Regions.Endless[id] && slices.ContainsFunc(r.Problem.Affected(id), func(c int) bool {
			return !r.Problem.Inlined[c] && slices.Contains(readers, c)
		}) {
			out = append(out, id)
		}
	}
	return out
}

func all(p *halideir.Pipeline) []int {
	out := make([]int, len(p.Funcs))
	for fn := range out {
		out[fn] = fn
	}
	return out
}

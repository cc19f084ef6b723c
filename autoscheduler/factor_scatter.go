package autoscheduler

import (
	"fmt"
	"slices"

	"gowarp/autoscheduler/grouping"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/halideir/rfactor"
	"gowarp/internal/plan"
)

// A scatter of atomic operations (a histogram) is factored so that each block has places of its own, in shared memory: there lanes that meet wait for each other
// and not for the whole device, and global memory sees one addition a block and place.
const (
	// scatterBlocks is how many blocks there are for each SM.
	scatterBlocks = 2
	// pointsAPlace: each block takes in so many points for each place that it clears and adds to the others' in the end.
	pointsAPlace = 4
)

// keepScatter is keep for a scatter. There is a partial result for each of some interleaved parts of the longest loop that does not go along memory: neighbouring threads of a block
// then load neighbours.
func (s *state) keepScatter(step *rfactor.Step, a *access.Analysis, box bounds.Box) (why string) {
	f := &s.p.Funcs[step.Func]
	st := &f.Stages[step.Stage]
	// Their places are shared memory only in one kernel with their copy.
	if _, apart := s.grouping.(grouping.None); apart || !slices.Contains(s.strategies, strategy.Strategy(strategy.BlockPrivate{})) {
		return ""
	}
	if f.Partial || !s.atomicScatter(step, a) {
		return ""
	}
	parallel, serial, kept := int64(1), int64(1), -1
	along := alongMemory(st, a.Stage(step.Func, step.Stage), step.Func, box, true)
	for l, loop := range st.Loops {
		n := &serial
		if loop.Arg >= 0 {
			n = &parallel
		} else if l != along && (kept < 0 || box[l].Extent() >= box[kept].Extent()) {
			kept = l
		}
		if box[l].Extent() < 1 || *n > maxPoints/box[l].Extent() {
			return ""
		}
		*n *= box[l].Extent()
	}
	places := int64(1)
	for k, arg := range st.Args {
		if rfactor.OwnPlace(s.p, arg, k) {
			continue
		}
		iv, ok := s.analysis.regions.Constant(s.p, step.Func, k)
		if !ok || iv.Extent() > s.limits().SharedBytes/places {
			return ""
		}
		places *= iv.Extent()
	}
	if along < 0 || kept < 0 || parallel >= fewParallel || places*f.Types[0].Bytes() > s.limits().SharedBytes {
		return ""
	}
	parts := min(scatterBlocks*int64(s.device.SMs)/parallel, serial/(pointsAPlace*places), box[kept].Extent()/2)
	if parts < 2 || parts*parallel*idleShare < int64(s.device.SMs) {
		return ""
	}
	step.Lane = -1
	step.Kept = []rfactor.Kept{{RVar: st.Loops[kept].RVar, Factor: divisor(box[kept].Extent(), parts, 1)}}
	return fmt.Sprintf("%d points fall into %d places; %d blocks have places of their own in shared memory", parallel*serial, parallel*places, step.Kept[0].Factor*parallel)
}

// atomicScatter reports whether the partial results' update is made of atomic operations, whatever is inlined into it.
func (s *state) atomicScatter(step *rfactor.Step, a *access.Analysis) bool {
	pr := plan.NewProblem(s.p)
	pr.Access = a
	for id := range pr.Inlined {
		pr.Inlined[id] = true
	}
	f := &s.p.Funcs[step.Func]
	return atomicUpdate(pr, f, &f.Stages[step.Stage])
}

// sumsScatters reports whether an update adds up partial results of a scatter.
func (s *state) sumsScatters(fn, stage int) bool {
	for _, e := range s.analysis.regions.Edges(fn, stage) {
		if e.Func > 0 && s.p.Funcs[e.Func].Partial && rfactor.Scatters(s.p, &s.p.Funcs[e.Func-1]) {
			return true
		}
	}
	return false
}

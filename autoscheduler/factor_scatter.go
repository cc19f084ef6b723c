package autoscheduler

import (
	"fmt"
	"math"
	"slices"

	"gowarp/autoscheduler/grouping"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/halideir/rfactor"
	"gowarp/internal/plan"
)

// A scatter of atomic operations (a histogram) is factored so that each block has places of its own, in shared memory: there lanes that meet wait for each other
// and not for the whole device, and global memory sees one addition a block and place. Any other scatter (of floats, of bytes, of the greatest) runs in order, and is factored so that
// each thread has places of its own, in global memory.
const (
	// scatterBlocks is how many blocks there are for each SM.
	scatterBlocks = 2
	// pointsAPlace: each block takes in so many points for each place that it clears and adds to the others' in the end.
	pointsAPlace = 4
	// More threads pay sooner than more blocks: each of a thread's points waits for the one before, which takes as long as the device takes to clear so many places and to add them up,
	waitOfPlaces = 4000
	// and for each point there are at most so many places of all threads together, which are memory: no more of it than this, in bytes.
	placesAPoint    = 16
	mostOfAllPlaces = 64 << 20
)

// keepScatter is keep for a scatter.
func (s *state) keepScatter(step *rfactor.Step, r *bounds.Regions, a *access.Analysis, box bounds.Box) (why string) {
	fn, st := step.Func, step.Stage
	if s.p.Funcs[fn].Partial {
		return ""
	}
	if s.atomicScatter(fn, st, a, false) {
		if why := s.keepBlocks(step, a, box); why != "" {
			return why
		}
	}
	stage := &s.p.Funcs[fn].Stages[st]
	// As it is, all at once; with a condition that reads it would be a thread a block, since it is not split.
	if !rfactor.ConditionReads(s.p, stage) && s.atomicScatter(fn, st, a, true) {
		return ""
	}
	most := s.mostScatters(fn, st, r, box)
	// Where a warp of iterations or more never meet, threads have whole cells or columns (strategies block-cells and block-columns), or a histogram each, if that is not a block's threads for a long domain.
	if besides, serial := iterations(stage, box); most < 2 || besides >= narrowLoop && (besides >= fewParallel || !s.leavesIdle(besides, serial)) {
		return ""
	}
	return s.keep(step, stage, a.Stage(fn, st), box, most)
}

// keepBlocks is keep for a scatter of atomic operations. There is a partial result for each of some interleaved parts of the longest loop that does not go along memory: neighbouring threads of a block
// then load neighbours.
func (s *state) keepBlocks(step *rfactor.Step, a *access.Analysis, box bounds.Box) (why string) {
	f := &s.p.Funcs[step.Func]
	st := &f.Stages[step.Stage]
	// Their places are shared memory only in one kernel with their copy.
	if _, apart := s.grouping.(grouping.None); apart || !slices.Contains(s.strategies, strategy.Strategy(strategy.BlockPrivate{})) {
		return ""
	}
	parallel, serial, kept := int64(1), int64(1), -1
	along := alongMemory(st, a.Stage(step.Func, step.Stage), step.Func, box, true)
	for l, loop := range st.Loops {
		n := &serial
		if loop.Kind.Parallel() {
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
	return fmt.Sprintf("%d points fall into %d places; %d blocks have places of their own", parallel*serial, parallel*places, step.Kept[0].Factor*parallel)
}

// atomicScatter reports whether the partial results' update is made of atomic operations, whatever is inlined into it; asWritten is for the update itself, should it be
// left as it is.
func (s *state) atomicScatter(fn, stage int, a *access.Analysis, asWritten bool) bool {
	pr := plan.NewProblem(s.p)
	pr.Access = a
	for id := range pr.Inlined {
		pr.Inlined[id] = true
	}
	f := &s.p.Funcs[fn]
	st := f.Stages[stage]
	if !asWritten && !rfactor.AsWritten(s.p, &st) {
		st.Values, st.Associative, st.Commutative = st.Restated, true, true
	}
	return s.atomic(pr, f, &st)
}

// mostScatters is how many partial results of a scatter in order pay: each has all places, which are cleared and added up in the end.
func (s *state) mostScatters(fn, stage int, r *bounds.Regions, box bounds.Box) int64 {
	st := &s.p.Funcs[fn].Stages[stage]
	points, places, all := domainPoints(st, box), int64(1), int64(1)
	for k, arg := range st.Args {
		n := r.Funcs[fn][k].Extent()
		all = times(all, n)
		if !rfactor.OwnPlace(s.p, arg, k) {
			places = times(places, n)
		}
	}
	return min(placesAPoint*points/places, mostOfAllPlaces/(all*s.p.Funcs[fn].Bytes()), int64(math.Sqrt(waitOfPlaces*float64(points)/float64(places))))
}

// domainPoints is how many points the domain of a stage has, 1 for none, up to maxPoints.
func domainPoints(st *halideir.Stage, box bounds.Box) int64 {
	points := int64(1)
	for l, loop := range st.Loops {
		if loop.RVar >= 0 {
			points = times(points, box[l].Extent())
		}
	}
	return points
}

// sumsBlocks reports whether an update adds up what blocks have scattered.
func (s *state) sumsBlocks(fn, stage int, a *access.Analysis) bool {
	for _, e := range s.analysis.regions.Edges(fn, stage) {
		if e.Func >= 0 && s.copiesScatter(e.Func) && s.atomicScatter(e.Func-1, 1, a, true) {
			return true
		}
	}
	return false
}

// copiesScatter reports whether a Func is the copy of a scatter's partial results. Blocks copy what they have in shared memory; threads scatter into
// global memory, where a copy is of no use.
func (s *state) copiesScatter(id int) bool {
	return id > 0 && s.p.Funcs[id].Partial && len(s.p.Funcs[id].Stages) == 1 && rfactor.Scatters(s.p, &s.p.Funcs[id-1])
}

package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

const (
	// manyTurns of a reduction's loops outweigh a store whose neighbours are apart.
	manyTurns = 16
	// muchFewer is how many times fewer sectors another loop has to load.
	muchFewer = 2
	// fewestLanes is how many iterations a loop has at least along which neighbouring threads lie.
	fewestLanes = 8
)

// laneOf is the loop along which neighbouring threads lie where a stage reduces, or copies what a Func reduces to that nobody else reads: where that loads far fewer sectors along another loop than along
// the one along which memory is contiguous, it is that one (sad(bx, by, dx, dy), which adds up in(16 bx + r.x + dx, …): neighbours along bx load 16 bytes apart). It is -1 where contiguity decides.
func (s *state) laneOf(id, stage int, extent []int64, whole []bool) int {
	f := &s.p.Funcs[id]
	pr := s.problem
	stay := contiguous(&f.Stages[stage])
	if s.params.Mode != "gowarp" || f.Partial || stay < 0 || !pr.PureLoops(id, stage) {
		return -1
	}
	of := []access.StageRef{{Func: id, Stage: stage}}
	if len(f.Stages) == 1 {
		for _, m := range pr.Access.Producers(id) {
			mf := &s.p.Funcs[m]
			readers := pr.Access.Consumers(m)
			if len(mf.Stages) == 1 || mf.Output || len(mf.Args) != len(f.Args) || len(readers) != 1 || !pr.Access.Stage(id, 0).Pointwise(m) {
				continue
			}
			for st := range mf.Stages {
				if !pr.PureLoops(m, st) {
					return -1
				}
				of = append(of, access.StageRef{Func: m, Stage: st})
			}
		}
	}
	boxes, turns := make([]bounds.Box, len(of)), int64(1)
	for i, at := range of {
		box, err := pr.Regions.Loops(s.p, at.Func, at.Stage)
		if err != nil {
			return -1
		}
		boxes[i] = box
		turns = max(turns, domainPoints(&s.p.Funcs[at.Func].Stages[at.Stage], box))
	}
	if turns < manyTurns {
		return -1
	}
	loops := f.Stages[stage].Loops
	total := make([]float64, len(loops))
	for i, at := range of {
		s.addSectors(total, loops, at, boxes[i])
	}
	bytes := float64(f.Bytes())
	best := stay
	for l := range loops {
		apart := float64(min(plan.WarpLanes, extent[l]))
		if l == stay {
			apart = min(apart, bytes)
		}
		total[l] += apart
		if l != stay && loops[l].Arg >= 0 && loops[l].Kind.Parallel() && !whole[l] && extent[l] >= fewestLanes && total[l] < total[best] {
			best = l
		}
	}
	if best == stay || total[stay] < muchFewer*total[best] {
		return -1
	}
	return best
}

// addSectors adds, for each of some loops over the arguments of a Func, how many sectors a warp asks for whose lanes lie along it while it runs through a stage's domain; the stage is of that Func or of one
// that it reads at its own points.
func (s *state) addSectors(total []float64, loops []halideir.Loop, at access.StageRef, box bounds.Box) {
	pr := s.problem
	st := &s.p.Funcs[at.Func].Stages[at.Stage]
	turns := domainPoints(st, box)
	taps := pr.Expand[pr.StageIndex(at.Func, at.Stage)].Loads
	for l := range total {
		along := slices.IndexFunc(st.Loops, func(o halideir.Loop) bool { return o.Arg >= 0 && o.Arg == loops[l].Arg })
		if along < 0 {
			continue
		}
		for i := range taps {
			t := &taps[i]
			switch {
			case t.Func == at.Func || t.Func >= 0 && turns == 1:
			case t.Func >= 0:
				total[l] += float64(turns) * sectors(t, pr.Regions.Funcs[t.Func], along, box[along].Extent())
			default:
				total[l] += float64(turns) * sectors(t, pr.Regions.Inputs[t.Input], along, box[along].Extent())
			}
		}
	}
}

// sectors is how many of global memory, of 32 bytes, the lanes of a warp load from that lie along a loop of so many iterations.
func sectors(t *plan.Tap, of bounds.Box, loop int, extent int64) float64 {
	lanes := float64(min(plan.WarpLanes, extent))
	apart, pitch := int64(0), t.Bytes
	for d := range t.Index {
		x := &t.Index[d]
		if x.DependsOn(loop) {
			terms, ok := x.Terms()
			if !ok && (x.Kind != access.Affine || x.DataDependent) {
				return lanes / 2 // somewhere
			}
			for _, term := range terms {
				if term.Loop == loop {
					apart += term.Num * pitch / max(1, x.Den)
				}
			}
		}
		if d < len(of) {
			pitch *= max(1, of[d].Extent())
		}
	}
	return max(1, min(lanes, lanes*float64(max(apart, -apart))/instructions.SectorBytes))
}

package autoscheduler

import (
	"fmt"
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/internal/plan"
)

// Store implements grouping.Inliner: a Func that was to be computed in its readers has a kernel of its own.
func (s *state) Store(id int) (keep func(gain float64), undo func()) {
	pr := s.problem
	if !coster.TellsPoints(s.coster) || !s.storable(id) {
		return nil, nil
	}
	inlined := s.busy(id)
	kept := pr.Kept
	pr.Kept = kept.Anew() // what was worked out with it in its readers
	back := s.setInlined(id, false)
	s.expand(id, 0)
	undo = func() {
		back()
		pr.Kept = kept
	}
	tables := s.problem.Expand[s.problem.StageIndex(id, 0)].Unrolled != 0 // which are constants in its readers only
	if tables || inlined-s.busy(id) <= s.moving(id) || slices.Contains(s.dead(), id) {
		undo()
		return nil, nil
	}
	return func(gain float64) {
		r := s.inlines[id]
		r.Inlined, r.Why = false, fmt.Sprintf("keeping it gains %.4g over computing it in the kernels that read it", gain)
		s.inlines[id] = r
		s.note("group", id, "stored: %s", r.Why)
	}, undo
}

// storable reports whether an inlined Func may have a kernel of its own. Where the user bounds one that is stored, its readers may ask for no more.
func (s *state) storable(id int) bool {
	return len(s.p.Funcs[id].Bounds) == 0 && !s.problem.Regions.Endless[id] && s.notInlinable(id) == "" && len(s.p.Funcs[id].Types) == 1 && !slices.Contains(s.tried.unneeded, id)
}

// busy is for how many seconds the stages that read a Func, with what is inlined in place, keep integer units busy at most: each point by
// itself, of a tile in shared memory with its halo.
func (s *state) busy(id int) float64 {
	m := s.machine
	sum := 0.0
	for _, c := range s.problem.Affected(id) {
		if s.problem.Inlined[c] {
			continue
		}
		for st := range s.p.Funcs[c].Stages {
			sum += s.points(c, st) * instructions.OfPoint(s.problem, c, st)
		}
	}
	return sharedOverlap * sum / plan.WarpLanes / (m.SMs * m.Integer * m.ClockHz)
}

// moving is how many seconds it takes at least to write a Func to memory and to read it once; 0 where no bandwidth is known.
func (s *state) moving(id int) float64 {
	bandwidth := s.machine.DRAMBytesPerSecond
	if bandwidth <= 0 {
		return 0
	}
	return 2 * s.points(id, 0) * float64(s.problem.Bytes(id)) / bandwidth
}

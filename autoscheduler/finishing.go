package autoscheduler

import "gowarp/halideir/access"

// finishes reports whether a Func is what the results of a reduction go through to those that read them elsewhere than at the points of their own, or several times: it reads them at its own points
// alone. In one kernel with it, the reduction runs in its threads' registers; in its readers' place it would leave the reduction to a kernel of its own, which loads and stores its values in
// every iteration. A reader that takes its values point by point may take the reduction as well.
func (s *state) finishes(id int) bool {
	if s.params.Mode != "gowarp" {
		return false
	}
	reads := false
	for _, l := range s.problem.Expand[s.problem.StageIndex(id, 0)].Reads {
		if s.reduces(l) {
			if !s.pointwise(id, 0, l) {
				return false
			}
			reads = true
		}
	}
	if !reads {
		return false
	}
	readers := s.readers(id)
	for _, r := range readers {
		if r.fn != readers[0].fn || r.stage != 0 || !s.pointwise(r.fn, 0, id) {
			return true
		}
	}
	return len(readers) == 0
}

// reduces reports whether a Func has updates, all of which change the points that their own loops are at, in threads enough to fill the device: what has fewer is for trees.
func (s *state) reduces(id int) bool {
	f := &s.p.Funcs[id]
	for j := 1; j < len(f.Stages); j++ {
		box, err := s.problem.Regions.Loops(s.p, id, j)
		if err != nil || !s.problem.PureLoops(id, j) || s.leavesIdle(iterations(&f.Stages[j], box)) {
			return false
		}
	}
	return len(f.Stages) > 1
}

// pointwise reports whether a stage, with what is inlined in place, reads a Func only at the points that it stores.
func (s *state) pointwise(fn, stage, of int) bool {
	st, store := &s.p.Funcs[fn].Stages[stage], s.problem.Access.Stage(fn, stage).Store
	for _, t := range s.problem.Expand[s.problem.StageIndex(fn, stage)].Loads {
		if t.Func == of && !access.OwnPoint(st, store, t.Index) {
			return false
		}
	}
	return true
}

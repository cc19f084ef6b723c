package autoscheduler

import (
	"fmt"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
	"gowarp/internal/workers"
)

// Bounds of inlining. Halide expands inlined definitions as trees before it finds
// what they share, and takes seconds over tens of thousands of operations.
const (
	maxInlinedTree = 5000 // operations and loads of such a tree
	trivialOps     = 1    // Sioutas et al. 2020, section 4.1: "a low arithmetic cost"
	maxInlinedOps  = 2000 // operations a point of a stage with everything in place
	sharedOverlap  = 1.5  // points a Func in shared memory computes for one it stands for: a 16x16 tile with a halo of 3 or 4
	maxInlineSteps = 10000
)

// inline marks the Funcs that are computed where they are used (Sioutas et al. 2020,
// section 4.1): those that only move data, those of at most one operation, those read
// no more often than they have points, and those that are cheaper to compute again than to
// store and load, by the coster's own prices of memory and arithmetic.
func inline(s *state) error {
	pr := s.problem
	s.leaves = leavesUnread(s.p)
	for id := range s.p.Funcs {
		for st := range s.p.Funcs[id].Stages {
			s.expand(id, st)
		}
	}
	for id, endless := range pr.Regions.Endless {
		if endless {
			s.setInlined(id, true)
			s.inlines[id] = InlineReason{Inlined: true, Why: "it is read at indices without an end"}
			s.note("inline", id, "%s", s.inlines[id].Why)
		}
	}
	s.avoidUnneeded()
	s.fold()
	for _, id := range s.dead() {
		if s.notInlinable(id) == "" {
			s.leaveAway(id, "nothing reads it once what is called with it is computed in its readers")
		}
	}
	// Consumers first: what a Func costs its readers depends on who reads it
	// once those between are in place. Repeat until nothing changes.
	for changed, steps := true, 0; changed; {
		changed = false
		for id := len(s.p.Funcs) - 1; id >= 0 && steps < maxInlineSteps; id-- {
			if pr.Inlined[id] || s.notInlinable(id) != "" {
				continue
			}
			steps++
			r := s.worthInlining(id)
			if r.Inlined {
				if why := s.tryInline(id); why != "" {
					r.Inlined, r.Why = false, why
				}
			}
			s.inlines[id] = r
			if r.Inlined {
				s.note("inline", id, "%s", r.Why)
				changed = true
			}
		}
	}
	return nil
}

// avoidUnneeded keeps the Funcs of which Halide needs no point at the estimated sizes out of
// kernels: a launch over no blocks fails, the CUDA runtime aborts where a buffer of no bytes is to be copied to
// the device, and Halide may leave the Func away while its readers' kernels still refer to it.
func (s *state) avoidUnneeded() {
	var host []int
	for _, id := range s.tried.unneeded {
		if s.problem.Inlined[id] {
			continue
		}
		why := s.notInlinable(id)
		if why == "" {
			why = s.tryInline(id)
		}
		if why != "" {
			host = append(host, id)
			continue
		}
		s.inlines[id] = InlineReason{Inlined: true, Why: "Halide needs no point of it at the estimated sizes"}
		s.note("inline", id, "%s", s.inlines[id].Why)
	}
	keep := func(id int, why string) {
		if s.problem.Host[id] == "" {
			s.problem.Host[id] = why
		}
	}
	for _, id := range host {
		keep(id, "Halide needs no point of it at the estimated sizes, and an empty buffer cannot go to a GPU")
		for _, c := range s.problem.Affected(id) {
			if !s.problem.Inlined[c] {
				keep(c, fmt.Sprintf("it reads %s, of which Halide needs no point at the estimated sizes, and an empty buffer cannot go to a GPU", s.p.Funcs[id].Label))
			}
		}
	}
}

func (s *state) expand(fn, stage int) {
	s.problem.Expand[s.problem.StageIndex(fn, stage)] = plan.ExpandStage(s.p, s.problem.Access, s.problem.Inlined, s.problem.Folded, fn, stage)
}

// reader is a stage that is not inlined and loads a Func, how often a point, and over how
// many points.
type reader struct {
	fn, stage int
	taps      int64
	points    float64
}

func (s *state) readers(id int) []reader {
	var out []reader
	for _, c := range s.problem.Affected(id) {
		if s.problem.Inlined[c] {
			continue
		}
		for st := range s.p.Funcs[c].Stages {
			taps := int64(0)
			for _, t := range s.problem.Expand[s.problem.StageIndex(c, st)].Loads {
				if t.Func == id {
					taps++
				}
			}
			if taps > 0 {
				out = append(out, reader{c, st, taps, s.points(c, st)})
			}
		}
	}
	return out
}

// points is the number of iterations of a stage at the estimates.
func (s *state) points(fn, stage int) float64 {
	box, err := s.problem.Regions.Loops(s.p, fn, stage)
	if err != nil {
		return 0
	}
	return float64(box.Points())
}

// worthInlining says whether a Func should be inlined, and why.
func (s *state) worthInlining(id int) InlineReason {
	st := s.problem.Access.Stage(id, 0)
	ex := s.problem.Expand[s.problem.StageIndex(id, 0)]
	switch {
	case s.finishes(id):
		return InlineReason{Why: "a reduction whose results it reads runs in its threads' registers"}
	case st.Copy:
		return InlineReason{Inlined: true, Why: "it only moves data"}
	case st.Value.Total() <= trivialOps && len(st.Loads) <= 1:
		return InlineReason{Inlined: true, Why: "it is at most one operation on one value"}
	}
	if s.sharedInThread(id) {
		return InlineReason{Why: "threads share what they read of it in registers"}
	}
	readers := s.readers(id)
	why := InlineReason{Points: s.points(id, 0)}
	before := 0.0
	for _, r := range readers {
		why.Reads += r.points * float64(r.taps)
		before += r.points * s.work(r.fn, r.stage)
	}
	switch {
	case len(readers) == 0:
		why.Why = "it is read only by what is inlined and unread itself"
		return why
	case why.Reads <= why.Points:
		why.Inlined, why.Why = true, "it is read no more often than it has points"
		return why
	case ex.Saturated:
		why.Why = "its expression is too large"
		return why
	}
	// The same stages with it in place, to see what they then share.
	undo := s.setInlined(id, true)
	after := 0.0
	for _, r := range readers {
		if s.tooLarge(r.fn, r.stage) {
			undo()
			why.Why = "a stage that reads it would become too large"
			return why
		}
		after += r.points * s.work(r.fn, r.stage)
	}
	undo()

	bytes := float64(s.problem.Bytes(id))
	load := s.loadCost(id, -1, bytes)
	self := s.work(id, 0)
	why.Again = after - before
	why.Global = why.Points * (self + load)
	why.Shared = why.Points*sharedOverlap*(self+bytes*coster.SharedCost) + why.Reads*(bytes*coster.SharedCost-load)
	why.Inlined, why.Why = why.Again <= min(why.Global, why.Shared), "keeping it costs less than computing it again"
	if why.Inlined {
		why.Why = "computing it again costs less than keeping it"
	}
	return why
}

// work is the cost of one point of a stage in Listing 1's units: an operation is one,
// a byte of global memory coster.GlobalByte, divided by a full transaction.
func (s *state) work(fn, stage int) float64 {
	ex := s.problem.Expand[s.problem.StageIndex(fn, stage)]
	w := float64(ex.Ops)
	for i := range ex.Loads {
		w += s.loadCost(ex.Loads[i].Func, ex.Loads[i].Input, float64(ex.Loads[i].Bytes))
	}
	return w
}

func (s *state) loadCost(fn, input int, bytes float64) float64 {
	return bytes * coster.GlobalByte(s.problem.BufferBytes(fn, input)) / coster.TransactionBytes
}

func (s *state) tooLarge(fn, stage int) bool {
	ex := s.problem.Expand[s.problem.StageIndex(fn, stage)]
	return ex.Saturated || ex.Ops > maxInlinedOps || ex.Tree > maxInlinedTree
}

// setInlined changes the mark and expands again every stored stage that may see it. undo puts back what was, if nothing was changed since.
func (s *state) setInlined(id int, on bool) (undo func()) {
	pr := s.problem
	type stage struct{ fn, stage int }
	was, stages, before := pr.Inlined[id], []stage(nil), []*plan.Expand(nil)
	pr.Inlined[id] = on
	for _, c := range pr.Affected(id) {
		if pr.Inlined[c] {
			continue // computed in its readers: it has no expansion of its own that counts
		}
		for st := range s.p.Funcs[c].Stages {
			stages, before = append(stages, stage{c, st}), append(before, pr.Expand[pr.StageIndex(c, st)])
		}
	}
	workers.Each(len(stages), func(i int) { s.expand(stages[i].fn, stages[i].stage) })
	return func() {
		pr.Inlined[id] = was
		for i, st := range stages {
			pr.Expand[pr.StageIndex(st.fn, st.stage)] = before[i]
		}
	}
}

// tryInline inlines the Func, or says why not: a stage would become too large, or Halide would
// not survive what then is unread.
func (s *state) tryInline(id int) (why string) {
	undo, why := s.tryInlineUndo(id)
	if why != "" || !s.leaves[id] {
		return why
	}
	dead := s.dead()
	for _, f := range dead {
		if why := s.notInlinable(f); why != "" {
			undo()
			return fmt.Sprintf("nothing would read %s any more, which has to be computed: %s", s.p.Funcs[f].Label, why)
		}
	}
	for _, f := range dead {
		s.leaveAway(f, fmt.Sprintf("nothing reads it once %s is computed in its readers", s.p.Funcs[id].Label))
	}
	return ""
}

// leaveAway inlines a Func that nothing reads any more, so that it is computed nowhere.
func (s *state) leaveAway(id int, why string) {
	s.setInlined(id, true)
	s.inlines[id] = InlineReason{Inlined: true, Why: why}
	s.note("inline", id, "%s", why)
}

// tryInlineUndo is tryInline with what takes it back, if nothing was changed since. What nothing reads then is left as it was.
func (s *state) tryInlineUndo(id int) (undo func(), why string) {
	undo = s.setInlined(id, true)
	for _, c := range s.problem.Affected(id) {
		for st := range s.p.Funcs[c].Stages {
			if !s.problem.Inlined[c] && s.tooLarge(c, st) {
				undo()
				return nil, "a stage that reads it would become too large"
			}
		}
	}
	return undo, ""
}

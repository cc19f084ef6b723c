package autoscheduler

import (
	"fmt"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
)

// group partitions the Funcs.
func group(s *state) error {
	s.searcher = &search.Searcher{Problem: s.problem, Coster: s.coster, Strategies: s.strategies, Options: s.options, Effort: s.effort, Explain: s.explain, Simple: s.tried.simple, Unwarped: s.tried.unwarped, Symmetric: search.NewSymmetric(s.problem)}
	s.searcher.ByModel = s.coster == (coster.Algorithm2{}) && s.params.Tiling == "warp"
	if s.coster == (coster.Algorithm2{}) {
		if why := coster.BorrowedWeights(s.problem); why != "" {
			s.note("group", -1, "%s", why)
		}
	}
	groups, merges, err := s.grouping.Group(s.searcher, s)
	if err != nil {
		return err
	}
	for _, text := range s.searcher.Remarks {
		s.note("group", -1, "%s", text)
	}
	for _, m := range merges {
		switch {
		case m.Refused != "" && m.Consumer < 0:
			s.note("group", m.Producer, "a kernel of its own: %s", m.Refused)
			continue
		case m.Refused != "":
			s.note("group", m.Producer, "not merged into the kernel of %s: %s", s.p.Funcs[m.Consumer].Label, m.Refused)
			continue
		}
		for _, with := range m.With {
			s.note("group", with, "merged with %s", s.p.Funcs[m.Producer].Label)
		}
		s.note("group", m.Producer, "merged into the kernel of %s: gains %.4g, which then costs %.4g", s.p.Funcs[m.Consumer].Label, m.Gain, m.Cost)
	}
	s.groups, s.merges = groups, merges
	return nil
}

// Inline implements grouping.Inliner: a Func that is a kernel of its own is computed in its readers.
func (s *state) Inline(id int) (keep func(gain float64), undo func()) {
	pr := s.problem
	if pr.Apart[id] || s.notInlinable(id) != "" || s.sharedInThread(id) {
		return nil, nil
	}
	kept, cells := pr.Kept, pr.Cells
	pr.Kept = kept.Anew() // what was worked out with it in memory
	back, _ := s.tryInlineUndo(id)
	if back != nil && s.leaves[id] && len(s.dead()) > 0 { // which have groups
		back()
		back = nil
	}
	if back == nil {
		pr.Kept = kept
		return nil, nil
	}
	if cells != nil {
		pr.SetCellsLater(s.heldCells())
	}
	undo = func() {
		back()
		pr.Kept, pr.Cells = kept, cells
	}
	return func(gain float64) {
		r := s.inlines[id]
		r.Inlined, r.Why = true, fmt.Sprintf("computing it again in every kernel that reads it gains %.4g", gain)
		r.Again, r.Global, r.Shared = 0, 0, 0 // another pass's, which had it kept
		s.inlines[id] = r
		s.note("group", id, "inlined: %s", r.Why)
	}, undo
}

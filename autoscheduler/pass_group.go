package autoscheduler

import (
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
)

// group partitions the Funcs.
func group(s *state) error {
	s.searcher = &search.Searcher{Problem: s.problem, Coster: s.coster, Strategies: strategy.All, Options: s.options}
	groups, merges, err := s.grouping.Group(s.searcher)
	if err != nil {
		return err
	}
	for _, m := range merges {
		s.note("group", m.Producer, "merged into the kernel of %s: gains %.4g, which then costs %.4g", s.p.Funcs[m.Consumer].Label, m.Gain, m.Cost)
	}
	s.groups = groups
	return nil
}

package autoscheduler

import "gowarp/autoscheduler/search"

// group partitions the Funcs.
func group(s *state) error {
	s.searcher = &search.Searcher{Problem: s.problem, Coster: s.coster, Strategies: s.strategies, Options: s.options, Explain: s.explain}
	groups, merges, err := s.grouping.Group(s.searcher)
	if err != nil {
		return err
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
		s.note("group", m.Producer, "merged into the kernel of %s: gains %.4g, which then costs %.4g", s.p.Funcs[m.Consumer].Label, m.Gain, m.Cost)
	}
	s.groups, s.merges = groups, merges
	return nil
}

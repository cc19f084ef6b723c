package autoscheduler

import (
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// tile chooses every group's final strategy and tile.
func tile(s *state) error {
	if s.params.Judged() { // the groups are those of the cost alone
		s.searcher.Few = s.effort.Few()
	}
	for _, g := range s.groups {
		f, err := s.tileGroup(g)
		if err != nil {
			return err
		}
		s.found = append(s.found, f)
	}
	return s.asked()
}

func (s *state) tileGroup(g *plan.Group) (*search.Found, error) {
	f, err := s.searcher.Best(g, coster.Final)
	if err == nil && f.Reject != "" {
		s.note("tile", g.Out, "the best there is, though %s", f.Reject)
	}
	return f, err
}

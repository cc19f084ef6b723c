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
	found, err := s.tileGroups(s.groups)
	if err != nil {
		return err
	}
	s.found = found
	return s.asked()
}

// tileGroups is the final search for some groups, an error where there is nothing for one of them.
func (s *state) tileGroups(groups []*plan.Group) ([]*search.Found, error) {
	found := make([]*search.Found, len(groups))
	for i, a := range s.searcher.BestOfEach(groups, coster.Final, func(a *search.Answer) bool { return a.Err == nil }) {
		if a.Err != nil {
			return nil, a.Err
		}
		if a.Reject != "" {
			s.note("tile", groups[i].Out, "the best there is, though %s", a.Reject)
		}
		found[i] = a.Found
	}
	return found, nil
}

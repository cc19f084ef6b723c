package grouping

import (
	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// None computes every Func in a kernel of its own.
type None struct{}

// Name implements Grouping.
func (None) Name() string { return "none" }

// Group implements Grouping.
func (None) Group(s *search.Searcher, _ Inliner) ([]*plan.Group, []Merge, error) {
	return remaining(singles(s.Problem)), nil, nil
}

package grouping

import (
	"slices"

	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// None computes every Func in a kernel of its own.
type None struct{}

// Name implements Grouping.
func (None) Name() string { return "none" }

// Group implements Grouping.
func (None) Group(s *search.Searcher, _ Inliner) ([]*plan.Group, []Merge, error) {
	return slices.DeleteFunc(singles(s.Problem), func(g *plan.Group) bool { return g == nil }), nil, nil
}

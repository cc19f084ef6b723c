package grouping

import (
	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// Auto groups by Interval where there are few Funcs to group, and by Greedy where there are many: a chain of five is looked at whole in some ten milliseconds, for which pair by pair is no match, where a pyramid's fifty
// take a quarter of a second and cost no less by the prediction (RATIONALE.md, "Few Funcs are grouped by intervals").
type Auto struct{}

// mostLookedAtWhole is how many Funcs that are not inlined are few.
const mostLookedAtWhole = 8

// Name implements Grouping.
func (Auto) Name() string { return "auto" }

// Group implements Grouping.
func (Auto) Group(s *search.Searcher, in Inliner) ([]*plan.Group, []Merge, error) {
	if len(remaining(singles(s.Problem))) <= mostLookedAtWhole {
		return Interval{}.Group(s, in)
	}
	return Greedy{}.Group(s, in)
}

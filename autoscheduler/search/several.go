package search

import (
	"slices"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
	"gowarp/internal/workers"
)

// Answer is what Best says of a group.
type Answer struct {
	*Found
	Err error
}

// Valid reports whether there is a layout that the coster has nothing against.
func (a *Answer) Valid() bool { return a.Err == nil && a.Found.Valid() }

// BestOfEach is Best of several groups, each another one, side by side. It is the same for any number of workers: what is kept while a group is priced hangs on
// that group alone. Of groups that are symmetric the first is searched for, and the others are run as it is. Behind the first answer of which more, if it is not nil, reports false none is wanted, and none is returned.
func (s *Searcher) BestOfEach(groups []*plan.Group, ph coster.Phase, more func(a *Answer) bool) []Answer {
	answers, evaluated := make([]Answer, len(groups)), make([]int, len(groups))
	keys := make([]string, len(groups))
	wanted := func(a *Answer) bool { return more == nil || more(a) }
	answer := func(i int) bool {
		a := &answers[i]
		if a.Found = s.again(groups[i], keys[i], ph); a.Found == nil {
			one := *s
			one.Evaluated = 0
			a.Found, a.Err = one.Best(groups[i], ph)
			evaluated[i] = one.Evaluated
		}
		return wanted(a)
	}
	// Those that are the first of their kind, then the others, as far as something is wanted behind the first.
	var first, others []int
	seen := map[string]bool{}
	for i, g := range groups {
		if keys[i] = s.symmetricTo(g, ph); seen[keys[i]] {
			others = append(others, i)
		} else {
			first, seen[keys[i]] = append(first, i), keys[i] != ""
		}
	}
	n := len(groups)
	if done := workers.Until(len(first), func(j int) bool { return answer(first[j]) }); done > 0 && !wanted(&answers[first[done-1]]) {
		n = first[done-1] + 1
	}
	for _, i := range first {
		if i < n && answers[i].Valid() {
			s.note(keys[i], answers[i].Found)
		}
	}
	others = slices.DeleteFunc(others, func(i int) bool { return i >= n })
	if done := workers.Until(len(others), func(j int) bool { return answer(others[j]) }); done > 0 && !wanted(&answers[others[done-1]]) {
		n = others[done-1] + 1
	}
	for _, e := range evaluated[:n] {
		s.Evaluated += e
	}
	return answers[:n]
}

package search

import (
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
// that group alone. Behind the first answer of which more, if it is not nil, reports false none is wanted, and none is returned.
func (s *Searcher) BestOfEach(groups []*plan.Group, ph coster.Phase, more func(a *Answer) bool) []Answer {
	answers, evaluated := make([]Answer, len(groups)), make([]int, len(groups))
	wanted := workers.Until(len(groups), func(i int) bool {
		one := *s
		one.Evaluated = 0
		a := &answers[i]
		a.Found, a.Err = one.Best(groups[i], ph)
		evaluated[i] = one.Evaluated
		return more == nil || more(a)
	})
	for _, n := range evaluated[:wanted] {
		s.Evaluated += n
	}
	return answers[:wanted]
}

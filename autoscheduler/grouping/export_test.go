package grouping

import (
	"slices"

	"gowarp/autoscheduler/search"
	"gowarp/internal/plan"
)

// Reread has inline inline a Func, brings who reads whom up to date as duplicate does, and returns that beside what it is from scratch.
func Reread(pr *plan.Problem, id int, inline func()) (got, want [2][][]int) {
	st := &state{s: &search.Searcher{Problem: pr}, readers: readers(pr)}
	st.reads = inverse(st.readers)
	inline()
	st.reread(append(slices.Clone(st.readers[id]), id))
	whole := readers(pr)
	return [2][][]int{st.readers, st.reads}, [2][][]int{whole, inverse(whole)}
}

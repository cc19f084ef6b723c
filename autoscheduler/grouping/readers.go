package grouping

import (
	"slices"

	"gowarp/internal/plan"
)

// eachRead calls add with every Func that a stored Func reads, maybe more than once.
func eachRead(pr *plan.Problem, id int, add func(producer int)) {
	if pr.Inlined[id] {
		return
	}
	f := &pr.P.Funcs[id]
	for s := range f.Stages {
		for _, t := range pr.Expand[pr.StageIndex(id, s)].Loads {
			add(t.Func)
		}
	}
	if f.Extern != nil {
		for _, a := range f.Extern.Args {
			add(a.Func)
		}
	}
}

// readers lists, for every Func, the Funcs whose stages load it once inlined Funcs are in place, and extern Funcs that take it; ascending.
func readers(pr *plan.Problem) [][]int {
	out := make([][]int, len(pr.P.Funcs))
	for id := range pr.P.Funcs {
		eachRead(pr, id, func(producer int) {
			if producer >= 0 && producer != id && !slices.Contains(out[producer], id) {
				out[producer] = append(out[producer], id)
			}
		})
	}
	return out
}

// reread brings readers and reads up to date where only what some Funcs read has changed.
func (st *state) reread(fns []int) {
	for _, id := range fns {
		for _, p := range st.reads[id] {
			st.readers[p] = slices.DeleteFunc(st.readers[p], func(c int) bool { return c == id })
		}
		st.reads[id] = st.reads[id][:0]
		eachRead(st.s.Problem, id, func(producer int) {
			if producer >= 0 && producer != id {
				insert(&st.readers[producer], id)
				insert(&st.reads[id], producer)
			}
		})
	}
}

// insert adds to what is ascending and has nothing twice.
func insert(to *[]int, n int) {
	if at, has := slices.BinarySearch(*to, n); !has {
		*to = slices.Insert(*to, at, n)
	}
}

package instructions

import (
	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// What was counted of the product that an inlined definition is.
const (
	ownProduct    int32 = 0        // it is an instruction of its own
	joinedProduct int32 = 1        // it is none, see plan.Call.Joined
	takenApart    int32 = 1<<1 | 1 // it is one after all: of other points, or for others that read it
)

// BegunSums is how many sums of a definition have nothing but products, with those of Funcs that are computed in place (access.Load.Joined): one of each has nothing to be added to.
func BegunSums(pr *plan.Problem, st *access.Stage) (n float64) {
	if st == nil {
		return 0
	}
	for i := range st.Sums {
		sum, spare := &st.Sums[i], st.Sums[i].Spare
		for _, fn := range sum.Terms {
			if pr.Inlined[pr.FuncOf(fn)] {
				spare--
			}
		}
		n -= float64(min(spare, 0))
	}
	return n
}

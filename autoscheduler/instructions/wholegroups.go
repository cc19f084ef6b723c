package instructions

import "gowarp/internal/plan"

// Instructions, counted in the PTX of a blur of three colours, that a thread pays whose points are tested all at once (plan.Nest.Whole), in a loop that turns, for the code in which each row of them is tested by itself: what is the same at all turns is worked out
// before the first, whether a turn needs it or not, and what differs steps.
const (
	rowApart  = 6 // a row, before the first turn: its place, a comparison and an `and` with that of the columns, and the index at which it is stored
	rowStep   = 1 // a row, each turn: that index
	wholeTest = 2 // each turn: a branch, and one around the other code
)

// wholeGroups are those instructions of so many turns.
func wholeGroups(n *plan.Nest, turns float64) float64 {
	if !n.Whole || n.Stage > 0 || turning(n) == 0 {
		return 0
	}
	rows := 1.0
	for _, u := range n.Unrolled {
		if u.Loop != n.Along.Loop {
			rows *= float64(u.Extent)
		}
	}
	return rowApart*rows + turns*(rowStep*rows+wholeTest)
}

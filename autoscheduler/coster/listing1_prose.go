package coster

import "gowarp/internal/plan"

// Listing1Prose is Listing1 as the text around it describes the comparison of merges
// (Sioutas et al. 2020, section 4.2): while grouping, the cost of memory is not divided
// by occupancy and active threads, so that fusion is about traffic and hardly about
// arithmetic. The final pass prices as printed.
type Listing1Prose struct{}

// Name implements Coster.
func (Listing1Prose) Name() string { return "listing1-prose" }

// Price implements Coster.
func (Listing1Prose) Price(pr *plan.Problem, k *plan.Kernel, ph Phase) Price {
	return listing1(pr, k, ph, ph == Final)
}

// RefusesBlock implements BlockRefuser.
func (Listing1Prose) RefusesBlock(pr *plan.Problem, block [3]int64, ph Phase) bool {
	return Listing1{}.RefusesBlock(pr, block, ph)
}

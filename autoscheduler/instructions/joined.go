package instructions

import (
	"gowarp/halideir/access"
	"gowarp/internal/keymap"
	"gowarp/internal/plan"
)

// Products are the places at which an inlined definition's product was counted as none: what read it there had it in its own instruction (access.Load.Joined).
type Products struct{ keymap.Map }

// What was counted of a product, a bit each.
const (
	joined = 1 << iota
	apart
)

// Join notes a product that takes no instruction of its own.
func (p *Products) Join(place uint64) { p.Put(place, joined) }

// TakeApart reports, once a place, that a product was joined there: what reads it now needs it by itself, so that it is an instruction after all.
func (p *Products) TakeApart(place uint64) bool {
	if p.Len() == 0 || !p.Has(place) {
		return false
	}
	before, _ := p.Put(place, joined)
	p.Or(place, apart)
	return before&apart == 0
}

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

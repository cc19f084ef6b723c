package search

import (
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/internal/plan"
)

// fewest picks, of the candidates that cost nearly the least, the one that issues the fewest instructions: where DRAM binds a kernel its
// coster hardly sees them, and it errs by more than such candidates differ by.
type fewest struct {
	within float64 // how much more than the least they may cost, as a part of it; 0: nothing but the least is wanted
	all    []ranked
	least  coster.Price
}

func (f *fewest) add(k *plan.Kernel, p coster.Price) {
	if f.within == 0 || !p.Valid() {
		return
	}
	if len(f.all) == 0 || better(&p, &f.least) {
		f.least = p
	}
	if f.near(&p) {
		f.all = append(f.all, ranked{k, p})
	}
}

func (f *fewest) near(p *coster.Price) bool { return p.Cost <= f.least.Cost*(1+f.within) }

// pick is that candidate; of equals the cheapest, then the first. It is false where there is none.
func (f *fewest) pick(pr *plan.Problem) (best ranked, ok bool) {
	least := 0.0
	for _, r := range f.all {
		if !f.near(&r.price) {
			continue
		}
		view := r.kernel.View(pr)
		issued, _ := instructions.For(view).Block(r.kernel)
		issued *= float64(r.kernel.Tiles())
		if !ok || issued < least || issued == least && r.price.Cost < best.price.Cost {
			best, least, ok = r, issued, true
		}
	}
	return best, ok
}

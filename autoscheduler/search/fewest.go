package search

import (
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/internal/plan"
)

// requestWeight is what a request to the load/store unit counts beside the instruction that makes it: of two candidates that issue
// about as much it is to be the one that asks less of memory.
const requestWeight = 0.25

// fewest picks, of the candidates that cost nearly the least, the one that issues the fewest instructions: where DRAM binds a kernel its coster hardly sees them, and it errs by more than such candidates differ by.
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
		issued, requests := instructions.For(view).Block(r.kernel)
		work := (issued + requestWeight*requests) * float64(r.kernel.Tiles())
		if !ok || work < least || work == least && r.price.Cost < best.price.Cost {
			best, least, ok = r, work, true
		}
	}
	return best, ok
}

package search

import (
	"cmp"
	"math"
	"slices"

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

// alike is by how much work may differ and still be the same, as a part of it: counts err by more. Of such the one that asks least of memory is taken.
const alike = .002

// pick is that candidate; of equals the cheapest, then the first. It is false where there is none.
func (f *fewest) pick(pr *plan.Problem) (best ranked, ok bool) {
	type worked struct {
		ranked
		work, requests float64
	}
	var all []worked
	least := math.Inf(1)
	// Where the launch is all that a small output costs, a few threads with many points each issue least. But a schedule runs at larger sizes, too, and there lanes without a thread are lost.
	near := slices.DeleteFunc(slices.Clone(f.all), func(r ranked) bool { return !f.near(&r.price) })
	fills := func(r ranked) bool { return r.kernel.ThreadsPerBlock() >= plan.WarpLanes }
	filled := slices.ContainsFunc(near, fills)
	for _, r := range near {
		if filled && !fills(r) {
			continue
		}
		view := r.kernel.View(pr)
		issued, requests := instructions.For(view).Block(r.kernel)
		tiles := float64(r.kernel.Tiles())
		all = append(all, worked{r, (issued + requestWeight*requests) * tiles, requests * tiles})
		least = min(least, all[len(all)-1].work)
	}
	if len(all) == 0 {
		return ranked{}, false
	}
	// An estimate may be of less than nothing, where all that a Func computes is constant.
	all = slices.DeleteFunc(all, func(w worked) bool { return w.work > least+math.Abs(least)*alike })
	return slices.MinFunc(all, func(a, b worked) int {
		return cmp.Or(cmp.Compare(a.requests, b.requests), cmp.Compare(a.work, b.work), cmp.Compare(a.price.Cost, b.price.Cost))
	}).ranked, true
}

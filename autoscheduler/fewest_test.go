package autoscheduler

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
)

// TestFewest: of all ways to run a kernel the one that is taken costs hardly more than the cheapest, and none that costs no more
// issues fewer instructions and no more requests; a coster that is taken at its word takes the cheapest.
func TestFewest(t *testing.T) {
	other := 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomPipeline(t, "")
		if rapid.Bool().Draw(t, "stencils") {
			p = stencilGraph(t)
		}
		cost := rapid.SampledFrom([]string{"time", "issue"}).Draw(t, "cost")
		prm, err := ParseParams(map[string]string{"cost": cost, "gpu": "rtx2080ti"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(p, prm)
		if err != nil {
			t.Skip(err)
		}
		within := 1 + coster.Errs(coster.ByName[cost])
		work := func(k *plan.Kernel) (issued, requests float64) {
			n, m := instructions.For(k.View(r.Problem)).Block(k)
			return n * float64(k.Tiles()), m * float64(k.Tiles())
		}
		s := &search.Searcher{Problem: r.Problem, Coster: coster.ByName[cost], Strategies: strategy.Tilings["all"], Few: 1000}
		for _, g := range r.Groups {
			f, err := s.Best(g, coster.Final)
			if err != nil || !f.Valid() {
				continue
			}
			least := append([]coster.Price(nil), f.Prices...)
			for n := range f.Ways() {
				for i, price := range f.Way(n).Prices {
					if price.Valid() && price.Cost < least[i].Cost {
						least[i] = price
					}
				}
			}
			for i, k := range f.Layout.Kernels {
				if k.Host {
					continue
				}
				if f.Prices[i].Cost > within*least[i].Cost*(1+1e-12) {
					t.Fatalf("by %s %s costs %g, another way %g", cost, p.Funcs[g.Out].Label, f.Prices[i].Cost, least[i].Cost)
				}
				if f.Prices[i].Cost > least[i].Cost {
					other++
				}
				for n := range f.Ways() {
					w := f.Way(n)
					way := w.Layout.Kernels[i]
					full := way.ThreadsPerBlock() >= plan.WarpLanes
					if cost == "time" && full && k.ThreadsPerBlock() < plan.WarpLanes && w.Prices[i].Valid() && w.Prices[i].Cost <= within*least[i].Cost*(1-1e-12) {
						t.Fatalf("%s has blocks of %d threads at %g, as good a way blocks of %d at %g", p.Funcs[g.Out].Label, k.ThreadsPerBlock(), f.Prices[i].Cost, way.ThreadsPerBlock(), w.Prices[i].Cost)
					}
					if cost == "time" && (full || k.ThreadsPerBlock() < plan.WarpLanes) && w.Prices[i].Valid() && w.Prices[i].Cost <= f.Prices[i].Cost {
						issued, requests := work(k)
						if n, m := work(way); n < issued*(1-1e-12) && m <= requests {
							t.Fatalf("%s issues %g instructions and %g requests, as good a way %g and %g", p.Funcs[g.Out].Label, issued, requests, n, m)
						}
					}
				}
			}
		}
	})
	if other == 0 {
		t.Error("the cheapest was always taken: the test shows nothing")
	}
	t.Logf("%d kernels are not the cheapest", other)
}

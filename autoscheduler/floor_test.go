package autoscheduler

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
)

// TestFloor: no kernel of one point a thread costs less than the bound from which a search takes that none of them is worth a look, whichever of them it is asked of; and the bound is near enough to the
// cheapest to be of use.
func TestFloor(t *testing.T) {
	kernels, near := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		params := DefaultParams()
		params.GPU = rapid.SampledFrom([]string{"rtx2080ti", "h200"}).Draw(t, "gpu")
		r, err := Run(randomPipeline(t, ""), params)
		if err != nil {
			t.Skip(err)
		}
		pr, c := r.Problem, coster.Time{}
		for fn := range pr.P.Funcs {
			if pr.Inlined[fn] || pr.Host[fn] != "" {
				continue
			}
			prepared, err := strategy.Root{}.Prepare(pr, &plan.Group{Out: fn}, strategy.Options{})
			if err != nil {
				continue
			}
			for stage := range pr.P.Funcs[fn].Stages {
				floors, cheapest := []float64{}, 0.0
				for _, tile := range append(strategy.Tiles(pr, fn, stage, strategy.StepOfTwo), strategy.FallbackTile(pr, fn, stage)) {
					k, err := prepared.Kernel(stage, plan.Choice{Strategy: "root", Tile: tile})
					if err != nil {
						continue
					}
					p := c.Price(pr, k, coster.Final)
					if !p.Valid() {
						continue
					}
					w, tiles, least := instructions.For(pr).Work(k), float64(k.Tiles())*(1+1e-9), instructions.For(pr).LeastOfEach(1, k)
					if least.Issued > tiles*w.Issued || least.Float > tiles*w.Float || least.Special > tiles*w.Special || least.Requests > tiles*w.Requests {
						t.Fatalf("%s, stage %d, tile %v: %d blocks do %+v, all of them are said to do %+v at least", pr.P.Funcs[fn].Label, stage, tile, k.Tiles(), w, least)
					}
					if floors = append(floors, c.Floor(pr, k)); cheapest == 0 || p.Cost < cheapest {
						cheapest = p.Cost
					}
				}
				for _, f := range floors {
					if kernels++; f > cheapest {
						t.Fatalf("%s, stage %d: a kernel costs %g, %g are said to be the least", pr.P.Funcs[fn].Label, stage, cheapest, f)
					}
					if f > cheapest/2 {
						near++
					}
				}
			}
		}
	})
	if kernels < 1000 || near < kernels/4 {
		t.Errorf("of %d kernels the bound is near the cheapest for %d: too few to see anything", kernels, near)
	}
}

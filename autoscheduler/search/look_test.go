package search_test

import (
	"os"
	"slices"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/internal/plan"
)

// priced is a candidate as this test sees it.
type priced struct {
	strategy string
	tile     []int64
	cost     float64
	faults   int
}

// TestLooks prices every tile of every kernel again and compares what the search says that it
// looked at: how many could run, how many had a fault, and the second best.
func TestLooks(t *testing.T) {
	for _, name := range []string{"harris", "hist", "pyramid"} {
		data, err := os.ReadFile("../../halideir/testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		p, err := halideir.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		prm, err := autoscheduler.ParseParams(map[string]string{"mode": "autogpu", "gpu": "rtx2080ti"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := autoscheduler.Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range r.Groups {
			for j, k := range r.Found[i].Layout.Kernels {
				look := &r.Found[i].Looks[j]
				all, faults := candidates(t, r.Problem, g, k.Out.Stage)
				if len(all) != look.Candidates {
					t.Errorf("%s %s: %d candidates, want %d", name, p.Funcs[g.Out].Label, look.Candidates, len(all))
				}
				refused := 0
				for _, f := range look.Refusals {
					refused += f.Count
				}
				if refused != faults {
					t.Errorf("%s %s: %d tiles refused, want %d", name, p.Funcs[g.Out].Label, refused, faults)
				}
				var second *priced
				for _, c := range all {
					if c.strategy == k.Strategy && slices.Equal(c.tile, k.Choice.Tile) {
						continue
					}
					if second == nil || c.faults < second.faults || c.faults == second.faults && c.cost < second.cost {
						second = &c
					}
				}
				switch {
				case look.RunnerUp == nil:
					if second != nil {
						t.Errorf("%s %s: no runner-up, want one of %g", name, p.Funcs[g.Out].Label, second.cost)
					}
				case look.Price.Cost != second.cost || look.Price.Faults != second.faults:
					t.Errorf("%s %s: the runner-up costs %g (%d faults), want %g (%d)", name, p.Funcs[g.Out].Label, look.Price.Cost, look.Price.Faults, second.cost, second.faults)
				}
			}
		}
	}
}

// candidates are the tiles that could run, and how many were refused or have a fault.
func candidates(t *testing.T, pr *plan.Problem, g *plan.Group, stage int) (all []priced, faults int) {
	for _, st := range strategy.Tilings["block"] {
		prepared, err := st.Prepare(pr, g, strategy.Options{Nesting: strategy.NestAlways})
		if err != nil {
			continue
		}
		for _, tile := range append(strategy.Tiles(pr, g.Out, stage, strategy.StepOfTwo), strategy.FallbackTile(pr, g.Out, stage)) {
			choice := plan.Choice{Strategy: st.Name(), Tile: tile}
			k, err := prepared.Kernel(stage, choice)
			// What the search takes for the thread block of a tile is the one that it gets.
			if b := prepared.(strategy.Sizer).Block(stage, choice); err == nil && b != k.Block {
				t.Errorf("%s %v: a block of %v threads is told, it has %v", pr.P.Funcs[g.Out].Label, tile, b, k.Block)
			}
			if err == nil {
				err = legality.Check(pr, k)
			}
			if err != nil {
				faults++
				continue
			}
			price := coster.Listing1{}.Price(pr, k, coster.Final)
			if !price.Valid() {
				faults++
				if !price.Launches {
					continue
				}
			}
			all = append(all, priced{st.Name(), tile, price.Cost, price.Faults})
		}
	}
	return all, faults
}

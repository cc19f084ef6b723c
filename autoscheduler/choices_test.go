package autoscheduler

import (
	"gowarp/autoscheduler/coster"
	"math"
	"reflect"
	"slices"
	"testing"

	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/internal/plan"

	"pgregory.net/rapid"
)

// offered are the tiles of several points a thread that a step offers for a stage, of a group prepared anew.
func offered(t *rapid.T, pr *plan.Problem, g *plan.Group, stage int, step strategy.Step) (strategy.Prepared, []plan.Choice) {
	p, err := strategy.BlockWindow{}.Prepare(pr, g, strategy.Options{})
	if err != nil {
		return nil, nil
	}
	return p, p.(strategy.Chooser).Choices(stage, step)
}

// cheapest is what the cheapest of some tiles costs.
func cheapest(pr *plan.Problem, p strategy.Prepared, stage int, tiles []plan.Choice) float64 {
	least := math.Inf(1)
	for _, c := range tiles {
		if k, err := p.Kernel(stage, c); err == nil {
			if price := (coster.Time{}).Price(k.View(pr), k, coster.Final); price.Valid() {
				least = min(least, price.Cost)
			}
		}
	}
	return least
}

// TestShortlist: the tiles that a step offers are among those of the step of all tiles, in the same order, and the cheapest of them is as good as the cheapest of the first as many of all, though most are not looked at. A kernel that is handed out as it was laid out for that is the one that is laid out anew.
func TestShortlist(t *testing.T) {
	worst := 1.
	check := func(t *rapid.T, p *halideir.Pipeline) (groups, left int) {
		r, err := Run(p, DefaultParams())
		if err != nil {
			t.Skip(err)
		}
		for _, g := range r.Groups {
			for stage := range r.Problem.P.Funcs[g.Out].Stages {
				prepared, some := offered(t, r.Problem, g, stage, strategy.StepOfTwo)
				if prepared == nil {
					continue
				}
				every, all := offered(t, r.Problem, g, stage, strategy.Every)
				at := -1
				for _, c := range some {
					was := at
					if at = slices.IndexFunc(all, func(o plan.Choice) bool { return reflect.DeepEqual(c, o) }); at <= was {
						t.Fatalf("%s: %v is offered behind what stands at %d of all tiles, where it is at %d", r.Problem.P.Funcs[g.Out].Label, c, was, at)
					}
				}
				if len(some) == 0 {
					if len(all) > 0 {
						t.Fatalf("%s: of %d tiles none is offered", r.Problem.P.Funcs[g.Out].Label, len(all))
					}
					continue
				}
				best, least := cheapest(r.Problem, every, stage, some), cheapest(r.Problem, every, stage, all[:min(len(all), 32)])
				worst = max(worst, best/least)
				groups++
				left += len(all) - len(some)
				fresh, err := strategy.BlockWindow{}.Prepare(r.Problem, g, strategy.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range some {
					first, err := prepared.Kernel(stage, c)
					if err != nil {
						t.Fatal(err)
					}
					again, err := fresh.Kernel(stage, c)
					if err != nil || !reflect.DeepEqual(first, again) {
						t.Fatalf("%v: %+v, laid out anew %+v, %v", c, first, again, err)
					}
					if once, err := prepared.Kernel(stage, c); err != nil || once == first {
						t.Fatalf("%v is handed out twice, or not again: %v", c, err)
					}
				}
			}
		}
		return groups, left
	}
	groups, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n, l := check(t, randomPipeline(t, ""))
		groups, left = groups+n, left+l
	})
	t.Logf("%d groups, %d tiles that were not offered; at worst the best of those that are costs %.3f times the best of all", groups, left, worst)
	if worst > 1.02 {
		t.Errorf("the best tile that is offered costs %.3f times what the best of all does", worst)
	}
	if groups < 50 || left < 500 {
		t.Errorf("%d groups, of whose tiles %d were not offered: too few to see anything", groups, left)
	}
}

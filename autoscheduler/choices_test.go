package autoscheduler

import (
	"reflect"
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

// TestShortlist: the tiles that a step offers are the first of those that the step of all tiles does. A kernel that is handed out as it was laid out for that is the one that is laid out anew.
func TestShortlist(t *testing.T) {
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
				_, all := offered(t, r.Problem, g, stage, strategy.Every)
				if !reflect.DeepEqual(some, all[:min(len(some), len(all))]) || len(some) < min(len(all), 32) {
					t.Fatalf("%s: of %d tiles %d are offered, which are not the first of all:\n%v\n%v", r.Problem.P.Funcs[g.Out].Label, len(all), len(some), some, all)
				}
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
	if groups < 50 || left < 500 {
		t.Errorf("%d groups, of whose tiles %d were not offered: too few to see anything", groups, left)
	}
}

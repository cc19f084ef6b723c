package autoscheduler

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/grouping"
)

// TestDPFusionSettles: by cost=algorithm2, which asks for whole warps in the end only, what grouping=dpfusion chooses costs no more as emitted
// than greedy's groups or a kernel a Func, where those break no rule.
func TestDPFusionSettles(t *testing.T) {
	better := 0
	rapid.Check(t, func(t *rapid.T) {
		p := anyGraph(t)
		kv := map[string]string{"mode": "polymage", "cost": rapid.SampledFrom([]string{"algorithm2", "algorithm2-fitted"}).Draw(t, "cost"), "gpu": rapid.SampledFrom([]string{"gtx1080ti", "v100"}).Draw(t, "gpu")}
		s, err := toGroup(p, kv)
		if err != nil {
			t.Fatal(err)
		}
		emitted := func(by grouping.Grouping) (cost float64, faults int) {
			groups, _, err := by.Group(s.searcher, noInlining{})
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				f, err := s.searcher.Best(s.problem.NewGroup(g.Out, g.Members), coster.Final)
				if err != nil {
					t.Fatal(err)
				}
				cost += f.Cost
				faults += f.Faults()
			}
			return cost, faults
		}
		got, _ := emitted(grouping.DPFusion{})
		for _, other := range []grouping.Grouping{grouping.Greedy{}, grouping.None{}} {
			cost, faults := emitted(other)
			if faults > 0 {
				continue
			}
			if got > cost*(1+1e-9) {
				t.Fatalf("%v: as emitted %v, that of %s costs %v", kv, got, other.Name(), cost)
			}
			if other.Name() == (grouping.Greedy{}).Name() && got < cost*(1-1e-9) {
				better++
			}
		}
	})
	if better == 0 {
		t.Error("never cheaper than greedy's: the test shows nothing")
	}
	t.Logf("cheaper than greedy's %d times", better)
}

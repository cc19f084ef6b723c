package autoscheduler

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/grouping"
	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// TestIntervalIsClose: on random pipelines of up to 12 stages what grouping=interval finds costs at most 5 % more than the best of all valid
// fusions, never more than greedy's, and each group costs what it says.
func TestIntervalIsClose(t *testing.T) {
	const most = 1.05
	drawn, best, better, worst, sum := 0, 0, 0, 1.0, 0.0
	rapid.Check(t, func(t *rapid.T) {
		p := anyGraph(t)
		kv := map[string]string{"cost": rapid.SampledFrom(append([]string{"time"}, fusionCosters...)).Draw(t, "cost"), "gpu": rapid.SampledFrom([]string{"rtx2080ti", "gtx1080ti", "sm_50"}).Draw(t, "gpu")}
		s, err := toGroup(p, kv)
		if err != nil {
			t.Fatal(err)
		}
		groups, _, err := grouping.Interval{}.Group(s.searcher, noInlining{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			f, err := s.searcher.Best(s.problem.NewGroup(g.Out, g.Members), coster.Grouping)
			if err != nil || f.Cost != g.Cost {
				t.Fatalf("the group of %s says %v, it costs %v (%v)", p.Funcs[g.Out].Label, g.Cost, f.Cost, err)
			}
		}
		if err := checkLaunchOrder(s.problem, groups); err != nil {
			t.Fatal(err)
		}
		greedy, _, err := grouping.Greedy{}.Group(s.searcher, noInlining{})
		if err != nil {
			t.Fatal(err)
		}
		got := total(groups)
		if got > total(greedy)*(1+1e-9) {
			t.Fatalf("%v: %v, greedy's are %v", kv, got, total(greedy))
		}
		gap := got / newExhaustive(s).best()
		if gap > most {
			t.Fatalf("%v: %.4f times the best of all fusions", kv, gap)
		}
		drawn++
		sum += gap
		worst = max(worst, gap)
		if gap < 1+1e-9 {
			best++
		}
		if got < total(greedy)*(1-1e-9) {
			better++
		}
	})
	if better == 0 {
		t.Error("never cheaper than greedy: the test shows nothing")
	}
	t.Logf("of %d pipelines %d as cheap as the best of all, the others up to %.2f %%, %.3f %% in the mean; cheaper than greedy's %d times", drawn, best, 100*(worst-1), 100*(sum/float64(drawn)-1), better)
}

// anyGraph draws a pipeline by one of the ways to draw one.
func anyGraph(t *rapid.T) *halideir.Pipeline {
	p := randomPipeline(t, "")
	switch rapid.IntRange(0, 3).Draw(t, "graph") {
	case 0:
		p = stencilGraph(t)
	case 1, 2:
		p = bushyGraph(t)
	}
	return p
}

// bushyGraph draws a pipeline of 4 to 11 stencils that read up to three of all before them: branches that meet, of which no order has all side by
// side.
func bushyGraph(t *rapid.T) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1300, 1300)
	var funcs []*irtest.Func
	unread := map[int]bool{}
	for i := range rapid.IntRange(4, 11).Draw(t, "funcs") {
		funcs = append(funcs, b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			sum := in.At(v[0].Add(i), v[1])
			for range rapid.IntRange(min(i, 1), 3).Draw(t, "sources") {
				if i == 0 {
					break
				}
				from := rapid.IntRange(0, i-1).Draw(t, "from")
				delete(unread, from)
				r := rapid.IntRange(0, 2).Draw(t, "radius")
				for d := range 2*r + 1 {
					sum = sum.Add(funcs[from].At(v[0].Add(d), v[1].Add(d*d%4)).Mul(d + 2))
				}
			}
			return sum
		}))
		unread[i] = true
	}
	for i := range funcs {
		if unread[i] {
			b.Output(funcs[i], 1024, 1024)
		}
	}
	return b.Build()
}

// TestIntervalBudget: pipelines of many stages are grouped within the budgets, validly, and no worse than greedily.
func TestIntervalBudget(t *testing.T) {
	for name, p := range map[string]*halideir.Pipeline{"chain": irtest.StencilChain(300), "ladder": irtest.Ladder(100)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := toGroup(p, map[string]string{"cost": "time", "tiling": "all", "gpu": "v100"})
			if err != nil {
				t.Fatal(err)
			}
			groups, _, err := grouping.Interval{}.Group(s.searcher, noInlining{})
			if err != nil {
				t.Fatal(err)
			}
			greedy, _, err := grouping.Greedy{}.Group(s.searcher, noInlining{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d groups for %v, greedy's %d for %v, after %d candidates; %q", len(groups), total(groups), len(greedy), total(greedy), s.searcher.Evaluated, s.searcher.Remarks)
			if total(groups) > total(greedy)*(1+1e-9) {
				t.Errorf("%v, greedy's are %v", total(groups), total(greedy))
			}
			if err := checkLaunchOrder(s.problem, groups); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAutoGroups: grouping=auto is interval's groups where there are few Funcs, and costs no more than greedy's then; of many it is greedy's.
func TestAutoGroups(t *testing.T) {
	few, many := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := anyGraph(t)
		s, err := toGroup(p, map[string]string{"cost": "time", "gpu": "rtx2080ti"})
		if err != nil {
			t.Fatal(err)
		}
		of := func(by grouping.Grouping) float64 {
			groups, _, err := by.Group(s.searcher, noInlining{})
			if err != nil {
				t.Fatal(err)
			}
			return total(groups)
		}
		stored := 0
		for id := range p.Funcs {
			if !s.problem.Inlined[id] {
				stored++
			}
		}
		auto, greedy := of(grouping.Auto{}), of(grouping.Greedy{})
		want := greedy
		if stored <= 8 {
			want = of(grouping.Interval{})
			few++
		} else {
			many++
		}
		if auto != want || auto > greedy*(1+1e-9) {
			t.Fatalf("%v with %d Funcs, want %v; greedy's are %v", auto, stored, want, greedy)
		}
	})
	if few == 0 || many == 0 {
		t.Errorf("%d pipelines of few Funcs and %d of many: the test shows nothing", few, many)
	}
}

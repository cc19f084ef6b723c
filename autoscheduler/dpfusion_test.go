package autoscheduler

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/grouping"
	"gowarp/autoscheduler/search"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// toGroup runs the passes up to grouping.
func toGroup(p *halideir.Pipeline, kv map[string]string) (*state, error) {
	prm, err := ParseParams(kv)
	if err != nil {
		return nil, err
	}
	s, err := newState(p, prm)
	if err != nil {
		return nil, err
	}
	for _, ps := range passes {
		if ps.name == "group" {
			break
		}
		if err := ps.run(s); err != nil {
			return nil, err
		}
	}
	s.searcher = &search.Searcher{Problem: s.problem, Coster: s.coster, Strategies: s.strategies, Options: s.options}
	return s, nil
}

// noInlining keeps a grouping from changing the problem, so that what it found can be compared.
type noInlining struct{}

func (noInlining) Inline(int) (func(float64), func()) { return nil, nil }
func (noInlining) Store(int) (func(float64), func())  { return nil, nil }

// exhaustive is an oracle: it tries every choice of the Funcs that get a kernel of their own. Every other Func must be read in one
// group only, whose output it shares.
type exhaustive struct {
	s     *state
	ids   []int
	reads [][]int // by position in ids: positions of its readers
	cost  map[string]float64
}

func newExhaustive(s *state) *exhaustive {
	e := &exhaustive{s: s, cost: map[string]float64{}}
	for id := range s.p.Funcs {
		if !s.problem.Inlined[id] {
			e.ids = append(e.ids, id)
		}
	}
	for _, id := range e.ids {
		var readers []int
		for j, c := range e.ids {
			extern := s.p.Funcs[c].Extern != nil && slices.ContainsFunc(s.p.Funcs[c].Extern.Args, func(a halideir.ExternArg) bool { return a.Func == id })
			if c != id && (s.problem.Reads(c, id) || extern) {
				readers = append(readers, j)
			}
		}
		e.reads = append(e.reads, readers)
	}
	return e
}

// best is the least cost of all valid fusions.
func (e *exhaustive) best() float64 {
	least := math.Inf(1)
	n := len(e.ids)
	of := make([]int, n)
	for roots := range uint(1) << n {
		ok := true
		for i := n - 1; i >= 0 && ok; i-- {
			switch {
			case roots>>i&1 == 1:
				of[i] = i
			case e.s.p.Funcs[e.ids[i]].Output || len(e.reads[i]) == 0:
				ok = false
			default:
				of[i] = of[e.reads[i][0]]
				for _, r := range e.reads[i] {
					ok = ok && of[r] == of[i]
				}
			}
		}
		if !ok {
			continue
		}
		total := 0.0
		for g := range n {
			if roots>>g&1 == 1 {
				total += e.group(of, g)
			}
			if total >= least {
				break
			}
		}
		least = min(least, total)
	}
	return least
}

// group is the cost of one group, +Inf if it is not valid.
func (e *exhaustive) group(of []int, out int) float64 {
	var members []int
	key := binary.AppendVarint(nil, int64(out))
	for i, o := range of {
		if o == out && i != out {
			members = append(members, e.ids[i])
			key = binary.AppendVarint(key, int64(i))
		}
	}
	if c, ok := e.cost[string(key)]; ok {
		return c
	}
	pr := e.s.problem
	c := math.Inf(1)
	host := slices.ContainsFunc(append(members, e.ids[out]), func(id int) bool { return pr.Host[id] != "" })
	if len(members) == 0 || !host && len(pr.P.Funcs[e.ids[out]].Stages) == 1 {
		f, err := e.s.searcher.Best(pr.NewGroup(e.ids[out], members), coster.Grouping)
		if err == nil && (f.Valid() || len(members) == 0) {
			c = f.Cost
		}
	}
	e.cost[string(key)] = c
	return c
}

// total is the cost of groups.
func total(groups []*plan.Group) float64 {
	sum := 0.0
	for _, g := range groups {
		sum += g.Cost
	}
	return sum
}

// stencilGraph draws a pipeline of 3 to 11 stencils that read one or two of those shortly before, in which much can be fused.
func stencilGraph(t *rapid.T) *halideir.Pipeline {
	b := irtest.New()
	typ := rapid.SampledFrom([]halideir.Type{irtest.U16, irtest.F32}).Draw(t, "type")
	type source interface{ At(...any) irtest.Expr }
	sources := []source{b.Input("in", typ, 1200, 1200)}
	var last *irtest.Func
	n := rapid.IntRange(3, 11).Draw(t, "funcs")
	for range n {
		last = b.Func("f", []string{"x", "y"}, typ, func(v []irtest.Expr) irtest.Expr {
			var sum irtest.Expr
			for k := range rapid.IntRange(1, 2).Draw(t, "sources") {
				from := sources[max(0, len(sources)-1-k*rapid.IntRange(1, 3).Draw(t, "back"))]
				r := rapid.IntRange(0, 2).Draw(t, "radius")
				for d := range 2*r + 1 {
					e := from.At(v[0].Add(d), v[1].Add((d*d)%5)).Mul(d + 3)
					if k == 0 && d == 0 {
						sum = e
					} else {
						sum = sum.Add(e.Mul(e))
					}
				}
			}
			return sum
		})
		sources = append(sources, last)
	}
	b.Output(last, 1024, 1024)
	return b.Build()
}

var fusionCosters = []string{"listing1", "listing1-prose", "issue", "algorithm2", "algorithm2-fitted"}

// TestDPFusionIsBest: on random pipelines of up to 12 stages, whose cones are so few that no bound is needed, fusion by dynamic programming
// costs what the best of all valid fusions costs, which is no more than greedy's; and each group costs what it says.
func TestDPFusionIsBest(t *testing.T) {
	fused, better := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomPipeline(t, "")
		if rapid.Bool().Draw(t, "stencils") {
			p = stencilGraph(t)
		}
		kv := map[string]string{"cost": rapid.SampledFrom(fusionCosters).Draw(t, "cost"), "gpu": rapid.SampledFrom([]string{"rtx2080ti", "gtx1080ti", "sm_50"}).Draw(t, "gpu")}
		s, err := toGroup(p, kv)
		if err != nil {
			t.Fatal(err)
		}
		groups, _, err := grouping.DPFusion{Unsettled: true}.Group(s.searcher, noInlining{})
		if err != nil {
			t.Fatal(err)
		}
		e := newExhaustive(s)
		want := e.best()
		got := total(groups)
		if math.Abs(got-want) > 1e-9*want {
			t.Fatalf("%v: %v, the best of all is %v", kv, got, want)
		}
		for _, g := range groups {
			f, err := s.searcher.Best(s.problem.NewGroup(g.Out, g.Members), coster.Grouping)
			if err != nil || f.Cost != g.Cost {
				t.Fatalf("the group of %s says %v, it costs %v (%v)", p.Funcs[g.Out].Label, g.Cost, f.Cost, err)
			}
			if len(g.Members) > 0 {
				fused++
			}
		}
		greedy, _, err := grouping.Greedy{}.Group(s.searcher, noInlining{})
		if err != nil {
			t.Fatal(err)
		}
		if total(greedy) < got-1e-9*got {
			t.Fatalf("%v, greedy's are %v", got, total(greedy))
		}
		if total(greedy) > got*(1+1e-9) {
			better++
		}
	})
	if fused == 0 || better == 0 {
		t.Errorf("%d groups of several, better than greedy %d times: the test shows nothing", fused, better)
	}
	t.Logf("%d groups of several; better than greedy %d times", fused, better)
}

// TestDPFusionBound: with more cones than the budget allows groups are bounded, and what is found is valid and no worse
// than greedy's on a chain and a ladder of many stages and on a wide sum of many.
func TestDPFusionBound(t *testing.T) {
	wide := func(n int) *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1100, 1100)
		var parts []*irtest.Func
		for range n {
			parts = append(parts, b.Func("part", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				sum := in.At(v[0], v[1])
				for d := range 3 {
					sum = sum.Add(in.At(v[0].Add(d), v[1].Add(len(parts)%5)).Mul(0.5))
				}
				return sum
			}))
		}
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			sum := parts[0].At(v[0], v[1])
			for _, f := range parts {
				sum = sum.Add(f.At(v[0].Add(1), v[1]).Mul(f.At(v[0], v[1].Add(1))))
			}
			return sum
		})
		b.Output(out, 1024, 1024)
		return b.Build()
	}
	for name, p := range map[string]*halideir.Pipeline{"chain": irtest.StencilChain(150), "ladder": irtest.Ladder(60), "wide": wide(14)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := toGroup(p, map[string]string{"cost": "algorithm2", "gpu": "v100"})
			if err != nil {
				t.Fatal(err)
			}
			groups, _, err := grouping.DPFusion{Unsettled: true}.Group(s.searcher, noInlining{})
			if err != nil {
				t.Fatal(err)
			}
			// The ladder's cones are few.
			if r := strings.Join(s.searcher.Remarks, "; "); strings.Contains(r, "grouping=dpfusion: all valid fusions are more than 250 groups") != (name != "ladder") {
				t.Errorf("whether all fusions were tried: %q", r)
			}
			greedy, _, err := grouping.Greedy{}.Group(s.searcher, noInlining{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d groups for %v, greedy's %d for %v, after %d candidates", len(groups), total(groups), len(greedy), total(greedy), s.searcher.Evaluated)
			if total(groups) > total(greedy)*(1+1e-9) {
				t.Errorf("%v, greedy's are %v", total(groups), total(greedy))
			}
			if err := checkLaunchOrder(s.problem, groups); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDPFusionOnPrograms: on every pipeline that was exported from Halide the groups as they are found, Funcs computed again in their
// readers included, cost no more than greedy's by any coster, and the schedule is legal. A coster that is settled by its prices in the end is
// compared by those.
func TestDPFusionOnPrograms(t *testing.T) {
	for name, p := range exported(t) {
		for _, cost := range fusionCosters {
			t.Run(name+"/"+cost, func(t *testing.T) {
				t.Parallel()
				sum := map[string]float64{}
				for _, by := range []string{"greedy", "dpfusion"} {
					prm, err := ParseParams(map[string]string{"cost": cost, "grouping": by, "gpu": "gtx1080ti"})
					if err != nil {
						t.Fatal(err)
					}
					r, err := Run(p, prm)
					if err != nil {
						if by == "greedy" {
							t.Skip(err) // a pipeline that nobody can schedule
						}
						t.Fatal(err)
					}
					if err := r.Schedule.Check(p); err != nil {
						t.Fatal(err)
					}
					sum[by] = total(r.Groups)
					if coster.FinalDiffers(coster.ByName[cost]) {
						sum[by] = 0
						for _, f := range r.Found {
							sum[by] += f.Cost
						}
					}
				}
				if sum["dpfusion"] > sum["greedy"]*(1+1e-9) {
					t.Errorf("%v, greedy's groups cost %v", sum["dpfusion"], sum["greedy"])
				}
			})
		}
	}
}

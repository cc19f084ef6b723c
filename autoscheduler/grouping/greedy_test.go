package grouping_test

import (
	"os"
	"slices"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// pipelines are those that groupings are tried on, by name.
func pipelines(t *testing.T) map[string]*halideir.Pipeline {
	t.Helper()
	pipelines := map[string]*halideir.Pipeline{"chain": irtest.StencilChain(12), "ladder": irtest.Ladder(9)}
	for _, name := range []string{"harris", "hist", "pyramid", "features"} {
		data, err := os.ReadFile("../../halideir/testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		p, err := halideir.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		pipelines[name] = p
	}
	return pipelines
}

// TestGreedy repeats greedy grouping with every merge priced anew at every step: what Greedy
// remembers between steps must not change what it does.
func TestGreedy(t *testing.T) {
	for name, p := range pipelines(t) {
		t.Run(name, func(t *testing.T) {
			prm, err := autoscheduler.ParseParams(map[string]string{"mode": "autogpu", "gpu": "rtx2080ti"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := autoscheduler.Run(p, prm)
			if err != nil {
				t.Fatal(err)
			}
			var got [][2]int
			for _, m := range r.Merges {
				if m.Refused == "" {
					got = append(got, [2]int{m.Producer, m.Consumer})
				}
			}
			if want := merges(t, r.Problem); !slices.Equal(got, want) {
				t.Errorf("merged %v, want %v", got, want)
			}
		})
	}
}

// merges is the algorithm, word for word.
func merges(t *testing.T, pr *plan.Problem) [][2]int {
	s := &search.Searcher{Problem: pr, Coster: coster.Listing1{}, Strategies: strategy.Tilings["block"], Options: strategy.Options{Nesting: strategy.NestAlways}}
	cost := func(g *plan.Group) (float64, bool) {
		f, err := s.Best(g, coster.Grouping)
		if err != nil {
			return 0, false
		}
		return f.Cost, f.Valid() || len(g.Members) == 0
	}
	groups := map[int][]int{} // output -> members
	for id := range pr.P.Funcs {
		if !pr.Inlined[id] {
			groups[id] = nil
		}
	}
	var out [][2]int
	for {
		best, gain := [2]int{-1, -1}, 0.0
		for producer := range pr.P.Funcs {
			members, ok := groups[producer]
			if !ok || pr.P.Funcs[producer].Output || pr.Host[producer] != "" {
				continue
			}
			consumer, several := -1, false
			for g, others := range groups {
				reads := pr.Reads(g, producer) || slices.ContainsFunc(others, func(m int) bool { return pr.Reads(m, producer) })
				if g != producer && reads {
					several = consumer >= 0
					consumer = g
				}
				if several {
					break
				}
			}
			if several || consumer < 0 || len(pr.P.Funcs[consumer].Stages) != 1 || pr.Host[consumer] != "" {
				continue
			}
			a, _ := cost(pr.NewGroup(producer, members))
			b, _ := cost(pr.NewGroup(consumer, groups[consumer]))
			c, ok := cost(pr.NewGroup(consumer, slices.Concat([]int{producer}, members, groups[consumer])))
			if ok && a+b-c > gain {
				best, gain = [2]int{producer, consumer}, a+b-c
			}
		}
		if best[0] < 0 {
			return out
		}
		out = append(out, best)
		groups[best[1]] = slices.Concat([]int{best[0]}, groups[best[0]], groups[best[1]])
		delete(groups, best[0])
	}
}

package strategy

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gowarp/halideir/access"
	_ "gowarp/internal/fixedseed"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// TestMostCalled: those that are tried as members are few, in their order, and none that is left out is called at more places.
func TestMostCalled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "Funcs")
		calls := rapid.SliceOfN(rapid.IntRange(0, 5), n, n).Draw(t, "calls")
		pr := plan.NewProblem(irtest.PointwiseChain(n, 1))
		pr.Access = access.Analyze(pr.P)
		ex := &plan.Expand{}
		pr.Expand[pr.StageIndex(n, 0)] = ex
		for id := range n {
			pr.Inlined[id] = true
			ex.Inlined = append(ex.Inlined, id)
		}
		var ids []int
		for id := n - 1; id >= 0; id-- {
			ids = append(ids, id)
			ex.Calls = append(ex.Calls, slices.Repeat([]plan.Call{{Func: id}}, calls[id])...)
		}
		w := &warpTiles{pr: pr, g: &plan.Group{Out: n}}
		got := w.mostCalled(ids)
		if len(got) != min(n, mostStagedAlone) || !slices.IsSortedFunc(got, func(a, b int) int { return b - a }) {
			t.Fatalf("of %d Funcs %v", n, got)
		}
		least := calls[slices.MinFunc(got, func(a, b int) int { return calls[a] - calls[b] })]
		for _, id := range ids {
			if !slices.Contains(got, id) && calls[id] > least {
				t.Fatalf("%v leaves out %d, which is called at %d places; another of them at %d", got, id, calls[id], least)
			}
		}
	})
}

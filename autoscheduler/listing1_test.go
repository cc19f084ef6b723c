package autoscheduler

import (
	"math"
	"strings"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// pair is out(x, y) = g(x, y) + g(x+1, y), g(x, y) = in(x, y)*2 + 1 over 1024 x 1024 floats,
// with g in shared memory and a tile of 32 x 8.
func pair(t *testing.T) (*plan.Problem, *plan.Kernel) {
	t.Helper()
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1025, 1024)
	g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0], v[1]).Mul(2.0).Add(1.0)
	})
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return g.At(v[0], v[1]).Add(g.At(v[0].Add(1), v[1]))
	})
	b.Output(out, 1024, 1024)
	s := prepared(t, b)
	return s.problem, kernel(t, s.problem, strategy.BlockTile{}, s.problem.NewGroup(out.ID, []int{g.ID}))
}

// kernel is a group run by a strategy with a tile of 32 x 8.
func kernel(t *testing.T, pr *plan.Problem, st strategy.Strategy, g *plan.Group) *plan.Kernel {
	t.Helper()
	p, err := st.Prepare(pr, g, strategy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel(0, plan.Choice{Tile: []int64{32, 8}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestListing1ByHand works out the listing for pair with pencil and paper, for compute
// capability 7.5: 1024 threads an SM, 33x8 = 264 threads a block.
func TestListing1ByHand(t *testing.T) {
	pr, k := pair(t)
	if k.Block != [3]int64{33, 8, 1} || k.Grid != [3]int64{32, 128, 1} || k.SharedSum != 33*8*4 {
		t.Fatalf("block %v, grid %v, %d B", k.Block, k.Grid, k.SharedSum)
	}
	// g has 264 threads, 9 warps, 3 blocks of 32 warps: 27/32, 864 lanes active. out has 256,
	// 8 warps, 4 blocks: 32/32, 1024 lanes.
	arithmetic := 2*264.0/(27.0/32*864) + 1*256.0/(1.0*1024)
	// g loads 4 B a point from global memory, at 200 a byte and 32 B a transaction, and
	// stores to shared memory; out loads 8 B from there and stores 4 B to global memory.
	memory := 264*4*200/32.0 + 264*4.0 + 256*8.0 + 256*4*200/32.0
	want := 32 * 128 * (arithmetic + memory/(27.0/32*864))
	p := coster.Listing1{}.Price(pr, k, coster.Grouping)
	if !p.Valid() || math.Abs(p.Cost-want) > 1e-9*want {
		t.Errorf("cost %v (%v), by hand %v", p.Cost, p.Reject, want)
	}
}

func TestListing1Rejects(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(pr *plan.Problem, k *plan.Kernel)
		ph       coster.Phase
		want     string
		launches bool
	}{
		"whole warps": {func(pr *plan.Problem, k *plan.Kernel) {}, coster.Final, "not whole warps", true},
		"threads":     {func(pr *plan.Problem, k *plan.Kernel) { k.Block = [3]int64{64, 32, 1} }, coster.Grouping, "2048 threads", false},
		"shared":      {func(pr *plan.Problem, k *plan.Kernel) { k.SharedSum = 49153 }, coster.Grouping, "49153 B", false},
		"SMs":         {func(pr *plan.Problem, k *plan.Kernel) { pr.Device.SMs = 1 << 13 }, coster.Grouping, "SMs busy", true},
		"occupancy": {func(pr *plan.Problem, k *plan.Kernel) {
			k.SharedSum = 40 << 10
			k.Members[0].Nests[0].Threads[1].Extent = 1
			k.Out.Threads[1].Extent = 1
		}, coster.Grouping, "occupancy", true},
		"nothing does": {func(pr *plan.Problem, k *plan.Kernel) {}, coster.Grouping, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			pr, k := pair(t)
			c.change(pr, k)
			p := coster.Listing1{}.Price(pr, k, c.ph)
			if !strings.Contains(p.Reject.String(), c.want) || p.Valid() != (c.want == "") || p.Launches != c.launches {
				t.Errorf("reject %v, launches %v; want %q, %v", p.Reject, p.Launches, c.want, c.launches)
			}
			if p.Launches && p.Cost <= 0 {
				t.Errorf("a kernel that launches has no cost: %+v", p)
			}
		})
	}
}

// TestFusionSavesMemory: the memory cost of a fused kernel is below that of the two.
func TestFusionSavesMemory(t *testing.T) {
	pr, k := pair(t)
	g, out := k.Members[0].Func, k.Out.Func
	alone := 0.0
	for _, fn := range []int{g, out} {
		p := coster.Listing1{}.Price(pr, kernel(t, pr, strategy.Root{}, pr.NewGroup(fn, nil)), coster.Grouping)
		alone += p.Terms[1].Value
	}
	p := coster.Listing1{}.Price(pr, k, coster.Grouping)
	if p.Terms[1].Name != "memory" || p.Terms[1].Value >= alone {
		t.Errorf("fused memory %v, apart %v", p.Terms[1].Value, alone)
	}
}

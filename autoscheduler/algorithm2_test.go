package autoscheduler

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9*max(1, math.Abs(want)) }

func terms(p *coster.Price) map[string]float64 {
	m := map[string]float64{}
	for _, t := range p.Terms {
		m[t.Name] = t.Value
	}
	return m
}

// TestAlgorithm2Pair works out algorithm 2 for the kernel of listing1_test.go, on the RTX 2080 Ti of compute capability 7.5, with the
// V100's weights: g(x, y) and g(x+1, y) in shared memory, a tile of 32x8, a block of 33x8 threads.
func TestAlgorithm2Pair(t *testing.T) {
	pr, k := pair(t)
	p := coster.Algorithm2{}.Price(pr, k, coster.Grouping)
	got := terms(&p)
	// One load of in from g: the 32 lanes of the first warp take x = 32 to 63 of row 8, 128 B from 8*1025*4 + 128 =
	// 257*128 + 32 on: four transactions of 32 B, or two of 128 B, which are fewer.
	want := map[string]float64{
		"transactions": 50 * 2,
		// 8 columns of 33 that no tile would need without the halo, over 264 threads of one point each.
		"overlap": 100 * (33*8 - 32*8) / 264.,
		// 33*8*4 B a block, at most 16 blocks an SM of 64 KiB.
		"unallocated shared": 10 * (1 - 33*8*4*16/65536.),
		// 32x128 blocks over 68 SMs are 61 an SM, 16 of which are resident by shared memory: 13 more.
		"extra blocks": 61 % 16,
	}
	for name, v := range want {
		if !near(got[name], v) {
			t.Errorf("%s: %v, by hand %v", name, got[name], v)
		}
	}
	sum := 0.0
	for _, term := range p.Terms[:7] {
		sum += term.Value
	}
	if !p.Valid() || !near(p.Cost, sum) || got["bytes a transaction"] != 128 {
		t.Errorf("cost %v of terms %v (%v)", p.Cost, p.Terms, p.Reject)
	}
	if q := (coster.Algorithm2{}).Price(pr, k, coster.Final); q.Valid() || !strings.Contains(q.Reject.String(), "264 threads are not whole warps") || !q.Launches {
		t.Errorf("in the final pass: %v", q.Reject)
	}
}

// TestAlgorithm2InThreads: a member in the threads of its reader has their lanes, and is no buffer.
func TestAlgorithm2InThreads(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1024, 1024)
	g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0).Add(1.0) })
	f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return g.At(v[0], v[1]).Mul(g.At(v[0], v[1])) })
	b.Output(f, 1024, 1024)
	s := prepared(t, b)
	prep, err := strategy.BlockTile{}.Prepare(s.problem, s.problem.NewGroup(f.ID, []int{g.ID}), strategy.Options{Nesting: strategy.NestAlways})
	if err != nil {
		t.Fatal(err)
	}
	k, err := prep.Kernel(0, plan.Choice{Tile: []int64{32, 8}})
	if err != nil {
		t.Fatal(err)
	}
	p := coster.Algorithm2{}.Price(s.problem, k, coster.Grouping)
	if got := terms(&p); k.Members[0].Where != plan.AtThread || got["transactions"] != 50 || got["overlap"] != 0 || got["unallocated shared"] != 10 {
		t.Errorf("%v: %v", k.Members[0].Where, got)
	}
	// 4 sectors for the load and 4 for the store of each of 8 warps of 32x128 blocks.
	d := s.problem.Device
	want := 32 * 8 * 8 * 32 * 128. / (d.DRAMBandwidth * coster.ReachedBandwidth) * 1e6
	if got := coster.Features(s.problem, k)[0]; !near(got, want) {
		t.Errorf("transactions of %v us, by hand %v", got, want)
	}
}

// TestFittedAdds: a price of algorithm2-fitted is its terms, none of them negative or no number, whatever the kernel.
func TestFittedAdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prm, err := ParseParams(map[string]string{
			"cost": rapid.SampledFrom([]string{"algorithm2", "algorithm2-fitted"}).Draw(t, "cost"), "gpu": rapid.SampledFrom([]string{"gtx1080ti", "h200", "generic"}).Draw(t, "gpu"),
			"tiling": rapid.SampledFrom([]string{"block", "block-window", "warp"}).Draw(t, "tiling"),
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(stencilGraph(t), prm)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Found {
			for _, p := range f.Prices {
				sum, n := 0.0, 7
				if prm.Cost == "algorithm2-fitted" {
					n = len(p.Terms)
				}
				for _, term := range p.Terms[:n] {
					sum += term.Value
					if !(term.Value >= -1e-9) || math.IsInf(term.Value, 0) {
						t.Fatalf("%s is %v", term.Name, term.Value)
					}
				}
				if !near(p.Cost, sum) {
					t.Fatalf("%v, its terms are %v", p.Cost, sum)
				}
			}
		}
	})
}

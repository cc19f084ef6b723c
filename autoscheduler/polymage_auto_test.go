package autoscheduler

import (
	"testing"

	"pgregory.net/rapid"

	"gowarp/internal/irtest"
)

// TestOneTile: with grouping=polymage-auto all kernels have one tile, cut to their extents, and none computes more than half as many points
// again as it needs of what it fuses.
func TestOneTile(t *testing.T) {
	fused := 0
	rapid.Check(t, func(t *rapid.T) {
		p := stencilGraph(t)
		prm, err := ParseParams(map[string]string{"grouping": "polymage-auto", "fusion": "overlap", "cost": rapid.SampledFrom(fusionCosters).Draw(t, "cost")})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		var tile []int64
		for _, f := range r.Found {
			k := f.Layout.Kernels[0]
			for i, n := range k.Choice.Tile {
				if len(tile) <= i {
					tile = append(tile, n)
				}
				extent := r.Problem.Dims[r.Problem.StageIndex(k.Out.Func, 0)].Extent[r.Problem.Dims[r.Problem.StageIndex(k.Out.Func, 0)].Tiled[i]]
				if n != tile[i] && n != extent {
					t.Fatalf("tiles %v and %v", tile, k.Choice.Tile)
				}
			}
			// The stencils have no scales: without the halo a tile needs as many points of each.
			own, all := 0.0, 0.0
			area := float64(k.Choice.Tile[0] * k.Choice.Tile[1])
			for i := range k.Members {
				own += area
				all += float64(k.Members[i].Extents[0] * k.Members[i].Extents[1])
			}
			if len(k.Members) > 0 {
				fused++
				if share := (all - own) / (own + area); share > .5+1e-9 {
					t.Fatalf("tiles of %v: %.2f of the points are computed again", k.Choice.Tile, share)
				}
			}
		}
	})
	if fused == 0 {
		t.Error("nothing was ever fused: the test shows nothing")
	}
}

// TestOverlapThreshold: what is read within a radius is fused as long as some tile keeps the overlap within a half.
func TestOverlapThreshold(t *testing.T) {
	// A tile of w points in x has r redundant points to 2w of its own: the widest, of 512, takes r = 512.
	for r, groups := range map[int]int{4: 1, 512: 1, 513: 2} {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 4096, 2048)
		wide := func(src func(...any) irtest.Expr, v []irtest.Expr, r int) irtest.Expr {
			sum := src(v[0], v[1])
			for i := 1; i <= 4; i++ {
				sum = sum.Add(src(v[0].Add(r*i/4), v[1]).Mul(sum))
			}
			return sum
		}
		g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return wide(in.At, v, 4) })
		out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return wide(g.At, v, r) })
		b.Output(out, 2048, 2048)
		s, err := toGroup(b.Build(), map[string]string{"grouping": "polymage-auto", "fusion": "overlap", "cost": "issue"})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := s.grouping.Group(s.searcher, noInlining{})
		if err != nil || s.problem.Inlined[g.ID] {
			t.Fatalf("g inlined: %v; %v", s.problem.Inlined[g.ID], err)
		}
		if len(got) != groups {
			t.Errorf("radius %d: %d groups with a tile of %v, want %d", r, len(got), s.searcher.Tile, groups)
		}
	}
}

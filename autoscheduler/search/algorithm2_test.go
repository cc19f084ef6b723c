package search_test

import (
	"slices"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/irtest"
)

// TestByModel: mode=polymage also tries the tile of warps that Algorithm 2 finds by itself, says how large the sets were, and
// never costs more for it.
func TestByModel(t *testing.T) {
	taken, hybrid := 0, 0
	for loads := range 4 {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 4300, 3000)
		f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			at := func(x, y irtest.Expr) irtest.Expr {
				return in.At(x.Clamp(in.Bound(0, "min"), in.Bound(0, "max")), y.Clamp(in.Bound(1, "min"), in.Bound(1, "max")))
			}
			sum := at(v[0], v[1]).Mul(2.0)
			for i := range loads {
				sum = sum.Add(at(v[0].Add(i+1), v[1]).Mul(at(v[0], v[1].Add(i))))
			}
			return sum
		})
		g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			return f.At(v[0], v[1]).Mul(f.At(v[0], v[1].Add(1+loads))).Add(f.At(v[0], v[1].Add(2)))
		})
		b.Output(g, 4256, 2832)
		p := b.Build()
		prm, err := autoscheduler.ParseParams(map[string]string{"mode": "polymage", "gpu": "gtx1080ti"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := autoscheduler.Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		for i, group := range r.Groups {
			m := r.Found[i].Looks[0].Model
			if len(group.Members) == 0 {
				if m != nil {
					t.Errorf("%d loads: a group of one Func was searched", loads)
				}
				continue
			}
			set, paper := coster.LaneSet(2), coster.PaperSet(2)
			if m == nil || m.Emitted.Candidates != set.Size() || m.Paper.Candidates != paper.Size() {
				t.Fatalf("%d loads: %+v", loads, m)
			}
			if m.Paper.Cost > m.Emitted.Cost && m.Emitted.Refused == 0 {
				t.Errorf("%d loads: of the whole set %v at %v, of a part of it %v at %v", loads, m.Paper.Tiling, m.Paper.Cost, m.Emitted.Tiling, m.Emitted.Cost)
			}
			if c := m.Emitted.Tiling; !slices.Contains(set.Tiles[0], c.Tile[0]) || c.Block[0] != 32 {
				t.Errorf("%d loads: %v cannot be emitted", loads, c)
			}
			// Tiles of blocks cost less as printed; beside those of warps in registers alone the model's choice shows.
			alone := search.Searcher{Problem: r.Problem, Coster: coster.Algorithm2{}, Strategies: strategy.Tilings["warp-registers"], Options: strategy.Options{Nesting: strategy.NestAlways}, Explain: true}
			without, err := alone.Best(group, coster.Final)
			if err != nil {
				t.Fatal(err)
			}
			alone.ByModel = true
			with, err := alone.Best(group, coster.Final)
			if err != nil {
				t.Fatal(err)
			}
			if without.Valid() && with.Cost > without.Cost {
				t.Errorf("%d loads: %v with the model's choice, %v without", loads, with.Cost, without.Cost)
			}
			if m := with.Looks[0].Model; m.Taken {
				taken++
				if w := with.Layout.Kernels[0].Choice.Warp; w.Points != m.Emitted.Tiling.Tile[0] || w.Rows != m.Emitted.Tiling.Tile[1] || w.Warps != m.Emitted.Tiling.Block[1] {
					t.Errorf("%d loads: %v was found, %+v is laid out", loads, m.Emitted.Tiling, w)
				}
			}
			if f := m.Emitted.Tiling.Fraction; f > 0 && f < 1 {
				hybrid++
			}
		}
	}
	if taken == 0 || hybrid == 0 {
		t.Errorf("%d taken, %d hybrid: the test sees nothing of them", taken, hybrid)
	}
}

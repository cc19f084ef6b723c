package coster_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/coster"
	"gowarp/internal/irtest"
)

// stencils is a random chain of stencils in so many dimensions as one group.
func stencils(t testing.TB, rnd *rand.Rand, dims int, gpu string) *coster.WarpTiles {
	t.Helper()
	b := irtest.New()
	extent := []int64{200 + rnd.Int64N(3000), 200 + rnd.Int64N(2000), 70 + rnd.Int64N(100)}[:dims]
	in := b.Input("in", irtest.F32, []int64{4000, 3000, 300}[:dims]...)
	sources := []interface{ At(...any) irtest.Expr }{in}
	names := []string{"x", "y", "z"}[:dims]
	var last *irtest.Func
	for range 1 + rnd.IntN(4) {
		last = b.Func("f", names, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			from := sources[max(0, len(sources)-1-rnd.IntN(2))]
			at := func(i int) irtest.Expr {
				var args []any
				for d := range v {
					args = append(args, v[d].Add((i>>d)%(1+rnd.IntN(4))))
				}
				return from.At(args...)
			}
			sum := at(0)
			for i := range rnd.IntN(6) {
				sum = sum.Add(at(i + 1).Mul(2.0))
			}
			if rnd.IntN(3) == 0 { // another load of the input, beside those of what is fused
				var args []any
				for d := range v {
					args = append(args, v[d].Add(rnd.IntN(3)))
				}
				sum = sum.Mul(in.At(args...))
			}
			return sum
		})
		sources = append(sources, last)
	}
	b.Output(last, extent...)
	return ofAll(t, b, last.ID, gpu)
}

// ofAll is a pipeline's Funcs as one group.
func ofAll(t testing.TB, b *irtest.Builder, out int, gpu string) *coster.WarpTiles {
	t.Helper()
	prm, err := autoscheduler.ParseParams(map[string]string{"gpu": gpu, "grouping": "none"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := autoscheduler.Run(b.Build(), prm)
	if err != nil {
		t.Fatal(err)
	}
	var members []int
	for id := range r.Problem.P.Funcs {
		if id != out && r.Problem.Stored(id) {
			members = append(members, id)
		}
	}
	m, err := coster.NewWarpTiles(r.Problem, r.Problem.NewGroup(out, members), 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// small is a part of the paper's set that can be priced one by one.
func small(dims int, rnd *rand.Rand) coster.TilingSet {
	set := coster.PaperSet(dims)
	for i := range set.Tiles {
		set.Tiles[i] = slices.DeleteFunc(set.Tiles[i], func(t int64) bool { return t > int64([]int{32, 9, 4}[dims-1]) })
	}
	most := int64(256 >> rnd.IntN(2))
	set.Blocks = slices.DeleteFunc(set.Blocks, func(b [3]int64) bool { return b[0]*b[1]*b[2] > most })
	return set
}

// brute is the best of a set by pricing all of it, in the order of the candidates.
func brute(m *coster.WarpTiles, set *coster.TilingSet) (best coster.Tiling, cost float64) {
	cost = math.Inf(1)
	for _, x := range set.Tiles[0] {
		for _, y := range set.Tiles[1] {
			for _, z := range set.Tiles[2] {
				for _, b := range set.Blocks {
					for _, f := range set.Fractions {
						for _, size := range []int64{32, 128} {
							c := coster.Tiling{Tile: [3]int64{x, y, z}, Block: b, Fraction: f, Transaction: size}
							if v := m.Cost(c); v < cost {
								best, cost = c, v
							}
						}
					}
				}
			}
		}
	}
	return best, cost
}

// TestSearchIsExact: the search finds what pricing every candidate finds, ties included, and prices fewer. With bounds that are too high it
// does not: the same comparison then fails.
func TestSearchIsExact(t *testing.T) {
	broken := 0
	for seed := range uint64(24) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		dims := 1 + int(seed%3)
		m := stencils(t, rnd, dims, []string{"gtx1080ti", "v100", "h200"}[rnd.IntN(3)])
		set := small(dims, rnd)
		best, cost := brute(m, &set)
		got := m.Best(&set, nil)
		if got.Tiling != best || got.Cost != cost {
			t.Errorf("seed %d: %v at %v, one by one %v at %v", seed, got.Tiling, got.Cost, best, cost)
		}
		if got.Candidates != set.Size() || got.Priced >= got.Candidates {
			t.Errorf("seed %d: %d of %d candidates were priced", seed, got.Priced, set.Size())
		}
		if loose := m.SearchWith(&set, 1.5); loose.Tiling != best {
			broken++
		}
	}
	if broken == 0 {
		t.Error("with bounds that are half as high again the search finds the same: the comparison cannot fail")
	}
}

// TestSearchAccepts: what is refused is not taken, and the next best is.
func TestSearchAccepts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 8))
	m := stencils(t, rnd, 2, "gtx1080ti")
	set := small(2, rnd)
	refused := func(c coster.Tiling) bool { return c.Tile[1] > 1 && c.Block[0] == 32 && c.Fraction < 1 }
	want := math.Inf(1)
	for _, x := range set.Tiles[0] {
		for _, y := range set.Tiles[1] {
			for _, b := range set.Blocks {
				for _, f := range set.Fractions {
					for _, size := range []int64{32, 128} {
						if c := (coster.Tiling{Tile: [3]int64{x, y, 1}, Block: b, Fraction: f, Transaction: size}); refused(c) {
							want = min(want, m.Cost(c))
						}
					}
				}
			}
		}
	}
	got := m.Best(&set, refused)
	if !refused(got.Tiling) || got.Cost != want {
		t.Errorf("%v at %v (%d refused), want %v", got.Tiling, got.Cost, got.Refused, want)
	}
	if none := m.Best(&set, func(coster.Tiling) bool { return false }); !math.IsInf(none.Cost, 1) {
		t.Errorf("all is refused, and %v is taken", none.Tiling)
	}
}

// TestPaperSet: blocks are whole warps, all of them boxes.
func TestPaperSet(t *testing.T) {
	for loops, want := range map[int]int{1: 32, 2: 0, 3: 0} {
		set := coster.PaperSet(loops)
		if want > 0 && len(set.Blocks) != want {
			t.Errorf("%d blocks of %d loops, want %d", len(set.Blocks), loops, want)
		}
		for _, b := range set.Blocks {
			if n := b[0] * b[1] * b[2]; n%32 != 0 || n > 1024 {
				t.Errorf("a block of %v", b)
			}
		}
		for _, odd := range [][3]int64{{48, 2, 1}, {8, 6, 1}, {12, 8, 1}} {
			if slices.Contains(set.Blocks, odd) {
				t.Errorf("the warps of %v are no boxes", odd)
			}
		}
		if loops > 1 && !slices.Contains(set.Blocks, [3]int64{16, 8, 1}) || len(set.Fractions) != 11 || set.Fractions[3] != .3 {
			t.Errorf("%v", set.Fractions)
		}
	}
}

// BenchmarkPaperSet is the search over the paper's whole set: chains of stencils, as many stages as its harris has.
func BenchmarkPaperSet(b *testing.B) {
	for dims := 1; dims <= 3; dims++ {
		for _, stages := range []int{2, 11} {
			bd := irtest.New()
			in := bd.Input("in", irtest.F32, []int64{4300, 2900, 300}[:dims]...)
			var from interface{ At(...any) irtest.Expr } = in
			var last *irtest.Func
			for range stages {
				src := from
				last = bd.Func("f", []string{"x", "y", "z"}[:dims], irtest.F32, func(v []irtest.Expr) irtest.Expr {
					var sum irtest.Expr
					for i := range 1 << dims {
						var args []any
						for d := range v {
							args = append(args, v[d].Add(i>>d&1))
						}
						if i == 0 {
							sum = src.At(args...)
						} else {
							sum = sum.Add(src.At(args...).Mul(i))
						}
					}
					return sum
				})
				from = last
			}
			bd.Output(last, []int64{4256, 2832, 256}[:dims]...)
			m := ofAll(b, bd, last.ID, "gtx1080ti")
			set := coster.PaperSet(dims)
			b.Run([]string{"1d", "2d", "3d"}[dims-1]+map[int]string{2: "/2stages", 11: "/11stages"}[stages], func(b *testing.B) {
				var s coster.Searched
				for b.Loop() {
					s = m.Anew().Best(&set, nil)
				}
				b.ReportMetric(float64(s.Candidates), "candidates")
				b.ReportMetric(float64(s.Priced), "priced")
			})
		}
	}
}

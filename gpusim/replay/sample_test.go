package replay

import (
	"testing"

	"pgregory.net/rapid"
)

// TestStrata: the strata of a grid have each of its blocks once, and a sample has blocks of its stratum, each once; at least one of each, and all
// where all are to run.
func TestStrata(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var grid [3]int
		total := 1
		for d := range grid {
			grid[d] = rapid.IntRange(1, 12).Draw(t, "grid")
			total *= grid[d]
		}
		most := rapid.IntRange(1, total+3).Draw(t, "most")
		all := strata(grid)
		whole, some := map[int]bool{}, 0
		for i, n := range share(all, most) {
			s := &all[i]
			in := map[int]bool{}
			for _, b := range s.sample(s.blocks()) {
				in[b] = true
				if whole[b] || b < 0 || b >= total {
					t.Fatalf("block %d of %v is in two strata, or in no grid", b, grid)
				}
			}
			for b := range in {
				whole[b] = true
			}
			if len(in) != s.blocks() {
				t.Fatalf("%d blocks of %d", len(in), s.blocks())
			}
			sampled := s.sample(n)
			if len(sampled) != n || n < 1 {
				t.Fatalf("a sample of %d has %d blocks", n, len(sampled))
			}
			for _, b := range sampled {
				if !in[b] {
					t.Fatalf("block %d is there twice, or of another stratum", b)
				}
				delete(in, b)
			}
			some += n
		}
		if len(whole) != total {
			t.Fatalf("%d blocks of %d", len(whole), total)
		}
		if some > max(most, len(all)) || most >= total && some != total {
			t.Fatalf("%d blocks run of %d, %d are to", some, total, most)
		}
	})
}

// TestFirstStratum: the one between the edges is the first, whose first sample is its midst.
func TestFirstStratum(t *testing.T) {
	all := strata([3]int{10, 5, 1})
	if got := all[0].sample(1); len(all) != 9 || got[0] != 2*10+5 {
		t.Errorf("%d strata, block %v", len(all), got)
	}
}

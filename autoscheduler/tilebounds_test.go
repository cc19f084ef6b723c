package autoscheduler

import (
	"testing"

	"gowarp/autoscheduler/strategy"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"
)

// TestTileBounds works the equation of Sioutas et al. 2020, section 4.2, by hand.
func TestTileBounds(t *testing.T) {
	for _, c := range []struct {
		name     string
		extent   int64
		i, loops int
		update   bool
		half     bool
		want     plan.Tiles
	}{
		{"B >= 1024, one loop: B", 1024, 0, 1, false, false, plan.Tiles{Min: 8, Max: 1024}},
		{"no more threads than a block has", 4096, 0, 1, false, false, plan.Tiles{Min: 8, Max: 1024}},
		{"B >= 1024, one loop of an update: B/128", 1536, 0, 1, true, false, plan.Tiles{Min: 8, Max: 12}},
		{"B >= 1024, several: B/32", 1536, 0, 2, false, false, plan.Tiles{Min: 8, Max: 48}},
		{"the second of them", 2560, 1, 2, false, false, plan.Tiles{Min: 8, Max: 80}},
		{"otherwise B/2", 1023, 0, 2, false, false, plan.Tiles{Min: 8, Max: 511}},
		{"otherwise B/2, one loop", 100, 0, 1, false, false, plan.Tiles{Min: 8, Max: 50}},
		{"at most 64: from 2", 64, 0, 1, false, false, plan.Tiles{Min: 2, Max: 32}},
		{"at most 64 beside others: all of it", 39, 0, 2, false, false, plan.Tiles{Min: 2, Max: 39}},
		{"the third: from 1", 512, 2, 3, false, false, plan.Tiles{Min: 1, Max: 256}},
		{"two iterations", 2, 0, 1, false, false, plan.Tiles{Min: 2, Max: 2}},
		{"one iteration", 1, 0, 1, false, false, plan.Tiles{Min: 1, Max: 1}},
		{"B/128 below Tmin", 1024, 0, 1, true, false, plan.Tiles{Min: 8, Max: 8}},
		{"Intel: half", 1536, 0, 2, false, true, plan.Tiles{Min: 8, Max: 24}},
		{"Intel: half of Tmax, not of the threads alone", 4096, 0, 1, false, true, plan.Tiles{Min: 8, Max: 512}},
	} {
		if got := boundsOf(c.extent, c.i, c.loops, c.update, 1024, c.half); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestTilesTried: powers of two from Tmin on while grouping, steps of two at last, and never
// more threads than a block has.
func TestTilesTried(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 1536, 2560)
	f := b.Func("f", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0) })
	b.Output(f, 1536, 2560)
	s := prepared(t, b)
	grouping, final := strategy.Tiles(s.problem, f.ID, 0, strategy.PowersOfTwo), strategy.Tiles(s.problem, f.ID, 0, strategy.StepOfTwo)
	// x: 8, 16, 32 of at most 48; y: 8, 16, 32, 64 of at most 80: 12, less 32x64.
	if len(grouping) != 11 {
		t.Errorf("%d tiles while grouping, want 11: %v", len(grouping), grouping)
	}
	// x: 8, 10 .. 48; y: 8, 10 .. 80, as far as x*y <= 1024 lets it.
	want := 0
	for x := 8; x <= 48; x += 2 {
		for y := 8; y <= 80 && x*y <= 1024; y += 2 {
			want++
		}
	}
	if len(final) != want {
		t.Errorf("%d tiles at last, want %d", len(final), want)
	}
	for _, tile := range append(grouping, final...) {
		if tile[0]*tile[1] > 1024 || tile[0]%2 != 0 || tile[1]%2 != 0 {
			t.Errorf("a tile of %v", tile)
		}
	}
}

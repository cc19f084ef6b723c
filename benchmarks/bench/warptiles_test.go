package bench

import "testing"

// TestWarpTiles: every program of the table is there with figures that can be, and its rows are parameters that the plugin takes.
func TestWarpTiles(t *testing.T) {
	if len(WarpTiles) < 8 || AboutWarpTiles == "" {
		t.Fatalf("%d programs; about: %q", len(WarpTiles), AboutWarpTiles)
	}
	for _, w := range WarpTiles {
		if w.Most > 0 && w.Most >= Experts[w.Program].Counted.WarpInstructions {
			t.Errorf("%s aims at %v, which the app does in %v", w.Program, w.Most, Experts[w.Program].Counted.WarpInstructions)
		}
		if (w.Figure9 == nil) != (w.Table5 == nil) || (w.Figure9 == nil) != (w.Table4 == nil) {
			t.Errorf("%s has some of the paper's figures", w.Program)
		}
		if f := w.Figure9; f != nil {
			for i, v := range []float64{f.Shared[0], f.Shared[1], f.Registers[0], f.Registers[1], f.Hybrid[0], f.Hybrid[1], w.Table4[0], w.Table4[1]} {
				if v < 0.5 || v > 3 {
					t.Errorf("%s: speed-up %d is %v", w.Program, i, v)
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, s := range WarpSchedulers() {
		if _, err := ParseScheduler(s.Label()); err != nil || seen[s.Label()] {
			t.Errorf("%s: %v, twice: %t", s.Label(), err, seen[s.Label()])
		}
		seen[s.Label()] = true
	}
}

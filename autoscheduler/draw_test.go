package autoscheduler

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// TestDraw: what is drawn replays, comes again for the same seed and number, and is of many kinds.
func TestDraw(t *testing.T) {
	t.Parallel()
	pipelines := map[string]*halideir.Pipeline{"chain": irtest.StencilChain(8)}
	for _, name := range []string{"harris", "hist", "pyramid", "features"} {
		data, err := os.ReadFile("../halideir/testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if pipelines[name], err = halideir.Decode(data); err != nil {
			t.Fatal(err)
		}
	}
	const draws = 12
	strategies := map[string]bool{}
	for name, p := range pipelines {
		params, err := ParseParams(map[string]string{"gpu": "h200"})
		if err != nil {
			t.Fatal(err)
		}
		different, kernels := map[string]bool{}, map[int]bool{}
		for n := range uint64(draws) {
			r, err := Draw(p, params, 1, n)
			if err != nil {
				t.Fatalf("%s, draw %d: %v", name, n, err)
			}
			text := r.Schedule.JSON()
			again, err := Draw(p, params, 1, n)
			if err != nil || !bytes.Equal(again.Schedule.JSON(), text) {
				t.Errorf("%s, draw %d: not the same again (%v)", name, n, err)
			}
			different[string(text)] = true
			kernels[len(r.Schedule.Kernels)] = true
			for _, f := range r.Found {
				for _, k := range f.Layout.Kernels {
					strategies[k.Strategy] = true
				}
			}
			file := filepath.Join(t.TempDir(), "schedule.json")
			if err := os.WriteFile(file, text, 0o666); err != nil {
				t.Fatal(err)
			}
			saved := params
			saved.Schedule = file
			s, err := Schedule(p, saved)
			if err != nil {
				t.Errorf("%s, draw %d does not replay: %v", name, n, err)
				continue
			}
			if !bytes.Equal(s.JSON(), text) {
				t.Errorf("%s, draw %d replays otherwise", name, n)
			}
		}
		if len(different) < draws/2 || len(kernels) < 3 {
			t.Errorf("%s: %d different schedules of %d, with %d numbers of kernels", name, len(different), draws, len(kernels))
		}
	}
	for _, s := range []string{"root", "block-tile", "block-window", "warp-registers"} {
		if !strategies[s] {
			t.Errorf("none has a kernel by %s; there are %v", s, strategies)
		}
	}
}

package calibration

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gowarp/benchmarks/bench"
	"gowarp/halideir"
)

// TestKeep: fewer draws, or those of another seed, take nothing away that still holds.
func TestKeep(t *testing.T) {
	text, err := os.ReadFile("../../autoscheduler/testdata/harris.json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := halideir.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	counted := func(seed uint64, draws int, instructions float64, size ...int) []Line {
		lines, err := Schedules(p, "harris", "h200", seed, draws)
		if err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			lines[i].Outcome, lines[i].CountedSize, lines[i].Counted = bench.OK, size, map[string]float64{"warp_instructions": instructions}
			for j := range lines[i].Kernels {
				lines[i].Kernels[j].Counted = map[string]float64{"sectors": instructions}
			}
		}
		return lines
	}
	old := counted(1, 4, 100, 384, 256)
	other := slices.Clone(old[:1])
	other[0].Program = "blur"
	stale := slices.Clone(old[len(old)-1:])
	stale[0].Name, stale[0].Number = "draw-77-0123456789", 77
	file := slices.Concat(old, other, stale)
	names := func(lines []Line) (all []string) {
		for _, l := range lines {
			all = append(all, l.Name)
		}
		return all
	}

	var log strings.Builder
	all, err := keep(p, counted(1, 1, 200, 384, 256), file, &log)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names(all), names(old)) {
		t.Fatalf("%q, want %q", names(all), names(old))
	}
	drawn := 0
	for _, l := range all {
		want := 200.0 // counted again: coster's own and the one draw
		if l.Own == "" {
			if drawn++; drawn > 1 {
				want = 100
			}
		}
		if l.Counted["warp_instructions"] != want || l.Kernels[0].Counted["sectors"] != want || l.Outcome != bench.OK || len(l.Predicted) == 0 || l.Seed != 1 {
			t.Errorf("%s: %v, want %v", l.Name, l.Counted, want)
		}
	}
	if got := log.String(); !strings.Contains(got, "3 lines of other draws stay") || !strings.Contains(got, "1 lines go: gowarp does not draw") {
		t.Errorf("said %q", got)
	}

	if all, err = keep(p, counted(2, 2, 300, 384, 256), old, &log); err != nil {
		t.Fatal(err)
	}
	if n := len(all); n < len(old)+1 || all[n-1].Seed != 2 || all[len(old)-1].Seed != 1 {
		t.Errorf("another seed: %q", names(all))
	}
	log.Reset()
	if all, err = keep(p, counted(1, 1, 300, 768, 512), old, &log); err != nil || len(all) != len(old)-3 || !strings.Contains(log.String(), "3 lines go: they were not counted at 768x512") {
		t.Errorf("another size: %q, %v: %s", names(all), err, log.String())
	}
}

package report

import (
	"strings"
	"testing"

	"gowarp/benchmarks/bench"
)

// TestBesideExperts: bytes are held against the app's profile where one was published (harris moves 1.02 times the compulsory
// ones), else against the schedule by hand (hist), and with the L2 apart.
func TestBesideExperts(t *testing.T) {
	line := func(program, scheduler string, warps, cold, dram float64) bench.Record {
		return bench.Record{
			Program: program, Scheduler: scheduler, GPU: "rtx2080ti", Outcome: bench.OK,
			Counted: &bench.Simulated{Size: []int{768, 512}, Per32: map[string]float64{"warp_instructions": warps, "cold_bytes": cold, "dram_bytes": dram, "compulsory_bytes": 100}},
		}
	}
	for _, c := range []struct {
		name        string
		cold, dram  float64 // of hist, whose schedule by hand moves 150 and 160
		harris      float64
		want, wantB string
	}{
		{"less", 140, 150, 101, "on 2 of 2: 1 of the 1 with a published profile, 1 of the 1 beside our schedule by hand", "it is 2."},
		{"more with the L2", 140, 170, 101, "on 2 of 2: 1 of the 1 with a published profile, 1 of the 1 beside our schedule by hand", "it is 1."},
		{"more", 160, 170, 120, "on 0 of 2: 0 of the 1 with a published profile, 0 of the 1 beside our schedule by hand", "it is 0."},
	} {
		var b strings.Builder
		err := Markdown(&b, []bench.Record{
			line("harris", "gowarp:fusion=nested", 130, c.harris, c.harris), line("harris", "expert", 120, 100, 100),
			line("hist", "gowarp:fusion=nested", 40, c.cold, c.dram), line("hist", "expert", 45, 150, 160),
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, "at most the app's warp instructions on 1 of 2 programs") || !strings.Contains(got, c.want) || !strings.Contains(got, c.wantB) {
			t.Errorf("%s: want %q and %q in\n%s", c.name, c.want, c.wantB, got)
		}
	}
}

package report

import (
	"strings"
	"testing"

	"gowarp/benchmarks/bench"
	"gowarp/gpusim/count"
)

// warpRecord is a record of harris by one tiling: two kernels, of which the first is of that form, with a special case that is
// launched at the counted size only.
func warpRecord(scheduler string, with map[string]string, form string, instructions float64, spills int) bench.Record {
	kernel := func(name string, launches int, n int64, strategy string) bench.Kernel {
		return bench.Kernel{Name: name, Launches: launches, Registers: 40, SpillBytes: spills, Occupancy: 0.5 * float64(launches), Strategy: strategy, OwnPoints: 100, HaloPoints: 50,
			Count: &count.Kernel{WarpInstructions: n, GlobalLoads: 10, BlockBytes: 300, ColdBytes: 200}}
	}
	return bench.Record{
		Schema: bench.Schema, Program: "harris,width=4256", Scheduler: scheduler, With: with, GPU: "rtx2080ti", UpTo: bench.UpToSimulate, Outcome: bench.OK, Size: []int{4256, 2832},
		Kernels: []bench.Kernel{kernel("_kernel_output_s0_y_block", 1, 20, form), kernel("_kernel_output_s0_y_block_1", 0, 60, form), kernel("_kernel_gray_s0_y_block", 1, 20, "block-tile")},
		Counted: &bench.Simulated{Size: []int{768, 512}, Elements: 1000, Per32: map[string]float64{"warp_instructions": instructions, "sectors": 30, "shuffles": 2}},
	}
}

// TestWarpTiles: the rows of a program come in the order of the tilings, hybrids by what is in registers; forms, shares, halo and
// occupancy are of the kernels, and what is aimed at is held against kernels that do not spill.
func TestWarpTiles(t *testing.T) {
	hybrid := func(f string) map[string]string {
		return map[string]string{"tiling": "warp-hybrid", "frac_reg": f, "cost": "issue"}
	}
	failed := warpRecord("gowarp:cost=issue,tiling=warp-shared", map[string]string{"tiling": "warp-shared"}, "", 0, 0)
	failed.Outcome, failed.Reason, failed.Counted, failed.Kernels = bench.FailsToSchedule, "no kernel of this pipeline is done so", nil, nil
	another := warpRecord("gowarp:e", hybrid("0"), "", 95, 0)
	another.Unplanned = "another schedule was taken"
	text := WarpTiles([]bench.Record{
		another,
		warpRecord("gowarp:a", hybrid("0.25"), "warp-hybrid", 90, 0),
		warpRecord("gowarp:b", hybrid("0.5"), "warp-hybrid", 85, 0),
		warpRecord("gowarp:c", map[string]string{"tiling": "block"}, "block-tile", 210, 0),
		warpRecord("gowarp:d", map[string]string{"tiling": "warp-registers"}, "warp-registers", 60, 8),
		failed,
	})
	if again := WarpTiles([]bench.Record{failed, warpRecord("gowarp:c", map[string]string{"tiling": "block"}, "block-tile", 210, 0)}); again == text || !strings.HasPrefix(again, "# Tiles of warps\n") {
		t.Errorf("%s", again)
	}
	at := 0
	for _, line := range []string{
		"### harris\n", "Scheduled for an output of 4256x2832, counted at 768x512.",
		"| Halide's app | | | 119 | 32.7 | | | 65.0 | | | | | |\n",
		// Two of the three launched; the special case is the other's form. Its occupancy is that of its stage.
		"| block | 2 of 2 | 100 % | 210 | 0 | 2.00 | 0 | 30.0 | 40 | 0 | 0.50 | 50 % | 50 % |\n",
		"| warp-registers | 1 of 2 | 80 % | 60.0 | 0 | 2.00 | 0 | 30.0 | 40 | 24 | 0.50 | 50 % | 50 % |\n",
		"| warp-shared | **fails-to-schedule** |", "| warp-hybrid 0.5 | 1 of 2 | 80 % | 85.0 |", "| warp-hybrid 0.25 | 1 of 2 |", "| warp-hybrid 0 |  |  | 95.0 |", "Of warp-hybrid 0 the forms are not known: another schedule was taken.",
		"| harris | 119 | 80.0 | 85.0 | warp-hybrid 0.5 | no |\n", // 60 is less, and spills
		"| harris | 1.50 / 1.25 | 0.80 / 0.70 | 2.25 / 1.96 | block | - | 1.00 | 1.00 (0.5) | - | 3.50 | 2.47 |\n",
		"| geometric mean | ", "no kernel of this pipeline is done so",
	} {
		i := strings.Index(text[at:], line)
		if i < 0 {
			t.Fatalf("%q is not there, or not behind what is before it:\n%s", line, text)
		}
		at += i
	}
	if strings.Contains(text, "Beside table 5") {
		t.Error("a table of hybrids over tiles in shared memory, of which there is none")
	}
}

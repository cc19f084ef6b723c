package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"gowarp/benchmarks/textfile"
	"gowarp/occupancy"
)

// TestLeftIdleOnAnH100: an H100 held fewer of some kernels' warps than the registers promise that a thread of several points needs. What Nsight Compute says there, of the code that the driver compiled, is the
// oracle: how many blocks an SM holds by each of its limits.
func TestLeftIdleOnAnH100(t *testing.T) {
	d, err := occupancy.Lookup("h100")
	if err != nil {
		t.Fatal(err)
	}
	pr := &Problem{Device: &d, Limits: Limits{MaxRegisters: 64}}
	idle := func(warps int64, registers int) float64 {
		return (&Kernel{Block: [3]int64{32, warps, 1}, Registers: registers, Held: 10}).LeftIdle(pr)
	}
	full, lone := 0, 0
	err = textfile.EachLine("../../benchmarks/results/gpu/h100/counters-again.jsonl.gz", 1<<20, func(_ int, line []byte) error {
		var l struct {
			Program, Kernel, Block string
			Counters               map[string]float64
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		var x, y, z int64
		if _, err := fmt.Sscanf(l.Block, "(%d, %d, %d)", &x, &y, &z); err != nil {
			return err
		}
		warps := (&Kernel{Block: [3]int64{x, y, z}}).Warps()
		if l.Counters["launch__registers_per_thread"] <= takenRegisters-8 { // a warp's registers come in units of eight for each thread
			return nil // with 56 and fewer more warps fit
		}
		const all = 32 // warps of 64 registers a thread
		ran := float64(warps) * min(l.Counters["launch__occupancy_limit_registers"], l.Counters["launch__occupancy_limit_warps"])
		if got := idle(warps, 32); math.Abs(got-(1-ran/all)) > 1e-9 {
			t.Errorf("%s/%s: blocks of %d warps leave %.3f idle; the profiler says that %v warps fit", l.Program, l.Kernel, warps, got, ran)
		}
		full++
		if ran < all*3/4 {
			lone++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if full < 30 || lone == 0 {
		t.Errorf("%d kernels took about %d registers, and blocks of %d left a quarter idle: too few to see anything", full, takenRegisters, lone)
	}
	if alone, two := idle(17, 32), idle(16, 32); alone != 15./32 || two != 0 {
		t.Errorf("blocks of 17 warps leave %v idle and blocks of 16 %v, want 15 of 32 and none", alone, two)
	}
	k := &Kernel{Block: [3]int64{32, 17, 1}, Registers: 32} // one point a thread: what it needs
	if got := k.LeftIdle(pr); got != 0 {
		t.Errorf("%v idle with one point a thread", got)
	}
}

// TestResident: blocks count less what whole blocks leave idle, where there are fewer than by the registers that are needed; slots for blocks and threads, of which some devices have few, are no registers.
func TestResident(t *testing.T) {
	for _, c := range []struct {
		gpu             string
		warps           int64
		blocks, idle    float64 // by Resident and LeftIdle
		alike, occupied float64 // blocks by Occupancy, and ResidentShare
	}{
		{"h100", 17, 3 * 17. / 32, 15. / 32, 3, 17. / 64},
		{"h100", 16, 4, 0, 4, .5},
		{"h100", 11, 5 * 22. / 32, 10. / 32, 5, 22. / 64},
		{"rtx3090", 17, 2 * 17. / 32, 15. / 32, 2, 17. / 48},
		{"rtx3090", 1, 16, 0, 16, 16. / 48},
		{"rtx4090", 16, 3, 0, 3, 32. / 48},
		{"rtx2080ti", 17, 1, 15. / 32, 1, 17. / 32},
		{"rtx2080ti", 11, 2, 10. / 32, 2, 22. / 32},
	} {
		d, err := occupancy.Lookup(c.gpu)
		if err != nil {
			t.Fatal(err)
		}
		pr := &Problem{Device: &d, Limits: Limits{MaxRegisters: 64}}
		k := &Kernel{Block: [3]int64{32, c.warps, 1}, Registers: 32, Held: 10}
		if err := k.Occupy(&d); err != nil {
			t.Fatal(err)
		}
		if got, idle, share := k.Resident(pr), k.LeftIdle(pr), k.ResidentShare(pr); float64(k.Occupancy.ActiveBlocks) != c.alike || math.Abs(got-c.blocks) > 1e-9 || math.Abs(idle-c.idle) > 1e-9 || math.Abs(share-c.occupied) > 1e-9 {
			t.Errorf("%s, blocks of %d warps: %v of %d blocks, %v idle, occupancy %v; want %+v", c.gpu, c.warps, got, k.Occupancy.ActiveBlocks, idle, share, c)
		}
	}
}

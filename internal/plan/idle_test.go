package plan

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

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
	f, err := os.Open("../../benchmarks/results/gpu/h100/counters-again.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	full, lone := 0, 0
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Program, Kernel, Block string
			Counters               map[string]float64
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		var x, y, z int64
		if _, err := fmt.Sscanf(l.Block, "(%d, %d, %d)", &x, &y, &z); err != nil {
			t.Fatal(err)
		}
		warps := (x*y*z + WarpLanes - 1) / WarpLanes
		if l.Counters["launch__registers_per_thread"] <= takenRegisters-8 { // a warp's registers come in units of eight for each thread
			continue // it loads little
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

package coster

import (
	"math"
	"testing"

	"gowarp/occupancy"
)

func device(t *testing.T, name string) *occupancy.Device {
	t.Helper()
	d, err := occupancy.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// TestTable1 compares the hardware of the two GPUs with Jangda and Guha 2020, table 1, word for word, and line 25 with what it
// makes of them: 484 and 898 GB/s over 28 SMs of 4 warps and 80 of 2 are 4.32 and 5.61 GB/s.
func TestTable1(t *testing.T) {
	for name, want := range map[string]struct{ sms, cores, bw, shared, blocks, warpGB float64 }{
		"gtx1080ti": {28, 128, 484e9, 48 << 10, 16, 4.32},
		"v100":      {80, 64, 898e9, 96 << 10, 32, 5.61},
	} {
		h := hardwareOf(device(t, name))
		if h.NSMs != want.sms || h.CoresPerSM != want.cores || h.GlMemBW != want.bw || h.MaxShMemPerTB != want.shared || h.MaxTBPerSM != want.blocks ||
			h.ShMemPerSM != 96<<10 || h.MaxWarpPerSM != 64 || h.RegPerSM != 65536 || h.MaxRegPerTh != 256 || h.WarpSize != 32 || h.MaxThPerSM != 2048 {
			t.Errorf("%s: %+v", name, h)
		}
		if got := math.Round(warpBW(&h)/1e7) / 100; got != want.warpGB {
			t.Errorf("%s: a warp has %v GB/s, want %v", name, got, want.warpGB)
		}
	}
}

// TestTable3: the weights are the printed ones, and other devices say whose they borrow.
func TestTable3(t *testing.T) {
	for name, want := range map[string]struct {
		w  Weights
		of string
	}{
		"gtx1080ti": {Weights{50, .5, 45, 20, 2, 100, 1}, "gtx1080ti"},
		"v100":      {Weights{50, .5, 60, 10, 2, 100, 1}, "v100"},
		"gtx980":    {Weights{50, .5, 45, 20, 2, 100, 1}, "gtx1080ti"},
		"h200":      {Weights{50, .5, 60, 10, 2, 100, 1}, "v100"},
		"generic":   {Weights{50, .5, 45, 20, 2, 100, 1}, "gtx1080ti"},
	} {
		if w, of := TableWeights(device(t, name)); w != want.w || of != want.of {
			t.Errorf("%s: %v of %s, want %v of %s", name, w, of, want.w, want.of)
		}
	}
}

// TestAlgorithm2ByHand works out every line for one group with pencil and paper, on a GTX 1080 Ti: two intermediate
// buffers in overlapped tiles of 136x4 floats, one for each of the 4 warps of a block, 8 points a thread, a quarter of each tile in registers.
func TestAlgorithm2ByHand(t *testing.T) {
	h := hardwareOf(device(t, "gtx1080ti"))
	g := groupShape{
		totalTB: 1000, threadsPerTB: 128, warpsPerBlock: 4, tilesPerTB: 4, tileVol: 8, bufferBytes: 136 * 4 * 4, totalBuff: 2, fracRegTile: .25,
		regUsage: 60, timePerIter: 2e-7, overlap: .5, transactions: [2]float64{9, 3},
	}
	got := g.terms(&h, 128, g.transactions[1])
	// Lines 9 and 10: 2,176 B x 4 x 2 = 17,408 B, three quarters of which are 13,056 B. Line 11: 13,056/4 x .25 / 128 = 6.375
	// registers. Line 18: 98,304/13,056 = 7.5, 7 blocks; line 19: 28 warps. Line 20: 66.375; lines 22 and 23: 65,536/66.375 = 987.4
	// threads, 30 warps. Line 24: 28/64.
	const shared, registers, occupied = 13056.0, 66.375, 28.0 / 64
	if got.shMem != shared || got.regPerTh != registers || got.occupancy != occupied {
		t.Errorf("%v B, %v registers, occupancy %v; by hand %v, %v, %v", got.shMem, got.regPerTh, got.occupancy, shared, registers, occupied)
	}
	want := terms2{
		totalGLMemTxs: 3 * 8, // line 17
		// Lines 25, 26 and 28: 24 transactions of 128 B at 484e9 x 32/(28 x 128) B/s, against 8 points of 200 ns.
		memToCompute:     128 * 24 / (484e9 * 32 / (28 * 128)) / (8 * 2e-7),
		unallocatedShMem: 1 - 13056*7/98304.0,             // line 30
		unusedReg:        1 - 66.375*64*32*28.0/64/65536., // lines 31 and 32
		fracOverlap:      .5 / 8,                          // line 33
		extraTBs:         math.Mod(36, 7),                 // lines 6 and 34: 1,000 blocks are 36 an SM, one more than 5 x 7
	}
	for name, v := range map[string][2]float64{
		"transactions": {got.totalGLMemTxs, want.totalGLMemTxs}, "ratio": {got.memToCompute, want.memToCompute}, "shared": {got.unallocatedShMem, want.unallocatedShMem},
		"registers": {got.unusedReg, want.unusedReg}, "overlap": {got.fracOverlap, want.fracOverlap}, "blocks": {got.extraTBs, want.extraTBs},
	} {
		if !near(v[0], v[1]) {
			t.Errorf("%s: %v, by hand %v", name, v[0], v[1])
		}
	}
	// Line 35.
	cost := 0.0
	w := Weights{50, .5, 45, 20, 2, 100, 1}
	for _, term := range got.weighted(&w) {
		cost += term.Value
	}
	byHand := 50*24 + .5*(1-occupied) + 45*want.memToCompute + 20*want.unallocatedShMem + 2*want.unusedReg + 100*want.fracOverlap + want.extraTBs
	if !near(cost, byHand) || got.refused != (Reason{}) {
		t.Errorf("cost %v (%v), by hand %v", cost, got.refused, byHand)
	}
}

// TestAlgorithm2Infinite: lines 2, 12 and 21 return infinity, each at its bound and not below.
func TestAlgorithm2Infinite(t *testing.T) {
	h := hardwareOf(device(t, "gtx1080ti"))
	at := groupShape{totalTB: 100, threadsPerTB: 128, warpsPerBlock: 4, tilesPerTB: 1, tileVol: 1, bufferBytes: 48 << 10, totalBuff: 1, regUsage: 256, timePerIter: 1e-7}
	if got := at.terms(&h, 32, 1); got.faults != 0 {
		t.Errorf("at the bounds: %v", got.refused)
	}
	for name, change := range map[string]func(g *groupShape){
		"line 2": func(g *groupShape) { g.notConstant = "f" }, "line 12": func(g *groupShape) { g.bufferBytes++ }, "line 21": func(g *groupShape) { g.regUsage++ },
	} {
		g := at
		change(&g)
		if got := g.terms(&h, 32, 1); got.faults != 1 || got.refused == (Reason{}) {
			t.Errorf("%s: %d faults (%v)", name, got.faults, got.refused)
		}
	}
}

// TestHarrisTiles is what section 7.2.1 says of harris on a GTX 1080 Ti: its ten intermediate stages leave no room in shared
// memory for a tile of 10x1 points a thread, and with half of it in registers they do.
func TestHarrisTiles(t *testing.T) {
	h := hardwareOf(device(t, "gtx1080ti"))
	const halo, buffers = 4, 10
	tile := func(tx, wx, wy float64) float64 { return (tx*wx + halo) * (wy + halo) * 4 }
	for _, w := range [][2]float64{{32, 1}, {16, 2}, {8, 4}} {
		shared := shMemPerTB(tile(10, w[0], w[1]), 1, buffers, 0)
		half := shMemPerTB(tile(10, w[0], w[1]), 1, buffers, .5)
		small := shMemPerTB(tile(4, w[0], w[1]), 1, buffers, 0)
		if w[0] == 32 && shared <= h.MaxShMemPerTB || half > h.MaxShMemPerTB || small > h.MaxShMemPerTB {
			t.Errorf("warps of %v: 10x1 takes %v B, half of it %v; 4x1 %v; %v are the most", w, shared, half, small, h.MaxShMemPerTB)
		}
	}
}

// TestMinGLTxs compares the count of segments with one that marks every segment.
func TestMinGLTxs(t *testing.T) {
	seed := uint64(1)
	next := func(n int64) int64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int64(seed>>33) % n
	}
	for range 2000 {
		addresses := make([]int64, next(33))
		stride, start := next(70), next(200)
		for i := range addresses {
			addresses[i] = start + int64(i)*stride
			if stride > 60 {
				addresses[i] = next(4000)
			}
		}
		for _, size := range transactionSizes {
			marked := map[int64]bool{}
			for _, a := range addresses {
				marked[a-a%size] = true
			}
			if got := minGLTxs(addresses, size); got != int64(len(marked)) {
				t.Fatalf("%v in transactions of %d: %d, marked %d", addresses, size, got, len(marked))
			}
		}
	}
}

// TestFittedWeights: all are numbers, none is negative, and computing and the traffic that it does not hide take about their time.
func TestFittedWeights(t *testing.T) {
	for i, w := range FittedWeights {
		if !(w >= 0) || math.IsInf(w, 0) {
			t.Errorf("%s has the weight %v", FittedTerms[i], w)
		}
	}
	for i, name := range FittedTerms {
		if w := FittedWeights[i]; (name == "compute" || name == "memory to compute") && (w < .5 || w > 2) {
			t.Errorf("%s has the weight %v", name, w)
		}
	}
}

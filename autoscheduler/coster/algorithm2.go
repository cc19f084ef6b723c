package coster

import (
	"fmt"
	"math"

	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// Algorithm2 is the cost function of Jangda and Guha 2020, section 6, algorithm 2, as printed, with the weights of
// table 3: a weighted sum of global memory transactions, idle warps, the ratio of memory to compute time, shared memory
// and registers that are not used, redundant computations and the imbalance of blocks. Line numbers in the comments are the
// algorithm's. Where it names what it does not define the text around it decides; RATIONALE.md, "Jangda and Guha 2020",
// has every such place. It knows no stores, no launches and no barriers, and its sum is that of one warp's tile.
type Algorithm2 struct{}

// Name implements Coster.
func (Algorithm2) Name() string { return "algorithm2" }

// tellsPoints: the points a thread are one of the cost's arguments, and fusion is decided by the best of all tiles.
func (Algorithm2) tellsPoints() bool { return true }

// finalDiffers: thread blocks are whole warps in the final pass only.
func (Algorithm2) finalDiffers() bool { return true }

// RefusesBlock implements BlockRefuser: thread blocks are multiples of a warp (section 7.1).
func (Algorithm2) RefusesBlock(pr *plan.Problem, block [3]int64, ph Phase) bool {
	threads := block[0] * block[1] * block[2]
	return threads > int64(pr.Device.MaxThreadsPerBlock) || ph == Final && threads%int64(pr.Device.WarpSize) != 0
}

// Price implements Coster.
func (Algorithm2) Price(pr *plan.Problem, k *plan.Kernel, ph Phase) Price {
	if r := unlaunchable(pr, k, pr.Limits.ThreadsPerBlock, k.SharedBytes); r != (Reason{}) {
		return Price{Reject: r}
	}
	w, _ := TableWeights(pr.Device)
	h := hardwareOf(pr.Device)
	g := describe(pr, k, &h)
	best := Price{Cost: math.Inf(1)}
	for i, size := range transactionSizes { // the minimum over GlMemTxSz
		t := g.terms(&h, size, g.transactions[i])
		terms := t.weighted(&w)
		cost := 0.0
		for _, term := range terms {
			cost += term.Value
		}
		if cost < best.Cost {
			best = Price{Cost: cost, Terms: append(terms, t.factors(&g)...), Launches: true}
			best.Reject, best.Faults = t.refused, t.faults
		}
	}
	wholeWarps(pr, k, ph, &best)
	return best
}

// wholeWarps notes in the final pass that a thread block is no multiple of a warp (section 7.1). While tiles are powers of two,
// none with a halo is, and nothing would fuse.
func wholeWarps(pr *plan.Problem, k *plan.Kernel, ph Phase, p *Price) {
	if threads, warp := k.ThreadsPerBlock(), int64(pr.Device.WarpSize); ph == Final && threads%warp != 0 {
		p.Reject = NewReason("%[1]d threads are not whole warps of %[2]d", "", threads, warp)
		p.Faults++
	}
}

// groupShape is what Algorithm 2 is told of a group of stages G with its tile sizes and thread block.
type groupShape struct {
	notConstant   string  // line 2: of which Func it does not hold, "" if all dependences are constant
	totalTB       float64 // blocks
	threadsPerTB  float64
	tilesPerTB    float64 // overlapped tiles in shared memory a block: one a warp, or one a block
	tileVol       float64 // points of the output a thread, COMPUTETILEVOL(G, tileSizes)
	bufferBytes   float64 // of one overlapped tile, COMPUTETILEVOL(G, warpTileSizes)
	totalBuff     float64 // intermediate buffers, NUMBUFFERS(G)
	fracRegTile   float64
	regUsage      float64                        // sum of REGUSAGE(H)
	timePerIter   float64                        // sum of TIMEPERITER(H), seconds a point
	overlap       float64                        // redundant points a thread, OVERLAPCOMPUTATIONS(G)
	transactions  [len(transactionSizes)]float64 // sum of MINGLTXS over the loads of G, by transaction size, a point of each thread
	warpsPerBlock float64
}

// terms2 are the seven terms of line 35 before they are weighted.
type terms2 struct {
	totalGLMemTxs, occupancy, memToCompute, unallocatedShMem, unusedReg, fracOverlap, extraTBs float64

	txSize   int64
	shMem    float64 // bytes a block
	regPerTh float64
	refused  Reason // a line that returns infinity; the device may run the kernel all the same
	faults   int
}

// weighted are the terms of line 35, which add up to the cost.
func (t *terms2) weighted(w *Weights) []Term {
	terms := make([]Term, 0, 16)
	return append(terms,
		Term{"transactions", w[0] * t.totalGLMemTxs}, Term{"idle warps", w[1] * (1 - t.occupancy)}, Term{"memory to compute", w[2] * t.memToCompute},
		Term{"unallocated shared", w[3] * t.unallocatedShMem}, Term{"unused registers", w[4] * t.unusedReg}, Term{"overlap", w[5] * t.fracOverlap}, Term{"extra blocks", w[6] * t.extraTBs})
}

// cost is line 35: the sum of weighted's terms, in their order.
func (t *terms2) cost(w *Weights) float64 {
	return w[0]*t.totalGLMemTxs + w[1]*(1-t.occupancy) + w[2]*t.memToCompute + w[3]*t.unallocatedShMem + w[4]*t.unusedReg + w[5]*t.fracOverlap + w[6]*t.extraTBs
}

// factors are what else there is to know; they are no part of the sum.
func (t *terms2) factors(g *groupShape) []Term {
	return []Term{
		{"bytes a transaction", float64(t.txSize)}, {"occupancy", t.occupancy}, {"points a thread", g.tileVol}, {"transactions a point", t.totalGLMemTxs / max(g.tileVol, 1)},
		{"ns a point", g.timePerIter * 1e9}, {"registers a thread", t.regPerTh}, {"bytes of tiles a block", t.shMem}, {"redundant points a thread", g.overlap},
	}
}

// terms are lines 2 to 34 for one transaction size.
func (g *groupShape) terms(h *hardware, txSize int64, glTxs float64) terms2 {
	t := terms2{txSize: txSize}
	if g.notConstant != "" { // line 2
		t.refuse(NewReason("%[5]s is read at places that are no constant distance from the point computed", g.notConstant))
	}
	t.shMem = shMemPerTB(g.bufferBytes, g.tilesPerTB, g.totalBuff, g.fracRegTile)
	if t.shMem > h.MaxShMemPerTB { // line 12
		t.refuse(NewReason("%[1]d B of tiles a block, %[2]d are the most", "", int64(t.shMem), int64(h.MaxShMemPerTB)))
	}
	t.totalGLMemTxs = totalGLMemTxs(glTxs, g.tileVol)
	maxTBPerSM := maxTBPerSM(h, t.shMem)
	t.regPerTh = regPerTh(regTile(t.shMem, g.fracRegTile, g.threadsPerTB), g.regUsage)
	if t.regPerTh > h.MaxRegPerTh { // line 21
		t.refuse(NewReason("the stages use %[1]d registers a thread together, %[2]d are the most", "", int64(t.regPerTh), int64(h.MaxRegPerTh)))
	}
	t.occupancy = theoreticalOccupancy(h, shMemOcc(h, maxTBPerSM, g.warpsPerBlock), regOcc(h, t.regPerTh))
	t.memToCompute = ratio(memTime(h, txSize, t.totalGLMemTxs), computeTime(g.timePerIter, g.tileVol))
	t.unallocatedShMem = unallocatedShMem(h, t.shMem, maxTBPerSM)
	t.unusedReg = unusedReg(h, t.regPerTh, t.occupancy)
	t.fracOverlap = ratio(g.overlap, g.tileVol)
	t.extraTBs = extraTBs(tbPerSM(h, g.totalTB), maxTBPerSM)
	return t
}

func (t *terms2) refuse(why Reason) {
	t.refused = why
	t.faults++
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// tbPerSM is line 6: "we distribute all thread blocks equally across all SMs".
func tbPerSM(h *hardware, totalTB float64) float64 { return math.Ceil(totalTB / h.NSMs) }

// shMemPerTB is lines 9 and 10, in bytes. tilesPerTB is the line's warpsPerTB where each warp has a tile.
func shMemPerTB(tileBytes, tilesPerTB, totalBuff, fracRegTile float64) float64 {
	return tileBytes * tilesPerTB * totalBuff * (1 - fracRegTile)
}

// regTile is line 11, in registers of 4 bytes. It takes what line 10 has made of shMemPerTB, as printed: with the whole
// tile in registers that is nothing.
func regTile(shMemPerTB, fracRegTile, threadsPerTB float64) float64 {
	return shMemPerTB * fracRegTile / (4 * threadsPerTB)
}

// totalGLMemTxs is lines 13 to 17: the transactions of all loads for one point of each thread, times the points of a thread.
func totalGLMemTxs(glTxs, tileVol float64) float64 { return glTxs * tileVol }

// maxTBPerSM is line 18.
func maxTBPerSM(h *hardware, shMemPerTB float64) float64 {
	if shMemPerTB == 0 {
		return h.MaxTBPerSM
	}
	return min(math.Floor(h.ShMemPerSM/shMemPerTB), h.MaxTBPerSM)
}

// shMemOcc is line 19, in warps.
func shMemOcc(h *hardware, maxTBPerSM, warpsPerTB float64) float64 {
	return min(maxTBPerSM*warpsPerTB, h.MaxWarpPerSM)
}

// regPerTh is line 20.
func regPerTh(regTile, regUsage float64) float64 { return regTile + regUsage }

// regOcc is lines 22 and 23, in warps.
func regOcc(h *hardware, regPerTh float64) float64 {
	maxThPerSM := min(h.RegPerSM/max(regPerTh, 1), h.MaxThPerSM)
	return math.Floor(maxThPerSM / float64(h.WarpSize))
}

// theoreticalOccupancy is line 24.
func theoreticalOccupancy(h *hardware, shMemOcc, regOcc float64) float64 {
	return min(shMemOcc, regOcc) / h.MaxWarpPerSM
}

// warpBW is line 25 in bytes/s: the bandwidth "equally among all SMs, and then among all warps that can execute in
// parallel". The print lacks the brackets: it multiplies by the cores.
func warpBW(h *hardware) float64 {
	return h.GlMemBW * float64(h.WarpSize) / (h.NSMs * max(h.CoresPerSM, float64(h.WarpSize)))
}

// memTime is line 26, in seconds. Where no bandwidth is known (OpenCL's generic device) it is 0.
func memTime(h *hardware, txSize int64, totalGLMemTxs float64) float64 {
	return ratio(float64(txSize)*totalGLMemTxs, warpBW(h))
}

// computeTime is line 28, in seconds.
func computeTime(timePerIter, tileVol float64) float64 { return timePerIter * tileVol }

// unallocatedShMem is lines 29 and 30.
func unallocatedShMem(h *hardware, shMemPerTB, maxTBPerSM float64) float64 {
	return 1 - shMemPerTB*maxTBPerSM/h.ShMemPerSM
}

// unusedReg is lines 31 and 32.
func unusedReg(h *hardware, regPerTh, occupancy float64) float64 {
	regPerSM := regPerTh * h.MaxWarpPerSM * float64(h.WarpSize)
	return 1 - regPerSM*occupancy/h.RegPerSM
}

// extraTBs is line 34, of each SM: its totalTB is nowhere computed, and line 6 computes what the text says of it.
func extraTBs(tbPerSM, maxTBPerSM float64) float64 {
	if maxTBPerSM < 1 {
		return tbPerSM
	}
	return math.Mod(tbPerSM, maxTBPerSM)
}

// describe takes from a kernel what Algorithm 2 wants to know.
func describe(pr *plan.Problem, k *plan.Kernel, h *hardware) groupShape {
	threads := float64(k.ThreadsPerBlock())
	g := groupShape{
		totalTB: float64(k.Tiles()), threadsPerTB: threads, warpsPerBlock: math.Ceil(threads / float64(h.WarpSize)),
		tilesPerTB: 1, tileVol: float64(tileVol(pr, &k.Out)),
	}
	if k.Warp != nil {
		g.tilesPerTB = float64(k.Warp.Warps)
	}
	inLanes, inShared := 0.0, 0.0
	for i := range k.Members {
		m := &k.Members[i]
		size := float64(m.StoredPoints() * pr.Bytes(m.Func))
		switch m.Where {
		case plan.AtThread:
			for j := range m.Nests {
				g.stage(pr, k, &m.Nests[j], h)
			}
			continue // in each thread's own registers: no buffer
		case plan.AtWarp:
			inScratch := size * float64(m.Demoted) / float64(max(m.LaneSlots(), 1))
			inLanes, inShared = inLanes+size-inScratch, inShared+inScratch
		default:
			inShared += size
		}
		g.totalBuff++
		g.bufferBytes = max(g.bufferBytes, size)
		// What a tile computes of a member beyond what it would without a halo.
		g.overlap += (float64(m.StoredPoints()) - ownPoints(pr, k, m)) * g.tilesPerTB / threads
		for j := range m.Nests {
			g.stage(pr, k, &m.Nests[j], h)
		}
	}
	if inLanes > 0 {
		g.fracRegTile = inLanes / (inLanes + inShared)
	}
	g.stage(pr, k, &k.Out, h)
	return g
}

// stage adds one stage of the group.
func (g *groupShape) stage(pr *plan.Problem, k *plan.Kernel, n *plan.Nest, h *hardware) {
	ex := pr.ExpandOf(n)
	times := 1.0 // a point: the iterations of loops over reduction domains
	loops := pr.P.Funcs[n.Func].Stages[n.Stage].Loops
	for _, u := range n.Serial {
		if loops[u.Loop].Arg < 0 {
			times *= float64(max(u.Extent, 1))
		}
	}
	g.regUsage += regUsage(pr, n)
	g.timePerIter += times * timePerIter(pr, n, h)
	var w *WarpView
	for i := range ex.Loads {
		t := &ex.Loads[i]
		if _, in := k.PlaceOf(t.Func); in || t.Func == n.Func {
			if t.Func != n.Func && g.notConstant == "" && !constantDependence(t) {
				g.notConstant = pr.P.Funcs[t.Func].Label
			}
			if in {
				continue
			}
		}
		if w == nil {
			w = ViewWarp(pr, k, n)
		}
		for s, txs := range w.Transactions(t) {
			g.transactions[s] += times * float64(txs)
		}
	}
}

// constantDependence is line 2 for one load of a stage of the group, once dependences are aligned and scaled: the places
// hang on loops, not on values.
func constantDependence(t *plan.Tap) bool {
	for _, x := range t.Index {
		if x.Kind == access.Unknown && x.DataDependent {
			return false
		}
	}
	return true
}

// tileVol is the points of the output that a thread computes: those side by side, and those of its serial loops that are
// dimensions of the output.
func tileVol(pr *plan.Problem, n *plan.Nest) int64 {
	v := n.PointsPerThread()
	loops := pr.P.Funcs[n.Func].Stages[n.Stage].Loops
	for _, u := range n.Serial {
		if loops[u.Loop].Arg >= 0 {
			v *= max(u.Extent, 1)
		}
	}
	return v
}

// ownPoints is what a tile would compute of a member if no two tiles overlapped: its extents without the halo.
func ownPoints(pr *plan.Problem, k *plan.Kernel, m *plan.Member) float64 {
	grow := growth(pr, k).Funcs[m.Func]
	points := 1.0
	for d, e := range m.Extents {
		if d < len(grow) && grow[d].Known && grow[d].Dim >= 0 {
			halo := grow[d]
			halo.Hi = halo.Lo
			e = min(e, max(1, halo.Extent(tileOf(pr, k, grow[d].Dim))))
		}
		points *= float64(e)
	}
	return points
}

// tileOf is the extent of a tile along an argument of the output.
func tileOf(pr *plan.Problem, k *plan.Kernel, arg int) int64 {
	loops := pr.P.Funcs[k.Out.Func].Stages[k.Out.Stage].Loops
	if w := k.Warp; w != nil {
		switch {
		case loops[w.X].Arg == arg:
			return w.Width
		case w.Y >= 0 && loops[w.Y].Arg == arg:
			return w.Rows
		case w.Z >= 0 && loops[w.Z].Arg == arg:
			return w.Layers
		}
		return 1
	}
	tile := int64(1)
	for _, uses := range [][]plan.Use{k.Out.Threads, k.Out.Unrolled, k.Out.Serial} {
		for _, u := range uses {
			if loops[u.Loop].Arg == arg {
				tile *= max(u.Extent, 1)
			}
		}
	}
	return tile
}

type timeKey int

// profiled is the cycles of an iteration by a profile: of the stage and of what is inlined into it, which its reader does not load then. Not
// known where the profile lacks one of them.
func profiled(pr *plan.Problem, n *plan.Nest, h *hardware) (cycles float64, known bool) {
	if pr.Profile == nil {
		return 0, false
	}
	add := func(fn, stage int) bool {
		p := pr.Profile[pr.StageIndex(fn, stage)]
		cycles += p.Cycles
		return p.Registers > 0
	}
	known = add(n.Func, n.Stage)
	for _, c := range pr.ExpandOf(n).Calls {
		known = known && add(c.Func, 0)
		cycles -= h.latency.sharedMemory
	}
	return max(cycles, 0), known
}

// timePerIter is the time that one thread takes for a point of a stage with everything that it loads in shared memory
// (section 6), in seconds. The paper measures it; here it is the latencies of all operations one after the other.
func timePerIter(pr *plan.Problem, n *plan.Nest, h *hardware) float64 {
	key := timeKey(pr.StageIndex(n.Func, n.Stage))
	ex := pr.ExpandOf(n)
	if len(ex.Calls) == 0 { // the same for every view of the problem
		if t, ok := pr.Kept.Get(key).(float64); ok {
			return t
		}
	}
	cycles, known := profiled(pr, n, h)
	if known {
		return cycles / max(h.clock, 1e9)
	}
	cycles = 0
	add := func(s *access.Stage) {
		for _, ops := range []*access.Ops{&s.Value, &s.Address} {
			for c := range ops.Count {
				for kind, count := range ops.Count[c] {
					if count > 0 {
						cycles += float64(count) * h.latency.of(access.Class(c), access.Kind(kind))
					}
				}
			}
		}
	}
	add(pr.Access.Stage(n.Func, n.Stage))
	for i := range ex.Calls {
		add(pr.Access.Stage(ex.Calls[i].Func, 0))
	}
	cycles += float64(len(ex.Loads)) * h.latency.sharedMemory
	t := cycles / max(h.clock, 1e9)
	if len(ex.Calls) == 0 {
		pr.Kept.Put(key, t)
	}
	return t
}

// BorrowedWeights says whose weights algorithm2 takes for a device of which table 3 has none; "" for one that it has.
func BorrowedWeights(pr *plan.Problem) string {
	_, of := TableWeights(pr.Device)
	if of == pr.Device.Name {
		return ""
	}
	return fmt.Sprintf("cost=algorithm2: Jangda and Guha 2020, table 3, has no weights for %s; those of %s are taken", pr.Device.Name, of)
}

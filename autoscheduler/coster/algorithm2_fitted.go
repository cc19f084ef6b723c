package coster

import (
	"encoding/binary"
	"math"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// Algorithm2Fitted is Algorithm2 repaired: its seven terms as microseconds of the whole kernel, so that they add up within a kernel
// and over kernels, with what it leaves out (computing itself, stores, launches), and weights fitted to what the simulator
// counts (benchmarks/algorithm2). RATIONALE.md, "Jangda and Guha 2020", says what became of each term.
type Algorithm2Fitted struct {
	Weights *[len(FittedTerms)]float64 // nil: FittedWeights
}

// Name implements Coster.
func (Algorithm2Fitted) Name() string { return "algorithm2-fitted" }

func (Algorithm2Fitted) tellsPoints() bool { return true }

// finalDiffers: thread blocks are whole warps in the final pass only.
func (Algorithm2Fitted) finalDiffers() bool { return true }

// FittedTerms names the terms of Algorithm2Fitted: the seven of line 35 in their order, and computing.
var FittedTerms = [...]string{"transactions", "idle warps", "memory to compute", "unallocated shared", "unused registers", "overlap", "extra blocks", "compute"}

// FittedWeights are the weights of FittedTerms, as benchmarks/algorithm2 fits them to benchmarks/results/algorithm2.csv, kernels
// for an RTX 2080 Ti; other devices differ in the terms. Idle warps are not fitted: counts say nothing of them. No term is
// negative, and no weight is.
var FittedWeights = [len(FittedTerms)]float64{0, 1, 1.05, .123, .789, .405, .515, .922}

// RefusesBlock implements BlockRefuser.
func (Algorithm2Fitted) RefusesBlock(pr *plan.Problem, block [3]int64, ph Phase) bool {
	return Algorithm2{}.RefusesBlock(pr, block, ph)
}

// Price implements Coster.
func (a Algorithm2Fitted) Price(pr *plan.Problem, k *plan.Kernel, ph Phase) Price {
	if r := unlaunchable(pr, k, pr.Limits.ThreadsPerBlock, k.SharedBytes); r != (Reason{}) {
		return Price{Reject: r}
	}
	p := Price{Launches: true, Cost: LaunchMicroseconds}
	w := &FittedWeights
	if a.Weights != nil {
		w = a.Weights
	}
	for i, x := range Features(pr, k) {
		p.Terms = append(p.Terms, Term{FittedTerms[i], w[i] * x})
		p.Cost += w[i] * x
	}
	p.Terms = append(p.Terms, Term{"launch", LaunchMicroseconds})
	wholeWarps(pr, k, ph, &p)
	return p
}

// Features are the terms of a kernel before they are weighted, in microseconds.
func Features(pr *plan.Problem, k *plan.Kernel) [len(FittedTerms)]float64 {
	d := pr.Device
	h := hardwareOf(d)
	// The transactions at the bandwidth of the whole device, instead of those of one warp's tile: lines 13 to 17, 25 and 26.
	memory := 0.0
	if d.DRAMBandwidth > 0 {
		memory = float64(transactionSizes[0]) * sectors(pr, k) * float64(k.Tiles()) / (d.DRAMBandwidth * ReachedBandwidth) * 1e6
	}
	// The instructions at what the SMs issue, instead of the latencies of one thread: line 28.
	cycles, busy := issuing(pr, k)
	compute := cycles / (float64(d.SMs) * max(d.ClockHz, 1)) * 1e6
	// Caches serve what is loaded again: each buffer goes once through DRAM.
	traffic := traffic(pr, k)
	// What is resident and launched: lines 18 to 24 by the occupancy calculator, with what Halide allocates.
	occupancy := k.Occupancy.Occupancy
	shared := float64(k.SharedBytes) * float64(k.Occupancy.ActiveBlocks)
	used := float64(k.Registers) * float64(k.Occupancy.ActiveThreads)
	return [...]float64{
		memory,
		compute * (1/busy - 1),  // line 24, with SMs that have no block; more warps than hide latency are of no use
		max(0, traffic-compute), // line 26 by line 28: the part of the memory's time that computing does not hide
		compute * max(0, 1-shared/max(1, h.ShMemPerSM)) * (1 - occupancy), // line 30: where all warps are there it is no loss
		compute * max(0, 1-used/max(1, h.RegPerSM)) * (1 - occupancy),     // line 32: likewise
		compute * overlapShare(pr, k),                                     // line 33
		max(traffic, compute) * (tail(pr, k) - 1),                         // line 34: the idle SMs of the last wave
		compute,
	}
}

// tail is by how much the last wave of blocks, if there are several, makes a kernel longer.
func tail(pr *plan.Problem, k *plan.Kernel) float64 {
	waves := float64(k.Tiles()) / (float64(pr.Device.SMs) * float64(max(k.Occupancy.ActiveBlocks, 1)))
	if waves <= 1 {
		return 1
	}
	return math.Ceil(waves) / waves
}

// Redundant is the points that a block computes of the members of a kernel only because tiles overlap, and the others with those of the
// output. What is computed in threads repeats nothing.
func Redundant(pr *plan.Problem, k *plan.Kernel) (redundant, own float64) {
	own = float64(k.Out.Points())
	for i := range k.Members {
		m := &k.Members[i]
		if m.Where == plan.AtThread {
			continue
		}
		points := float64(m.StoredPoints())
		tiles := 1.0
		if m.Where == plan.AtWarp && k.Warp != nil {
			tiles = float64(k.Warp.Warps)
		}
		o := ownPoints(pr, k, m)
		redundant += tiles * (points - o)
		own += tiles * o
	}
	return redundant, own
}

// overlapShare is the redundant points of a tile by all points that it computes.
func overlapShare(pr *plan.Problem, k *plan.Kernel) float64 {
	redundant, own := Redundant(pr, k)
	return ratio(redundant, redundant+own)
}

// sectors is the transactions of 32 bytes of one block, stores of the output included. What a thread's points load
// together is loaded once.
func sectors(pr *plan.Problem, k *plan.Kernel) float64 {
	total := 0.0
	for i := range k.Members {
		m := &k.Members[i]
		for j := range m.Nests {
			n := &m.Nests[j]
			threads := n.ThreadCount()
			switch {
			case m.Where == plan.AtThread:
				threads = k.ThreadsOf(m.Anchor)
			case m.Where == plan.AtWarp && k.Warp != nil:
				threads *= k.Warp.Warps
			}
			total += nestSectors(pr, k, n, threads)
		}
	}
	return total + nestSectors(pr, k, &k.Out, k.Out.ThreadCount())
}

func nestSectors(pr *plan.Problem, k *plan.Kernel, n *plan.Nest, threads int64) float64 {
	times := 1.0
	for _, u := range n.Serial {
		times *= float64(max(u.Extent, 1))
	}
	var w *WarpView
	view := func() *WarpView {
		if w == nil {
			w = ViewWarp(pr, k, n)
		}
		return w
	}
	each := func(txs int64) float64 {
		return float64(txs) * float64(threads) / float64(max(view().active, 1))
	}
	total := 0.0
	ex := pr.ExpandOf(n)
	var seen map[string]bool
	shifts := instructions.Shifts(n)
	for i := range ex.Loads {
		t := &ex.Loads[i]
		if _, in := k.PlaceOf(t.Func); in {
			continue
		}
		distinct := 1
		if len(shifts) > 1 {
			if seen == nil {
				seen = map[string]bool{}
			}
			distinct = 0
			for _, s := range shifts {
				if at := shifted(t, s); !seen[at] {
					seen[at] = true
					distinct++
				}
			}
		}
		if distinct > 0 {
			total += times * float64(distinct) * each(view().Transactions(t)[0])
		}
	}
	if n == &k.Out {
		st := pr.Access.Stage(n.Func, n.Stage)
		var into [warpLanes]int64
		addresses, scattered := view().addresses(st.Store, pr.Regions.Funcs[n.Func], max(1, pr.Bytes(n.Func)), into[:])
		txs := int64(view().active)
		if !scattered {
			txs = minGLTxs(addresses, transactionSizes[0])
		}
		total += float64(tileVol(pr, n)) * each(txs)
	}
	return total
}

// shifted names the place of a load for one of the points that a thread computes side by side.
func shifted(t *plan.Tap, s instructions.Shift) string {
	b := binary.AppendVarint(nil, int64(t.Func))
	b = binary.AppendVarint(binary.AppendVarint(b, int64(t.Input)), int64(t.Out))
	for i := range t.Index {
		x := &t.Index[i]
		off := x.Offset
		if x.Kind == access.Affine && x.Loop < len(s) {
			off = bounds.FloorDiv(x.Num*s[x.Loop]+x.Offset, x.Den)
		}
		b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, int64(x.Kind)), int64(x.Loop)), off)
		if x.Kind == access.Unknown {
			for l, d := range s {
				if x.DependsOn(l) {
					b = binary.AppendVarint(b, d)
				}
			}
		}
	}
	return string(b)
}

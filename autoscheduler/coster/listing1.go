package coster

import (
	"gowarp/halideir/access"
	"gowarp/internal/plan"
	"gowarp/occupancy"
)

// Listing1 is the group cost analysis of Sioutas et al. 2020, section 4.2, listing 1:
//
//	cost = tiles * (sum of arithmetic/(occupancy*active threads) + memory/(occupancy*active threads))
//
// with memory in bytes loaded and stored, those of global memory times
// GlobalCost and divided by the consecutive bytes of one transaction. Line numbers in the
// comments are the listing's.
type Listing1 struct{}

// What the listing leaves open; RATIONALE.md has the reasons.
const (
	// GlobalCost is the cost of a byte of global memory in units of one
	// operation. The published implementation's runs used 200.
	GlobalCost = 200
	// CachedBytes is the size of a buffer from which on its loads cost GlobalCost;
	// those of a smaller one, which caches hold, cost less in proportion.
	CachedBytes = 64 << 10
	// SharedCost is the same for shared memory.
	SharedCost = 1
	// TransactionBytes caps the benefit of consecutive loads: a sector.
	TransactionBytes = 32
	// OccupancyThreshold is the least useful occupancy ("usually 0.1").
	OccupancyThreshold = 0.1
	// BlocksPerSM is the least number of blocks for each SM (section 4.2: inefficient is
	// a "number of blocks less than 2-4 times the number of SMs").
	BlocksPerSM = 2
)

// Name implements Coster.
func (Listing1) Name() string { return "listing1" }

// Price implements Coster.
func (Listing1) Price(pr *plan.Problem, k *plan.Kernel, ph Phase) Price {
	return listing1(pr, k, ph, true)
}

// RefusesBlock implements BlockRefuser: the part of lines 36-37 that is about threads.
func (Listing1) RefusesBlock(pr *plan.Problem, block [3]int64, ph Phase) bool {
	threads := block[0] * block[1] * block[2]
	return threads > int64(pr.Device.MaxThreadsPerBlock) || ph == Final && threads%int64(pr.Device.WarpSize) != 0
}

// listing1 is the listing. Where scaled is false, memory is not divided by the
// parallelism.
func listing1(pr *plan.Problem, k *plan.Kernel, ph Phase, scaled bool) Price {
	a := analysis{pr: pr, k: k, occupancy: 1, active: float64(pr.Device.MaxThreadsPerBlock)} // lines 15-17
	if p := a.check(ph); p != nil {
		return *p
	}
	if ph == Final {
		a.registers = k.Registers
	}
	a.memory = outMemory(pr, k)
	a.stage(&k.Out, k.Out.Points(), k.Out.ThreadCount())
	for i := range k.Members { // lines 5-7 and 19-34
		m := &k.Members[i]
		for j := range m.Nests {
			n := &m.Nests[j]
			points, threads := n.Points(), n.ThreadCount()
			if m.Where == plan.AtThread {
				threads = k.ThreadsOf(m.Anchor)
				points *= threads
			}
			if m.Where == plan.AtWarp {
				points, threads = points*k.Warp.Warps, threads*k.Warp.Warps
			}
			a.memory += nestMemory(pr, k, n, points)
			switch m.Where {
			case plan.AtBlock:
				a.memory += SharedCost * float64(points*pr.Bytes(m.Func))
			case plan.AtBlockGlobal:
				a.memory += GlobalByte(pr.BufferBytes(m.Func, -1)) * float64(points*pr.Bytes(m.Func))
			}
			a.stage(n, points, threads)
		}
	}
	return a.price(scaled)
}

// analysis is the state of the listing: its metrics over the stages so far.
type analysis struct {
	pr                 *plan.Problem
	k                  *plan.Kernel
	arithmetic, memory float64 // one tile
	occupancy, active  float64
	registers          int    // a thread, in the final phase; see RATIONALE.md
	inefficient        Reason // the last of the faults
	faults             int
}

// check makes the rejections of lines 36-37. It returns a price for what cannot
// launch and notes what is merely inefficient.
func (a *analysis) check(ph Phase) *Price {
	if r := unlaunchable(a.pr, a.k, int64(a.pr.Device.MaxThreadsPerBlock), a.k.SharedSum); r != (Reason{}) {
		return &Price{Reject: r}
	}
	if threads := a.k.ThreadsPerBlock(); ph == Final && threads%int64(a.pr.Device.WarpSize) != 0 {
		a.fault("%[1]d threads are not whole warps of %[2]d", "", threads, int64(a.pr.Device.WarpSize))
	}
	if want := wantedBlocks(a.pr, a.k); a.k.Tiles() < want {
		a.fault("%[1]d blocks keep %[2]d of %[3]d SMs busy, %[4]d are wanted", "",
			a.k.Tiles(), min(int64(a.pr.Device.SMs), a.k.Tiles()), int64(a.pr.Device.SMs), want)
	}
	return nil
}

// fault notes why the kernel is inefficient.
func (a *analysis) fault(format, text string, numbers ...int64) {
	a.inefficient = NewReason(format, text, numbers...)
	a.faults++
}

// stage is the body of the loop of lines 19-34 for one stage.
func (a *analysis) stage(n *plan.Nest, points, threads int64) {
	r, err := a.pr.Device.Occupancy(occupancy.Usage{Threads: int(threads), Registers: a.registers, SharedBytes: int(a.k.SharedSum)}) // line 26
	if err != nil || r.ActiveBlocks == 0 {
		return // the whole kernel's occupancy was checked
	}
	if r.Occupancy < OccupancyThreshold && a.occupancy >= OccupancyThreshold { // line 28, said of the first such stage
		a.fault("the occupancy of %[5]s is 0.%02[1]d, below 0.1", a.pr.P.Funcs[n.Func].Label, int64(100*r.Occupancy+0.5))
	}
	// The warps' lanes, as in the published implementation: counted without the idle lanes of its
	// last warp, a small member would be charged to the memory of the whole group.
	active := float64(r.ActiveWarps * min(a.pr.Device.WarpSize, int(threads)))
	a.arithmetic += float64(a.pr.ExpandOf(n).Ops) * float64(points) / (r.Occupancy * active) // line 30
	a.occupancy, a.active = min(a.occupancy, r.Occupancy), min(a.active, active)             // lines 31-32
}

// price is line 39, for all tiles.
func (a *analysis) price(scaled bool) Price {
	tiles := float64(a.k.Tiles())
	arithmetic, memory := tiles*a.arithmetic, tiles*a.memory
	if scaled {
		memory /= a.occupancy * a.active
	}
	return Price{
		Cost:     arithmetic + memory,
		Terms:    []Term{{"arithmetic", arithmetic}, {"memory", memory}, {"occupancy", a.occupancy}, {"active threads", a.active}},
		Reject:   a.inefficient,
		Faults:   a.faults,
		Launches: true,
	}
}

// wantedBlocks is the least number of blocks that a kernel must have: BlocksPerSM for
// every SM, unless its output does not have a warp's worth of points for each.
func wantedBlocks(pr *plan.Problem, k *plan.Kernel) int64 {
	extent := pr.Dims[pr.StageIndex(k.Out.Func, k.Out.Stage)].Extent
	points := int64(1)
	for _, u := range k.Out.Threads {
		points *= extent[u.Loop]
	}
	for _, u := range k.Out.Blocks {
		if u.Tile == 0 { // the others are thread loops too
			points *= extent[u.Loop]
		}
	}
	return min(BlocksPerSM*int64(pr.Device.SMs), max(1, points/int64(pr.Device.WarpSize)))
}

// outMemory is the memory cost of the output stage for one tile: its loads and its
// store to global memory.
func outMemory(pr *plan.Problem, k *plan.Kernel) float64 {
	points := k.Out.Points()
	store := pr.Access.Stage(k.Out.Func, k.Out.Stage).Store
	bytes := pr.Bytes(k.Out.Func)
	return nestMemory(pr, k, &k.Out, points) + float64(bytes*points)*GlobalByte(pr.BufferBytes(k.Out.Func, -1))/consecutive(&k.Out, store, bytes)
}

// nestMemory is the memory cost of the loads of one stage for one tile (lines 2-7).
func nestMemory(pr *plan.Problem, k *plan.Kernel, n *plan.Nest, points int64) float64 {
	cost := 0.0
	ex := pr.ExpandOf(n)
	for i := range ex.Loads {
		t := &ex.Loads[i]
		switch where, in := k.PlaceOf(t.Func); {
		case in && where != plan.AtBlock && where != plan.AtBlockGlobal: // in registers
		case in && where == plan.AtBlock:
			cost += SharedCost * float64(t.Bytes*points)
		default:
			cost += float64(t.Bytes*points) * GlobalByte(pr.BufferBytes(t.Func, t.Input)) / consecutive(n, t.Index, t.Bytes)
		}
	}
	return cost
}

// GlobalByte is the cost of a byte of global memory that belongs to a buffer of the
// given size: SharedCost for an empty one, rising to GlobalCost.
func GlobalByte(buffer float64) float64 {
	return min(SharedCost+buffer*GlobalCost/CachedBytes, GlobalCost)
}

// consecutive is the number of bytes that neighbouring threads load together, of
// which the listing's line 4 divides by: capped by a transaction, and one
// element where neighbours are not next to each other. Threads that load the
// same element need one transaction for all.
func consecutive(n *plan.Nest, idx []access.Index, bytes int64) float64 {
	x := n.Along
	if x.Loop < 0 {
		return float64(bytes)
	}
	full := float64(min(x.Extent*bytes, TransactionBytes))
	moves := false
	for d, i := range idx {
		switch {
		case i.Kind == access.Unknown && i.DataDependent:
			return float64(bytes)
		case i.Kind == access.Unknown && d == 0 && i.DependsOn(x.Loop):
			moves = true // a sum of loops, as x + r.x: taken to step by one
		case !i.DependsOn(x.Loop):
		case d > 0:
			return float64(bytes)
		default:
			moves = true
			if i.Num != i.Den && i.Num != -i.Den {
				// A stride of s elements uses a part 1/s of each transaction.
				stride := float64(max(i.Num, -i.Num)) / float64(i.Den)
				return max(float64(bytes), full/max(stride, 1))
			}
		}
	}
	if !moves {
		return max(float64(bytes), TransactionBytes)
	}
	return max(float64(bytes), full)
}

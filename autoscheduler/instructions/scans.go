package instructions

import (
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// scanSteps are the exchanges in which 32 lanes add up what is before each.
const scanSteps = 5

// scanGroups is of how many groups of lanes the loads are on their way at once (bridge/halidecc/scanlanes.cc).
const scanGroups = 4

// scanned is a kernel whose warps run through scans as its lanes see it: they are along the loop, which turns once for all of them.
func scanned(k *plan.Kernel) *plan.Kernel {
	lanes := *k
	n := &lanes.Out
	r := n.Serial[0]
	n.Along = plan.Use{Loop: r.Loop, Tile: plan.WarpLanes, Extent: plan.WarpLanes}
	n.Threads = append([]plan.Use{n.Along}, n.Threads...)
	n.Serial = []plan.Use{{Loop: r.Loop, Tile: plan.WarpLanes, Extent: (r.Extent + plan.WarpLanes - 1) / plan.WarpLanes}}
	return &lanes
}

// scan adds what a turn of a scan costs beside the loads, operations and store of the definition: each step is an exchange, an operation and the choice whether there is a lane so far below.
// What is before all lanes is exchanged too. What is stored goes where the lane has loaded from, if it reads the own place.
func (c *Part) scan(turns float64, floats, own bool) {
	c.Memory += turns * (scanSteps + 1)
	c.Requests += turns * (scanSteps + 1)
	operations := turns * scanSteps
	if floats {
		c.Float += operations
	} else {
		c.Terms[Integer] += operations
	}
	c.Terms[Choice] += turns * scanSteps
	if own {
		c.Terms[OwnRow] -= turns
	}
}

// chunked is a kernel in which several threads run through a scan by chunks as one of them sees it: the iterations of a chunk stand side by side, and the loop turns once for all threads.
func chunked(k *plan.Kernel) *plan.Kernel {
	some := *k
	n := &some.Out
	r := n.Serial[0]
	turn := n.Chunks * schedule.ChunkIterations
	n.Threads = append(n.Threads[:len(n.Threads):len(n.Threads)], plan.Use{Loop: r.Loop, Tile: n.Chunks, Extent: n.Chunks})
	n.Serial = []plan.Use{{Loop: r.Loop, Tile: turn, Extent: (r.Extent + turn - 1) / turn}}
	n.Unrolled = []plan.Use{{Loop: r.Loop, Tile: schedule.ChunkIterations, Extent: schedule.ChunkIterations, Tail: plan.RoundUp}}
	return &some
}

// What counts of iir_blur's scans say of turns by chunks.
const (
	chunkPlace  = 4  // instructions for where in the scratch a thread tells, and where it reads
	heldChoices = 12 // of a thread's own chunk against others: so many comparisons are taken out of the loop, the others stand in each turn
)

// chunks adds what a turn of chunks costs beside the loads, operations and stores of the definition: what a chunk comes to by itself is computed before what it holds, each is told and
// those of all are loaded, added up, and chosen from. What is before all is in a register; what is stored goes to the addresses that are loaded from, if the own places are read.
func (c *Part) chunks(turns float64, n int64, floats, own bool) {
	each := float64(n)
	c.Memory += turns * (each + 1)
	c.Requests += turns * (each + 2)
	operations := turns * (each + schedule.ChunkIterations)
	if floats {
		c.Float += operations
	} else {
		c.Terms[Integer] += operations
	}
	c.Terms[Choice] += turns * (each + max(0, each-heldChoices))
	c.Terms[Integer] += turns * chunkPlace
	if own {
		c.Terms[OwnRow] -= turns * schedule.ChunkIterations
	}
}

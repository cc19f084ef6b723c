package instructions

import (
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
// What is before all lanes is exchanged too, where the definition counts a load of it; its row is the own one's.
func (c *Part) scan(turns float64, floats bool) {
	c.Memory += turns * scanSteps
	c.Requests += turns * scanSteps
	operations := turns * scanSteps
	if floats {
		c.Float += operations
	} else {
		c.Terms[Integer] += operations
	}
	c.Terms[Choice] += turns * scanSteps
	c.Terms[OwnRow] -= turns
}

package strategy

import (
	"slices"

	"gowarp/internal/plan"
)

// rowsLast has blocks go through the loops that are not tiled before they go to the next row of tiles, where they then come back to what they read before the L2 has lost it: the
// planes of an image that are made of one plane, the offsets at which a window is compared. Blocks of one row of tiles follow each other as before.
func rowsLast(pr *plan.Problem, k *plan.Kernel) {
	n := &k.Out
	const tiled = 2
	cache := float64(pr.Device.L2Bytes) / 2
	if !pr.RowsLast || n.Together() || cache <= 0 || len(n.Blocks) <= tiled || n.Fused == len(n.Blocks) || slices.ContainsFunc(n.Blocks[:tiled], func(u plan.Use) bool { return u.Tile == 0 }) ||
		slices.ContainsFunc(n.Blocks[tiled:], func(u plan.Use) bool { return u.Tile > 0 && u.Extent > 1 }) {
		return
	}
	sweeps, atATime := k.Sweeps(pr), float64(pr.Device.SMs)*float64(max(1, k.Occupancy.ActiveBlocks))
	read := func(blocks []plan.Use) float64 {
		sum := 0.0
		for i := range sweeps[:len(sweeps)-1] {
			sum += sweeps[i].Bytes * plan.Again(blocks, sweeps, i, cache, atATime)
		}
		return sum
	}
	order := slices.Concat(n.Blocks[:1], n.Blocks[tiled:], n.Blocks[1:tiled])
	if read(order) > read(n.Blocks)*lessRead {
		return
	}
	g := [3]int64{n.Blocks[0].Extent, 1, n.Blocks[1].Extent}
	for _, u := range n.Blocks[tiled:] {
		g[1] *= u.Extent
	}
	for d, most := range pr.Device.MaxGrid {
		if most > 0 && g[d] > int64(most) {
			return
		}
	}
	n.Blocks, n.FusedAt, k.Grid = order, 1, g
}

// lessRead is the part of what is read from DRAM that another order has to come down to.
const lessRead = .9

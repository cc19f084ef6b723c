package strategy

import (
	"fmt"

	"gowarp/halideir/scan"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// ChunkScan runs an update that is a scan (package scan) along another dimension than the innermost as a kernel of its own in which several warps run through a warp's columns together, a chunk
// of them each. Where a thread runs through a column alone, the device has as many threads as there are columns, and each waits for memory at every turn.
type ChunkScan struct{}

// Name implements Strategy.
func (ChunkScan) Name() string { return "chunk-scan" }

// Prepare implements Strategy.
func (ChunkScan) Prepare(pr *plan.Problem, g *plan.Group, _ Options) (Prepared, error) {
	found, err := scansOf(ChunkScan{}.Name(), pr, g, true)
	return chunks{pr, g, found}, err
}

type chunks struct {
	pr    *plan.Problem
	g     *plan.Group
	found []*scan.Scan // by stage; nil for others
}

// Choices implements Chooser: as many warps for a warp's columns as these have chunks for, or less.
func (s chunks) Choices(stage int, _ Step) (out []plan.Choice) {
	if s.found[stage] == nil {
		return nil
	}
	dims := &s.pr.Dims[s.pr.StageIndex(s.g.Out, stage)]
	if dims.Extent[s.found[stage].Loop] <= 2*schedule.ChunkIterations {
		return nil // a thread does as well
	}
	tile := make([]int64, len(dims.Tiled))
	for k, l := range dims.Tiled {
		tile[k] = 1
		if l == s.columns(stage) {
			tile[k] = plan.WarpLanes
		}
	}
	for n := int64(4); n <= schedule.MaxChunks; n *= 2 {
		if n > 4 && (n/2)*schedule.ChunkIterations >= dims.Extent[s.found[stage].Loop] {
			break // half of them are enough for all of a column
		}
		out = append(out, plan.Choice{Strategy: ChunkScan{}.Name(), Tile: tile, Warp: plan.WarpChoice{Warps: n}})
	}
	return out
}

// columns is the loop along which neighbouring threads have columns beside each other.
func (s chunks) columns(stage int) int {
	at := s.pr.Access.Stage(s.g.Out, stage).Store
	return at[0].Loop
}

// Kernel implements Prepared.
func (s chunks) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	found, f := s.found[stage], &s.pr.P.Funcs[s.g.Out]
	extent := s.pr.Dims[s.pr.StageIndex(s.g.Out, stage)].Extent
	switch {
	case found == nil:
		return nil, fmt.Errorf("chunk-scan: stage %d of %s is no scan", stage, f.Label)
	case c.Warp.Warps < 2 || c.Warp.Warps > schedule.MaxChunks:
		return nil, fmt.Errorf("chunk-scan: %d warps for a column, want 2..%d", c.Warp.Warps, schedule.MaxChunks)
	}
	n := plan.Nest{Func: s.g.Out, Stage: stage, Chunks: c.Warp.Warps}
	for l := range f.Stages[stage].Loops {
		switch l {
		case found.Loop:
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: extent[l]})
		case s.columns(stage):
			n.Threads = append(n.Threads, plan.Use{Loop: l, Tile: plan.WarpLanes, Extent: plan.WarpLanes})
			n.Blocks = append([]plan.Use{{Loop: l, Tile: plan.WarpLanes, Extent: ceilDiv(extent[l], plan.WarpLanes)}}, n.Blocks...)
		default:
			n.Blocks = append(n.Blocks, plan.Use{Loop: l, Extent: extent[l]})
		}
	}
	n.Along = along(&n)
	k := &plan.Kernel{Strategy: ChunkScan{}.Name(), Choice: c, Out: n, Registers: chunkRegisters}
	return k, finish(s.pr, k)
}

// chunkRegisters are a thread's: ptxas has 62 to 64, for what a chunk's iterations add and the addresses that they go to.
const chunkRegisters = 64

// Block implements Sizer.
func (s chunks) Block(_ int, c plan.Choice) [3]int64 {
	return [3]int64{plan.WarpLanes, c.Warp.Warps, 1}
}

package strategy

import (
	"errors"
	"fmt"
	"slices"

	"gowarp/internal/plan"
)

// BlockColumns computes a Func whose updates write to other places than their loops' own (a scan, a histogram of each tile) stage after stage in the kernel of its
// reader. A thread has columns: all that an update may write to from one point of the other arguments, along which no stage reads a neighbour. They are as long as a run
// has it, and so in global memory.
type BlockColumns struct{}

// Name implements Strategy.
func (BlockColumns) Name() string { return "block-columns" }

// Prepare implements Strategy.
func (BlockColumns) Prepare(pr *plan.Problem, g *plan.Group, _ Options) (Prepared, error) {
	c, err := columnsOf(pr, g, BlockColumns{}.Name())
	if err != nil {
		return nil, err
	}
	if len(c.summaries) > 0 {
		return nil, errors.New("block-columns: a group of other than one Func and its reader")
	}
	b := blockColumns{columns: c, thread: -1}
	for k, l := range c.reader {
		// Neighbouring threads then have neighbours in memory.
		if l >= 0 && b.thread < 0 && pr.Dims[pr.StageIndex(g.Out, 0)].Extent[l] >= plan.WarpLanes {
			b.thread = k
		}
	}
	if b.thread < 0 {
		return nil, fmt.Errorf("block-columns: no argument of %s is its own in all that its updates and %s read", pr.P.Funcs[g.Members[0]].Label, pr.P.Funcs[g.Out].Label)
	}
	return b, nil
}

type blockColumns struct {
	columns
	thread int // the argument that is read along the threads
}

// columnThreads are the sizes of a block that are tried: columns are few, and each thread has a long way.
var columnThreads = []int64{32, 64, 128, 256}

// Choices implements Chooser.
func (b blockColumns) Choices(int, Step) []plan.Choice {
	tiled := b.pr.Dims[b.pr.StageIndex(b.g.Out, 0)].Tiled
	var out []plan.Choice
	for _, n := range columnThreads {
		c := plan.Choice{Strategy: BlockColumns{}.Name(), Tile: make([]int64, len(tiled)), Points: []int64{n}}
		for i, l := range tiled {
			c.Tile[i] = 1
			if l == b.reader[b.thread] {
				c.Tile[i] = n
			}
		}
		if n <= b.pr.Limits.ThreadsPerBlock {
			out = append(out, c)
		}
	}
	return out
}

// Kernel implements Prepared.
func (b blockColumns) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	threads := c.Points[0]
	k := &plan.Kernel{Strategy: BlockColumns{}.Name(), Choice: c, Out: b.reading(stage, threads)}
	id := b.g.Members[0]
	m := plan.Member{Func: id, Where: plan.AtBlockGlobal, Anchor: -1}
	for arg, iv := range b.pr.Regions.Funcs[id] {
		n := int64(1)
		switch {
		case arg == b.thread:
			n = threads
		case b.reader[arg] < 0:
			n = iv.Extent()
		}
		m.Extents, m.Padded = append(m.Extents, n), append(m.Padded, n)
		m.Bounded, m.Given = append(m.Bounded, b.reader[arg] >= 0), append(m.Given, false)
	}
	for s := range b.pr.P.Funcs[id].Stages {
		m.Nests = append(m.Nests, b.updating(id, s, threads))
	}
	k.Members = []plan.Member{m}
	return k, finish(b.pr, k)
}

// reading is the reader's nest: a thread reads its column from end to end.
func (b blockColumns) reading(stage int, threads int64) plan.Nest {
	n := plan.Nest{Func: b.g.Out, Stage: stage}
	extent := b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)].Extent
	for l := range b.pr.P.Funcs[b.g.Out].Stages[stage].Loops {
		switch {
		case l == b.reader[b.thread]:
			n.Threads = append(n.Threads, plan.Use{Loop: l, Tile: threads, Extent: threads})
			n.Blocks = append([]plan.Use{{Loop: l, Tile: threads, Extent: ceilDiv(extent[l], threads)}}, n.Blocks...)
		case slices.Contains(b.reader, l):
			n.Blocks = append(n.Blocks, plan.Use{Loop: l, Extent: extent[l]})
		default:
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: extent[l]})
		}
	}
	b.severalSteps(&n)
	n.Along = along(&n)
	return n
}

// updating is the nest of a stage of the member.
func (b blockColumns) updating(fn, stage int, threads int64) plan.Nest {
	n := plan.Nest{Func: fn, Stage: stage}
	extent := b.pr.Dims[b.pr.StageIndex(fn, stage)].Extent
	for l, loop := range b.pr.P.Funcs[fn].Stages[stage].Loops {
		switch {
		case loop.Arg == b.thread:
			n.Threads = append(n.Threads, plan.Use{Loop: l, Tile: threads, Extent: threads})
			n.Serial = append(n.Serial, plan.Use{Loop: l, Tile: threads, Extent: 1})
		case loop.Arg >= 0 && b.reader[loop.Arg] >= 0:
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: 1})
		default:
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: extent[l]})
		}
	}
	b.severalSteps(&n)
	n.Along = along(&n)
	return n
}

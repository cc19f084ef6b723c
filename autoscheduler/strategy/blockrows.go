package strategy

import (
	"errors"
	"fmt"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
	"gowarp/nestedfusion"
)

// BlockRows computes whole rows of the output a block, and before them what all points of a row need in common: its sum, its greatest value, its mean (softmax, norms of layers). A row of threads
// goes through a row of the output in turns, as long as a run has it, and makes the partial results of the reductions side by side.
type BlockRows struct{}

// Name implements Strategy.
func (BlockRows) Name() string { return "block-rows" }

// Prepare implements Strategy.
func (BlockRows) Prepare(pr *plan.Problem, g *plan.Group, _ Options) (Prepared, error) {
	f := &pr.P.Funcs[g.Out]
	dims := &pr.Dims[pr.StageIndex(g.Out, 0)]
	fail := func(format string, args ...any) (Prepared, error) {
		return nil, fmt.Errorf("block-rows: "+format, args...)
	}
	switch {
	case len(g.Members) == 0:
		return nil, errors.New("block-rows: a group of one Func")
	case len(f.Stages) != 1:
		return fail("%s has updates; its stages share no tile", f.Label)
	case len(dims.Tiled) == 0 || !pr.PureLoops(g.Out, 0) || len(dims.Held) > 0:
		return fail("%s has no loop to tile", f.Label)
	}
	loops := f.Stages[0].Loops
	n := len(g.Members)
	b := blockRows{placed: placed{pr: pr, g: g, places: make([]nestedfusion.Placement, n), threads: make([][]int, n)}, row: -1, rows: -1}
	for i, l := range dims.Tiled {
		switch moves := memberMoves(g, loops[l]); {
		case i == 0 && !moves:
			b.row = i
		case moves && b.rows < 0:
			b.rows = i
		}
	}
	switch {
	case b.row < 0:
		return fail("what a tile of %s needs moves with loop %s", f.Label, loops[dims.Tiled[0]].Label)
	case !slices.ContainsFunc(loops, func(l halideir.Loop) bool { return memberMoves(g, l) }):
		return fail("all of %s needs the same", f.Label)
	}
	for i := n - 1; i >= 0; i-- {
		m := g.Members[i]
		mf := &pr.P.Funcs[m]
		for s := range mf.Stages {
			if !pr.PureLoops(m, s) {
				return fail("%s.update(%d) writes to computed places", mf.Label, s-1)
			}
		}
		for k, d := range g.Grow.Funcs[m] {
			if !d.Provable() || !d.Fixed {
				return fail("the part of %s that a row of %s needs has no fixed size in dimension %d", mf.Label, f.Label, k)
			}
		}
		b.places[i] = b.place(m)
		if b.places[i].Where == plan.AtBlock {
			b.threads[i] = nestedfusion.ThreadDims(pr, g, m)
			if lane := b.lane(m); lane >= 0 && !slices.Contains(b.threads[i], lane) {
				b.threads[i] = slices.Insert(b.threads[i], 0, lane) // what is beside each other in memory is neighbouring threads'
			}
		}
	}
	return b, nil
}

type blockRows struct {
	placed
	row, rows int // of the output's tiled loops: that along a row, and that over the rows of a block, -1 for one
}

// lane is the dimension of a member over which a row of threads has its points for a row of the output: that along which partial results load neighbours, or else the first of which there are several; -1 where there is one point.
func (b blockRows) lane(member int) int {
	f := &b.pr.P.Funcs[member]
	if f.Partial && f.Lane >= 0 {
		return f.Lane
	}
	return slices.IndexFunc(b.g.Grow.Funcs[member], func(d bounds.Growth) bool { return d.Dim < 0 && d.Extent(1) > 1 })
}

// place puts a member that one Func of one stage reads, each point its own, into the threads of that: the sums of partial results. All else is in shared memory.
func (b blockRows) place(member int) nestedfusion.Placement {
	at := nestedfusion.Placement{Func: member, Where: plan.AtBlock, Anchor: -1}
	reader, grow, ok := ownReader(b.pr, b.g, member)
	i := slices.Index(b.g.Members, reader)
	if !ok || b.places[i].Where != plan.AtBlock {
		return at
	}
	for k, d := range b.g.Grow.Funcs[reader] {
		tile := int64(1)
		if b.overRows(d.Dim) {
			tile = 2
		}
		if !slices.Contains(b.threads[i], k) && d.Extent(tile) != 1 {
			return at // a thread has several points of it
		}
	}
	tile := slices.Repeat([]int64{1}, len(b.pr.P.Funcs[reader].Args))
	return nestedfusion.Placement{Func: member, Where: plan.AtThread, Anchor: reader, Grow: grow, Tile: tile}
}

// overRows reports whether a block has several points along an argument of the output that members move with.
func (b blockRows) overRows(arg int) bool {
	if b.rows < 0 {
		return false
	}
	l := b.pr.Dims[b.pr.StageIndex(b.g.Out, 0)].Tiled[b.rows]
	return b.pr.P.Funcs[b.g.Out].Stages[0].Loops[l].Arg == arg
}

// What is tried: threads a row of the output, and rows a block. A row of partial results has a thread for each, of which there may be more.
var (
	rowThreads = []int64{32, 64, 128, 256, 512}
	rowsABlock = []int64{1, 2, 4, 8}
)

// Choices implements Chooser.
func (b blockRows) Choices(stage int, step Step) []plan.Choice {
	tiled := b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)].Tiled
	rows := rowsABlock
	if b.rows < 0 {
		rows = rows[:1]
	}
	var out []plan.Choice
	for _, n := range rowThreads {
		for _, r := range rows {
			if n*r > b.pr.Limits.ThreadsPerBlock {
				break
			}
			c := plan.Choice{Strategy: BlockRows{}.Name(), Tile: make([]int64, len(tiled))}
			for i := range tiled {
				c.Tile[i] = 1
			}
			c.Tile[b.row] = n
			if b.rows >= 0 {
				c.Tile[b.rows] = r
			}
			out = append(out, c)
		}
	}
	return out
}

// Kernel implements Prepared.
func (b blockRows) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	n, err := outNest(b.pr, b.g, stage, c)
	if err != nil {
		return nil, err
	}
	row := n.Threads[b.row].Loop
	extent := b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)].Extent[row]
	n.Blocks = slices.DeleteFunc(n.Blocks, func(u plan.Use) bool { return u.Loop == row })
	n.Serial = append(n.Serial, plan.Use{Loop: row, Tile: c.Tile[b.row], Extent: ceilDiv(extent, c.Tile[b.row])})
	k := &plan.Kernel{Strategy: BlockRows{}.Name(), Choice: c, Out: n}
	if err := b.layMembers(k); err != nil {
		return nil, err
	}
	for i := range k.Members {
		for j := range k.Members[i].Nests {
			stepped(b.pr, &k.Members[i].Nests[j])
		}
	}
	pad(b.pr, k)
	return k, finish(b.pr, k)
}

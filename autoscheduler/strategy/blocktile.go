package strategy

import (
	"fmt"

	"gowarp/halideir"
	"gowarp/internal/plan"
	"gowarp/nestedfusion"
)

// BlockTile computes one tile of the output a block, and before it the region
// of every member that the tile needs, in shared memory (overlapped
// tiles), or in the thread's registers where nestedfusion says so. The
// block is as large as the largest stage (Sioutas et al. 2020, listing 1,
// line 25); loops are mapped to threads by position, never by name.
type BlockTile struct{}

// Name implements Strategy.
func (BlockTile) Name() string { return "block-tile" }

// Prepare implements Strategy.
func (BlockTile) Prepare(pr *plan.Problem, g *plan.Group, o Options) (Prepared, error) {
	f := &pr.P.Funcs[g.Out]
	switch {
	case len(g.Members) == 0:
		return nil, fmt.Errorf("block-tile: a group of one Func")
	case len(f.Stages) != 1:
		return nil, fmt.Errorf("block-tile: %s has updates; its stages share no tile", f.Label)
	case len(pr.Dims[pr.StageIndex(g.Out, 0)].Tiled) == 0:
		return nil, fmt.Errorf("block-tile: %s has no loop to tile", f.Label)
	}
	places := nestedfusion.Place(pr, g, o.Nesting == NestAlways)
	for _, p := range places {
		m := &pr.P.Funcs[p.Func]
		if p.Where == plan.AtThread {
			continue
		}
		for s := range m.Stages {
			if !pr.PureLoops(p.Func, s) {
				return nil, fmt.Errorf("block-tile: %s.update(%d) writes to computed places; every block would repeat all of it", m.Label, s-1)
			}
		}
		for k, d := range g.Grow.Funcs[p.Func] {
			if !d.Known || !d.Fixed {
				return nil, fmt.Errorf("block-tile: the part of %s that a tile of %s needs has no fixed size in dimension %d", m.Label, f.Label, k)
			}
		}
	}
	return blockTiles{pr, g, places}, nil
}

type blockTiles struct {
	pr     *plan.Problem
	g      *plan.Group
	places []nestedfusion.Placement
}

// Kernel implements Prepared.
func (b blockTiles) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	n, err := outNest(b.pr, b.g, stage, c)
	if err != nil {
		return nil, err
	}
	k := &plan.Kernel{Strategy: BlockTile{}.Name(), Choice: c, Out: n}
	tile := tileByArg(b.pr, &k.Out)
	for _, p := range b.places {
		m, err := member(b.pr, b.g, &k.Out, tile, p)
		if err != nil {
			return nil, err
		}
		k.Members = append(k.Members, m)
	}
	pad(b.pr, k)
	return k, finish(b.pr, k)
}

// member lays out one member for a tile.
func member(pr *plan.Problem, g *plan.Group, out *plan.Nest, tile []int64, p nestedfusion.Placement) (plan.Member, error) {
	m := plan.Member{Func: p.Func, Where: p.Where, Anchor: p.Anchor}
	grow := g.Grow.Funcs[p.Func]
	if p.Where == plan.AtThread {
		grow, tile = p.Grow, p.Tile
	}
	for k, d := range grow {
		if !d.Known || !d.Fixed {
			return m, fmt.Errorf("strategy: %s has no fixed size in dimension %d", pr.P.Funcs[p.Func].Label, k)
		}
		t := int64(1)
		if d.Dim >= 0 {
			t = tile[d.Dim]
		}
		m.Extents = append(m.Extents, d.Extent(t))
		m.Bounded = append(m.Bounded, d.Provable())
	}
	m.Padded = append(m.Padded, m.Extents...)
	for s := range pr.P.Funcs[p.Func].Stages {
		m.Nests = append(m.Nests, memberNest(pr, g, out, p, s, m.Extents))
	}
	return m, nil
}

// memberNest maps the loops of one stage of a member. At a thread all are
// serial. At the block, the dimension that moves with the output's first
// thread loop becomes x, and so on; a member that moves with none of them
// spreads its longest dimensions over the threads instead.
func memberNest(pr *plan.Problem, g *plan.Group, out *plan.Nest, p nestedfusion.Placement, stage int, extents []int64) plan.Nest {
	st := &pr.P.Funcs[p.Func].Stages[stage]
	n := plan.Nest{Func: p.Func, Stage: stage}
	whole := pr.Dims[pr.StageIndex(p.Func, stage)].Extent
	extent := func(l int) int64 {
		if a := st.Loops[l].Arg; a >= 0 {
			return extents[a]
		}
		return whole[l] // a reduction loop runs through its domain, whatever the tile
	}
	used := make([]bool, len(st.Loops))
	thread := func(l int) {
		used[l] = true
		u := plan.Use{Loop: l, Extent: extent(l)}
		if d := g.Grow.Funcs[p.Func][st.Loops[l].Arg]; !d.Provable() {
			// Halide would take the largest extent that it can imagine for the block's.
			u.Tile = u.Extent
			n.Serial = append(n.Serial, plan.Use{Loop: l, Tile: u.Tile, Extent: 1})
		}
		n.Threads = append(n.Threads, u)
	}
	if p.Where == plan.AtBlock {
		for _, k := range nestedfusion.ThreadDims(pr, g, p.Func) {
			for l, loop := range st.Loops {
				if loop.Arg == k {
					thread(l)
				}
			}
		}
		for len(n.Threads) == 0 {
			longest := -1
			for l, loop := range st.Loops {
				if loop.Arg >= 0 && (longest < 0 || extent(l) > extent(longest)) {
					longest = l
				}
			}
			if longest < 0 {
				break
			}
			thread(longest)
		}
	}
	n.Along = along(&n)
	if p.Where == plan.AtThread {
		n.Along = alongAnchor(pr, g, out, p, st)
	}
	for l := range st.Loops {
		if !used[l] {
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: extent(l)})
		}
	}
	return n
}

// alongAnchor is the loop of a member in a thread that steps with thread x of its anchor.
func alongAnchor(pr *plan.Problem, g *plan.Group, out *plan.Nest, p nestedfusion.Placement, st *halideir.Stage) plan.Use {
	if out.Along.Loop < 0 {
		return out.Along
	}
	x := pr.P.Funcs[g.Out].Stages[out.Stage].Loops[out.Along.Loop].Arg
	if p.Anchor != g.Out {
		for k, d := range g.Grow.Funcs[p.Anchor] {
			if d.Known && d.Dim == x {
				x = k
				break
			}
		}
	}
	for l, loop := range st.Loops {
		if loop.Arg >= 0 && p.Grow[loop.Arg].Dim == x {
			return plan.Use{Loop: l, Extent: out.Along.Extent}
		}
	}
	return plan.Use{Loop: -1}
}

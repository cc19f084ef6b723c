package strategy

import (
	"fmt"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/bounds"
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
	b := blockTiles{placed: placed{pr: pr, g: g, places: places, threads: make([][]int, len(places))}}
	for i, p := range places {
		if p.Where == plan.AtBlock {
			b.threads[i] = nestedfusion.ThreadDims(pr, g, p.Func)
		}
	}
	n, err := outNest(pr, g, 0, plan.Choice{Tile: FallbackTile(pr, g.Out, 0)})
	b.serial = n.Serial
	return b, err
}

type blockTiles struct {
	placed
	serial []plan.Use // the output's loops inside a thread, whatever the tile
}

// placed is a group of which it is known where each member is computed, whatever the tile.
type placed struct {
	pr      *plan.Problem
	g       *plan.Group
	places  []nestedfusion.Placement
	threads [][]int // by place, at the block: the dimensions that run over threads
}

// layMembers lays out all members for the output's nest.
func (b placed) layMembers(k *plan.Kernel) error {
	k.Members = make([]plan.Member, 0, len(b.places))
	tile := tileByArg(b.pr, &k.Out)
	for i, p := range b.places {
		m, err := member(b.pr, b.g, &k.Out, tile, p, b.threads[i])
		if err != nil {
			return err
		}
		k.Members = append(k.Members, m)
	}
	return nil
}

// Block implements Sizer.
func (b blockTiles) Block(stage int, c plan.Choice) [3]int64 {
	out := block(c)
	loops := b.pr.P.Funcs[b.g.Out].Stages[stage].Loops
	tiled := b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)].Tiled
	for i, p := range b.places {
		if p.Where == plan.AtThread {
			continue
		}
		extent := func(k int) int64 {
			d := b.g.Grow.Funcs[p.Func][k]
			for j, l := range tiled {
				if d.Dim >= 0 && loops[l].Arg == d.Dim {
					return d.Extent(c.Tile[j])
				}
			}
			return d.Extent(b.untiled(stage, d.Dim))
		}
		for j, k := range b.threads[i] {
			out[j] = max(out[j], extent(k))
		}
		if len(b.threads[i]) == 0 {
			for k := range b.g.Grow.Funcs[p.Func] {
				out[0] = max(out[0], extent(k)) // its longest dimension
			}
		}
	}
	return out
}

// untiled is the part of a dimension of the output that a block computes where no tile says so:
// all of a loop that is serial in the thread.
func (b blockTiles) untiled(stage, dim int) int64 {
	for _, u := range b.serial {
		if b.pr.P.Funcs[b.g.Out].Stages[stage].Loops[u.Loop].Arg == dim {
			return u.Extent
		}
	}
	return 1
}

// Kernel implements Prepared.
func (b blockTiles) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	n, err := outNest(b.pr, b.g, stage, c)
	if err != nil {
		return nil, err
	}
	k := &plan.Kernel{Strategy: BlockTile{}.Name(), Choice: c, Out: n}
	if err := b.layMembers(k); err != nil {
		return nil, err
	}
	pad(b.pr, k)
	return k, finish(b.pr, k)
}

// member lays out one member for a tile; threads are its dimensions that run over threads.
func member(pr *plan.Problem, g *plan.Group, out *plan.Nest, tile []int64, p nestedfusion.Placement, threads []int) (plan.Member, error) {
	m := plan.Member{Func: p.Func, Where: p.Where, Anchor: p.Anchor}
	grow := g.Grow.Funcs[p.Func]
	if p.Where == plan.AtThread {
		grow, tile = p.Grow, p.Tile
	}
	stages := len(pr.P.Funcs[p.Func].Stages)
	sizes := make([]int64, 2*len(grow))
	m.Extents, m.Padded = sizes[0:0:len(grow)], sizes[len(grow):len(grow)]
	known := make([]bool, 2*len(grow))
	m.Bounded, m.Given = known[0:0:len(grow)], known[len(grow):len(grow)]
	m.Nests = make([]plan.Nest, 0, stages)
	loose := p.Where == plan.AtBlock && slices.ContainsFunc(grow, func(d bounds.Growth) bool { return !d.Provable() })
	for k, d := range grow {
		if !d.Known || !d.Fixed {
			return m, fmt.Errorf("strategy: %s has no fixed size in dimension %d", pr.P.Funcs[p.Func].Label, k)
		}
		t := int64(1)
		if d.Dim >= 0 {
			t = tile[d.Dim]
		}
		n := d.Extent(t)
		m.Extents = append(m.Extents, n)
		given := loose && pr.Given(p.Func, d, n)
		m.Given = append(m.Given, given)
		m.Bounded = append(m.Bounded, d.Provable())
	}
	m.Padded = append(m.Padded, m.Extents...)
	for s := range stages {
		m.Nests = append(m.Nests, memberNest(pr, g, out, p, s, m.Extents, threads))
	}
	return m, nil
}

// memberNest maps the loops of one stage of a member. At a thread all are
// serial. At the block, the dimension that moves with the output's first
// thread loop becomes x, and so on; a member that moves with none of them
// spreads its longest dimensions over the threads instead.
func memberNest(pr *plan.Problem, g *plan.Group, out *plan.Nest, p nestedfusion.Placement, stage int, extents []int64, threads []int) plan.Nest {
	st := &pr.P.Funcs[p.Func].Stages[stage]
	uses := make([]plan.Use, len(st.Loops)+max(1, len(threads))) // one array for the two lists: a search makes thousands of nests
	n := plan.Nest{Func: p.Func, Stage: stage, Serial: uses[0:0:len(st.Loops)], Threads: uses[len(st.Loops):len(st.Loops)]}
	whole := pr.Dims[pr.StageIndex(p.Func, stage)].Extent
	extent := func(l int) int64 {
		if a := st.Loops[l].Arg; a >= 0 {
			return extents[a]
		}
		return whole[l] // a reduction loop runs through its domain, whatever the tile
	}
	thread := func(l int) {
		u := plan.Use{Loop: l, Extent: extent(l)}
		if d := g.Grow.Funcs[p.Func][st.Loops[l].Arg]; !d.Provable() {
			// Halide would take the largest extent that it can imagine for the block's.
			u.Tile = u.Extent
			n.Serial = append(n.Serial, plan.Use{Loop: l, Tile: u.Tile, Extent: 1})
		}
		n.Threads = append(n.Threads, u)
	}
	if p.Where == plan.AtBlock {
		for _, k := range threads {
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
		if !slices.ContainsFunc(n.Threads, func(u plan.Use) bool { return u.Loop == l }) {
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: extent(l)})
		}
	}
	constant := func(loop halideir.Loop) bool {
		if p.Where == plan.AtThread {
			return p.Grow[loop.Arg].Provable() && p.Grow[loop.Arg].Fixed
		}
		d := g.Grow.Funcs[p.Func][loop.Arg]
		return d.Dim < 0 && d.Provable() && d.Fixed
	}
	shortInside(pr, p.Func, st, n.Serial, constant)
	unroll(pr, &n, constant)
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

package coster

import (
	"fmt"
	"math"

	"gowarp/autoscheduler/strategy"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// WarpTiles is a group of stages as Algorithm 2 sees it before anything is laid out: the price of every Tiling is known from the
// growth of its members and the loads of its stages alone. All members are buffers, tiles begin where transactions do, and loops
// that are not tiled are blocks.
type WarpTiles struct {
	h           hardware
	w           Weights
	pr          *plan.Problem
	g           *plan.Group
	stage       int
	loops       int
	extents     [3]int64 // of the tiled loops
	others      float64  // blocks of the loops that are not tiled
	args        [3]int   // the output's dimension of each tiled loop
	members     []warpTileMember
	regUsage    float64
	timePerIter float64
	notConstant string
	loads       map[[3]int64][len(transactionSizes)]float64 // by the warp's shape: line 16, of all loads
}

type warpTileMember struct {
	bytes float64
	dims  []bounds.Growth
	along []int // by dimension, the tiled loop that it moves with; -1 if none
}

// NewWarpTiles looks at one stage of a group. It fails where a member's part of a tile has no size.
func NewWarpTiles(pr *plan.Problem, g *plan.Group, stage int) (*WarpTiles, error) {
	dims := &pr.Dims[pr.StageIndex(g.Out, stage)]
	out := pr.P.Funcs[g.Out].Stages[stage]
	m := &WarpTiles{h: hardwareOf(pr.Device), pr: pr, g: g, stage: stage, loops: len(dims.Tiled), others: 1, extents: [3]int64{1, 1, 1}, args: [3]int{-1, -1, -1}, loads: map[[3]int64][len(transactionSizes)]float64{}}
	m.w, _ = TableWeights(pr.Device)
	if m.loops == 0 || m.loops > len(m.extents) {
		return nil, fmt.Errorf("coster: %s has %d tiled loops; one to three are wanted", pr.P.Funcs[g.Out].Label, m.loops)
	}
	for i, l := range dims.Tiled {
		m.extents[i], m.args[i] = max(dims.Extent[l], 1), out.Loops[l].Arg
	}
	for l, loop := range out.Loops {
		if loop.Arg >= 0 && m.tiled(loop.Arg) < 0 && pr.Parallel(g.Out, stage, l) {
			m.others *= float64(max(dims.Extent[l], 1))
		}
	}
	for _, id := range g.Members {
		grow := g.Grow.Funcs[id]
		w := warpTileMember{bytes: float64(pr.Bytes(id)), dims: grow, along: make([]int, len(grow))}
		for d, x := range grow {
			if !x.Known || !x.Fixed {
				return nil, fmt.Errorf("coster: the part of %s that a tile of %s needs has no fixed size in dimension %d", pr.P.Funcs[id].Label, pr.P.Funcs[g.Out].Label, d)
			}
			w.along[d] = m.tiled(x.Dim)
		}
		m.members = append(m.members, w)
		for s := range pr.P.Funcs[id].Stages {
			m.add(id, s)
		}
	}
	m.add(g.Out, stage)
	return m, nil
}

// tiled is the tiled loop over a dimension of the output, -1 if there is none.
func (m *WarpTiles) tiled(arg int) int {
	for i := range m.loops {
		if arg >= 0 && m.args[i] == arg {
			return i
		}
	}
	return -1
}

// alone is a stage as the paper measures it: by itself, one point a thread.
func (m *WarpTiles) alone(fn, stage int) plan.Nest {
	n := plan.Nest{Func: fn, Stage: stage}
	for l, loop := range m.pr.P.Funcs[fn].Stages[stage].Loops {
		if loop.Arg < 0 {
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: max(m.pr.Dims[m.pr.StageIndex(fn, stage)].Extent[l], 1)})
		}
	}
	return n
}

// times is how often a stage is computed for each point: the iterations of its loops over reduction domains.
func times(n *plan.Nest) float64 {
	t := 1.0
	for _, u := range n.Serial {
		t *= float64(u.Extent)
	}
	return t
}

func (m *WarpTiles) add(fn, stage int) {
	n := m.alone(fn, stage)
	m.regUsage += regUsage(m.pr, &n)
	m.timePerIter += times(&n) * timePerIter(m.pr, &n, &m.h)
	ex := m.pr.ExpandOf(&n)
	for i := range ex.Loads {
		if t := &ex.Loads[i]; m.notConstant == "" && t.Func >= 0 && t.Func != fn && m.g.Has(t.Func) && !constantDependence(t) {
			m.notConstant = m.pr.P.Funcs[t.Func].Label
		}
	}
}

// alignedOrigin is where the tile that is looked at begins along each loop: transactions of any size begin there too, whatever the type.
const alignedOrigin = 128

// transactions is lines 13 to 16 for a warp of so many lanes along each loop.
func (m *WarpTiles) transactions(warp [3]int64) [len(transactionSizes)]float64 {
	if t, ok := m.loads[warp]; ok {
		return t
	}
	var sum [len(transactionSizes)]float64
	count := func(fn, stage int) {
		n := m.alone(fn, stage)
		var view *WarpView
		for i := range m.pr.ExpandOf(&n).Loads {
			t := &m.pr.ExpandOf(&n).Loads[i]
			if t.Func >= 0 && (m.g.Has(t.Func) && t.Func != fn || t.Func == fn && fn != m.g.Out) {
				continue
			}
			if view == nil {
				view = m.view(fn, stage, warp)
			}
			for s, txs := range view.Transactions(t) {
				sum[s] += times(&n) * float64(txs)
			}
		}
	}
	for _, id := range m.g.Members {
		for s := range m.pr.P.Funcs[id].Stages {
			count(id, s)
		}
	}
	count(m.g.Out, m.stage)
	m.loads[warp] = sum
	return sum
}

// view is the lanes of a warp at a stage: neighbours compute neighbouring points.
func (m *WarpTiles) view(fn, stage int, warp [3]int64) *WarpView {
	loops := m.pr.P.Funcs[fn].Stages[stage].Loops
	box := loopBox(m.pr, fn, stage)
	outBox := loopBox(m.pr, m.g.Out, m.stage)
	first := [3]int64{}
	for i, l := range m.pr.Dims[m.pr.StageIndex(m.g.Out, m.stage)].Tiled {
		first[i] = outBox[l].Lo
		if m.extents[i] >= 2*alignedOrigin {
			first[i] += alignedOrigin
		}
	}
	origin, along, taken := make([]int64, len(loops)), make([]int, len(loops)), [3]bool{}
	for l, loop := range loops {
		origin[l], along[l] = box[l].Lo, -1
		i := -1
		if fn == m.g.Out {
			if i = m.tiled(loop.Arg); i >= 0 {
				origin[l] = first[i]
			}
		} else if x, ok := growthOf(m.g.Grow, fn, loop.Arg); ok {
			if i = m.tiled(x.Dim); i >= 0 {
				origin[l] = bounds.FloorDiv(x.Num*first[i]+x.Lo, x.Den)
			}
		}
		if i >= 0 && !taken[i] {
			along[l], taken[i] = i, true
		}
	}
	w := &WarpView{pr: m.pr, lanes: paperLanes, active: paperLanes}
	for lane := range int64(paperLanes) {
		c := [3]int64{lane % warp[0], lane / warp[0] % warp[1], lane / (warp[0] * warp[1])}
		at := make([]int64, len(loops))
		for l := range loops {
			at[l] = origin[l]
			if along[l] >= 0 {
				at[l] += c[along[l]]
			}
		}
		w.at[lane] = at
	}
	return w
}

// shape is what Algorithm 2 is told of a tile of the group. What the fraction and the number of blocks change is left to the caller.
func (m *WarpTiles) shape(tile, warp [3]int64) groupShape {
	g := groupShape{
		notConstant: m.notConstant, tileVol: float64(tile[0] * tile[1] * tile[2]), totalBuff: float64(len(m.members)), regUsage: m.regUsage, timePerIter: m.timePerIter,
		transactions: m.transactions(warp),
	}
	g.bufferBytes, g.overlap = m.volumes(tile, warp)
	return g
}

// volumes is COMPUTETILEVOL of a warp's tile, in bytes of the largest member, and the redundant points a thread.
func (m *WarpTiles) volumes(tile, warp [3]int64) (bytes, overlap float64) {
	for i := range m.members {
		w := &m.members[i]
		points, own := 1.0, 1.0
		for d, x := range w.dims {
			t := int64(1)
			if a := w.along[d]; a >= 0 {
				t = tile[a] * warp[a]
			}
			e := x.Extent(t)
			points *= float64(e)
			if x.Dim >= 0 {
				x.Hi = x.Lo
				e = min(e, max(1, x.Extent(t)))
			}
			own *= float64(e)
		}
		bytes = max(bytes, points*w.bytes)
		overlap += (points - own) / paperLanes
	}
	return bytes, overlap
}

// blocks is the blocks of the grid.
func (m *WarpTiles) blocks(tile, block [3]int64) float64 {
	n := m.others
	for i, e := range m.extents {
		n *= math.Ceil(float64(e) / float64(tile[i]*block[i]))
	}
	return n
}

// Cost is line 35 for a candidate; infinite where a line returns that.
func (m *WarpTiles) Cost(c Tiling) float64 {
	warp := warpOf(c.Block)
	if warp == [3]int64{} {
		return math.Inf(1)
	}
	g := m.shape(c.Tile, warp)
	g.totalTB = m.blocks(c.Tile, c.Block)
	return m.cost(&g, c.Block[0]*c.Block[1]*c.Block[2], c.Fraction, c.Transaction)
}

// cost is line 35 once the shape and the blocks are known.
func (m *WarpTiles) cost(g *groupShape, threads int64, fraction float64, size int64) float64 {
	g.threadsPerTB, g.warpsPerBlock = float64(threads), float64(threads/paperLanes)
	g.tilesPerTB, g.fracRegTile = g.warpsPerBlock, fraction
	i := 0
	for transactionSizes[i] != size {
		i++
	}
	t := g.terms(&m.h, size, g.transactions[i])
	if t.faults > 0 {
		return math.Inf(1)
	}
	return t.cost(&m.w)
}

// regUsage is REGUSAGE of a stage: a profile's, the most of the stage and of what is inlined into it, or the estimate where it lacks one of them.
func regUsage(pr *plan.Problem, n *plan.Nest) float64 {
	if pr.Profile != nil {
		p := pr.Profile[pr.StageIndex(n.Func, n.Stage)].Registers
		most, known := p, p > 0
		for _, c := range pr.ExpandOf(n).Calls {
			p := pr.Profile[pr.StageIndex(c.Func, 0)].Registers
			most, known = max(most, p), known && p > 0
		}
		if known {
			return float64(most)
		}
	}
	return float64(strategy.StageRegisters(pr, n))
}

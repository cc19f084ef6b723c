package strategy

import (
	"fmt"
	"slices"

	"gowarp/halideir"
	"gowarp/internal/plan"
)

// BlockCells computes a Func whose updates write to computed places (a histogram of each cell of an image) in the kernel of its reader, a tile of
// cells a block, in shared memory: cleared, filled and read without a way through global memory. A thread has a cell: the column of all that is
// written to and read at one point of the arguments that every stage has as its own. No other thread touches it, and the cells of a warp's lanes are in banks of their own.
// What its reader wants of a whole column (how many there are, the most frequent) each thread reduces for its own.
// How long a column is only a run may know; where a tile of them is too much for a block, it is in global memory (schedule.SharedOrGlobal).
type BlockCells struct{}

// Name implements Strategy.
func (BlockCells) Name() string { return "block-cells" }

// mostCellThreads is along how many arguments threads lie.
const mostCellThreads = 2

// Prepare implements Strategy.
func (BlockCells) Prepare(pr *plan.Problem, g *plan.Group, _ Options) (Prepared, error) {
	c, err := columnsOf(pr, g, BlockCells{}.Name())
	if err != nil {
		return nil, err
	}
	b := blockCells{columns: c}
	m := &pr.P.Funcs[g.Members[0]]
	for _, t := range m.Types {
		if t.Bytes() != m.Types[0].Bytes() {
			return nil, fmt.Errorf("block-cells: the values of %s are of several widths", m.Label)
		}
	}
	extent := pr.Dims[pr.StageIndex(g.Out, 0)].Extent
	b.roles, b.most = make([]role, len(m.Args)), make([]int64, len(m.Args))
	taken := map[int]bool{}
	for k, l := range c.reader {
		iv, constant := pr.Regions.Constant(pr.P, m.ID, k)
		if constant {
			b.most[k] = iv.Extent()
		}
		switch {
		case l < 0:
			b.roles[k] = alongColumn
		case extent[l] > MaxSerialExtent && len(b.threads) < mostCellThreads && !taken[l]:
			b.roles[k], b.threads = ofThreads, append(b.threads, k)
			taken[l] = true
		case extent[l] > MaxSerialExtent || taken[l] || len(c.summaries) > 0: // a thread has one summary, and so one column
			b.roles[k] = ofBlocks
		case constant && iv.Extent() == extent[l]:
			b.roles[k] = sideBySide
		default:
			b.roles[k] = inTurn
		}
	}
	for _, fn := range g.Members[1:] {
		if f := &pr.P.Funcs[fn]; slices.ContainsFunc(c.summaries[fn], func(l int) bool { return !slices.Contains(c.reader, l) }) {
			return nil, fmt.Errorf("block-cells: %s has values along a column of %s, and a thread keeps one", f.Label, m.Label)
		}
	}
	if len(b.threads) == 0 {
		return nil, fmt.Errorf("block-cells: no argument of %s is its own in all that its updates and %s read", m.Label, pr.P.Funcs[g.Out].Label)
	}
	return b, nil
}

// A role is what becomes of the loops over an argument of the member.
type role uint8

const (
	alongColumn role = iota // a thread goes through all of it
	ofThreads               // each thread has one
	ofBlocks                // each block has one
	sideBySide              // few, of a number that holds in every run: a thread has all of them side by side
	inTurn                  // few: a thread has one after the other
)

type blockCells struct {
	columns
	roles   []role  // by argument of the member
	most    []int64 // likewise: how many there are in every run; 0 where it is not known
	threads []int   // the arguments along which threads lie, x first
}

// cellThreads are the sizes of a block that are tried, and the widths of its rows.
var (
	cellThreads = []int64{32, 64, 128, 256}
	cellRows    = []int64{32, 16, 8, 64, 4}
)

// Choices implements Chooser.
func (b blockCells) Choices(int, Step) []plan.Choice {
	var out []plan.Choice
	tiled := b.pr.Dims[b.pr.StageIndex(b.g.Out, 0)].Tiled
	for _, n := range cellThreads {
		for _, x := range cellRows {
			points := []int64{x, n / x}
			if len(b.threads) == 1 {
				points = []int64{n}
			}
			if x > n || n > b.pr.Limits.ThreadsPerBlock || len(b.threads) == 1 && x != cellRows[0] {
				continue
			}
			c := plan.Choice{Strategy: BlockCells{}.Name(), Tile: make([]int64, len(tiled)), Points: points}
			for i, l := range tiled {
				c.Tile[i] = 1
				for j, k := range b.threads {
					if b.reader[k] == l {
						c.Tile[i] = points[j]
					}
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// Kernel implements Prepared.
func (b blockCells) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	k := &plan.Kernel{Strategy: BlockCells{}.Name(), Choice: c, Out: b.nest(b.g.Out, stage, c.Points)}
	id := b.g.Members[0]
	m := plan.Member{Func: id, Where: plan.AtBlock, Anchor: -1}
	for arg, iv := range b.pr.Regions.Funcs[id] {
		n, bounded := int64(1), true
		switch b.roles[arg] {
		case ofThreads:
			n = c.Points[slices.Index(b.threads, arg)]
		case ofBlocks:
		default:
			if n = b.most[arg]; n == 0 {
				n, bounded = iv.Extent(), false
			}
		}
		m.Extents, m.Padded = append(m.Extents, n), append(m.Padded, n)
		m.Bounded, m.Given = append(m.Bounded, bounded), append(m.Given, false)
		m.OrGlobal = m.OrGlobal || !bounded
	}
	if order := b.order(len(m.Extents)); !slices.IsSorted(order) {
		m.Order = order
	}
	for s := range b.pr.P.Funcs[id].Stages {
		m.Nests = append(m.Nests, b.nest(id, s, c.Points))
	}
	k.Members = []plan.Member{m}
	for _, fn := range b.g.Members[1:] {
		k.Members = append(k.Members, b.summary(fn, c.Points[0]))
	}
	return k, finish(b.pr, k)
}

// summary is what a thread reduces of its column, in a block of so many threads in x.
func (b blockCells) summary(fn int, width int64) plan.Member {
	f := &b.pr.P.Funcs[fn]
	m := plan.Member{Func: fn, Where: plan.AtThread, Anchor: b.g.Out}
	for range f.Args {
		m.Extents, m.Padded = append(m.Extents, 1), append(m.Padded, 1)
		m.Bounded, m.Given = append(m.Bounded, true), append(m.Given, false)
	}
	for s := range f.Stages {
		n := plan.Nest{Func: fn, Stage: s, Along: plan.Use{Loop: -1}}
		extent := b.pr.Dims[b.pr.StageIndex(fn, s)].Extent
		var turns, points []plan.Use
		for l, loop := range f.Stages[s].Loops {
			if loop.Arg < 0 {
				turns = append(turns, plan.Use{Loop: l, Extent: extent[l]})
				continue
			}
			u := plan.Use{Loop: l, Extent: 1}
			if b.summaries[fn][loop.Arg] == b.reader[b.threads[0]] {
				n.Along = plan.Use{Loop: l, Extent: width}
			}
			points = append(points, u)
		}
		b.several(&n, turns)
		n.Serial = append(turns, points...)
		m.Nests = append(m.Nests, n)
	}
	return m
}

// order has what threads have one of innermost: neighbours are then in neighbouring banks.
func (b blockCells) order(args int) []int {
	order := slices.Clone(b.threads)
	for k := range args {
		if !slices.Contains(b.threads, k) {
			order = append(order, k)
		}
	}
	return order
}

// nest is that of a stage of the member or of the reader. Loops that go along no column, the reader's too, are in the thread.
func (b blockCells) nest(fn, stage int, points []int64) plan.Nest {
	n := plan.Nest{Func: fn, Stage: stage}
	extent := b.pr.Dims[b.pr.StageIndex(fn, stage)].Extent
	out := fn == b.g.Out
	n.Threads = make([]plan.Use, len(b.threads))
	tiles := make([]plan.Use, len(b.threads))
	var blocks, turns, last []plan.Use
	for l, loop := range b.pr.P.Funcs[fn].Stages[stage].Loops {
		arg := loop.Arg // of the member
		if out {
			arg = slices.Index(b.reader, l)
		}
		if arg < 0 {
			turns = append(turns, plan.Use{Loop: l, Extent: extent[l]})
			continue
		}
		switch b.roles[arg] {
		case ofThreads:
			i := slices.Index(b.threads, arg)
			n.Threads[i] = plan.Use{Loop: l, Tile: points[i], Extent: points[i]}
			tiles[i] = plan.Use{Loop: l, Tile: points[i], Extent: 1}
			if out {
				tiles[i].Extent = ceilDiv(extent[l], points[i])
			}
		case ofBlocks:
			if out {
				blocks = append(blocks, plan.Use{Loop: l, Extent: extent[l]})
			} else {
				last = append(last, plan.Use{Loop: l, Extent: 1})
			}
		case sideBySide:
			n.Unrolled = append(n.Unrolled, plan.Use{Loop: l, Tile: extent[l], Extent: extent[l], Tail: plan.RoundUp})
			last = append(last, plan.Use{Loop: l, Tile: extent[l], Extent: 1})
		case inTurn:
			last = append(last, plan.Use{Loop: l, Extent: extent[l]})
		default:
			turns = append(turns, plan.Use{Loop: l, Extent: extent[l]})
		}
	}
	b.several(&n, turns)
	n.Serial = append(turns, last...)
	if out {
		n.Blocks = append(tiles, blocks...)
	} else {
		n.Serial = append(n.Serial, tiles...)
	}
	n.Along = along(&n)
	return n
}

// several has the innermost of the loops in a thread make several iterations at a time: their loads do not wait for each other, and neighbours share what they work out.
func (b blockCells) several(n *plan.Nest, turns []plan.Use) {
	st := &b.pr.P.Funcs[n.Func].Stages[n.Stage]
	if len(turns) == 0 || st.Predicate != halideir.NoNode {
		return
	}
	u := &turns[0]
	code := n.PointsPerThread() * int64(max(1, b.pr.ExpandOf(n).Tree))
	for s := int64(maxSteps); s > 1; s /= 2 {
		switch {
		case s*code > maxSteppedOps:
		case u.Extent == s && constantLoop(b.pr.P, st, u.Loop):
			u.Unroll = true
			return
		case u.Extent >= 2*s:
			u.Steps = s
			return
		}
	}
}

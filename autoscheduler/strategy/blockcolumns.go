package strategy

import (
	"fmt"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/rfactor"
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
	out := &pr.P.Funcs[g.Out]
	switch {
	case len(g.Members) != 1:
		return nil, fmt.Errorf("block-columns: a group of other than one Func and its reader")
	case len(out.Stages) != 1 || !pr.PureLoops(g.Out, 0) || out.Partial || readOutput(pr, g.Out):
		return nil, fmt.Errorf("block-columns: %s has updates, or others read it", out.Label)
	}
	m := &pr.P.Funcs[g.Members[0]]
	if m.Partial || len(m.Bounds) > 0 || len(m.Stages) < 2 || !slices.ContainsFunc(all(len(m.Stages)), func(s int) bool { return !pr.PureLoops(m.ID, s) }) {
		return nil, fmt.Errorf("block-columns: no update of %s writes to other places than its loops' own", m.Label)
	}
	for s := range m.Stages {
		if loadsWhere(pr, &m.Stages[s]) {
			return nil, fmt.Errorf("block-columns: a predicate of %s loads something: it is not under the guard of a split (pass_dims.go)", m.Label)
		}
		if pr.Dims[pr.StageIndex(m.ID, s)].Atomic {
			return nil, fmt.Errorf("block-columns: threads of all blocks do the updates of %s together", m.Label)
		}
	}
	b := blockColumns{pr: pr, g: g, reader: make([]int, len(m.Args)), thread: -1}
	for k := range m.Args {
		b.reader[k] = b.readAlong(m, k)
		// Neighbouring threads then have neighbours in memory.
		if l := b.reader[k]; l >= 0 && b.thread < 0 && pr.Dims[pr.StageIndex(g.Out, 0)].Extent[l] >= plan.WarpLanes {
			b.thread = k
		}
	}
	if b.thread < 0 {
		return nil, fmt.Errorf("block-columns: no argument of %s is its own in all that its updates and %s read", m.Label, out.Label)
	}
	return b, nil
}

// loadsWhere reports whether the domain of a stage has a predicate that loads something.
func loadsWhere(pr *plan.Problem, st *halideir.Stage) (found bool) {
	pr.P.Walk(func(_ halideir.NodeID, n *halideir.Node) { found = found || n.ReadsBuffer() }, st.Predicate)
	return found
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

type blockColumns struct {
	pr     *plan.Problem
	g      *plan.Group
	reader []int // by argument of the member: the loop of the reader that it is read along, -1 for those that columns go along
	thread int   // the argument that is read along the threads
}

// readAlong is the loop of the reader that gives an argument of the member, if every stage has it as its own and so do all reads; -1 if not.
func (b blockColumns) readAlong(m *halideir.Func, k int) int {
	for s := 1; s < len(m.Stages); s++ {
		if !rfactor.OwnPlace(b.pr.P, m.Stages[s].Args[k], k) {
			return -1
		}
		loop := slices.IndexFunc(m.Stages[s].Loops, func(l halideir.Loop) bool { return l.Arg == k })
		for _, t := range b.taps(m.ID, s, m.ID) {
			if x := &t.Index[k]; x.Kind != access.Affine || x.Loop != loop || x.Num != 1 || x.Den != 1 || x.Offset != 0 || x.Clamped {
				return -1
			}
		}
	}
	found := -1
	for i, t := range b.taps(b.g.Out, 0, m.ID) {
		x := &t.Index[k]
		if x.Kind != access.Affine || x.Num != 1 || x.Den != 1 || x.Offset != 0 || x.Clamped || i > 0 && x.Loop != found {
			return -1
		}
		found = x.Loop
	}
	return found
}

// taps are the loads of a stage from a Func.
func (b blockColumns) taps(fn, stage, from int) (out []plan.Tap) {
	for _, t := range b.pr.Expand[b.pr.StageIndex(fn, stage)].Loads {
		if t.Func == from {
			out = append(out, t)
		}
	}
	return out
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
		m.Nests = append(m.Nests, b.columns(id, s, threads))
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

// columns is the nest of a stage of the member.
func (b blockColumns) columns(fn, stage int, threads int64) plan.Nest {
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

// severalSteps has the innermost loop that turns make several iterations at a time: their loads do not wait for each other.
func (b blockColumns) severalSteps(n *plan.Nest) {
	st := &b.pr.P.Funcs[n.Func].Stages[n.Stage]
	inner := slices.IndexFunc(n.Serial, func(u plan.Use) bool { return u.Tile == 0 && u.Extent > 1 })
	if inner < 0 || st.Predicate != halideir.NoNode || int64(b.pr.ExpandOf(n).Tree)*maxSteps > maxSteppedOps {
		return
	}
	u := n.Serial[inner]
	if u.Extent >= 2*maxSteps {
		u.Steps = maxSteps
	}
	if st.Loops[u.Loop].Arg >= 0 { // any order
		n.Serial = slices.Insert(slices.Delete(n.Serial, inner, inner+1), 0, u)
		return
	}
	n.Serial[inner] = u
}

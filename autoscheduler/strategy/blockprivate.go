package strategy

import (
	"fmt"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/rfactor"
	"gowarp/internal/plan"
)

// BlockPrivate computes the partial results of a scatter (a histogram's counts) a block each, in shared memory: its threads clear the places, go through
// the block's part of the domain with atomic operations, and copy what comes of it to global memory.
type BlockPrivate struct{}

// Name implements Strategy.
func (BlockPrivate) Name() string { return "block-private" }

// Prepare implements Strategy.
func (BlockPrivate) Prepare(pr *plan.Problem, g *plan.Group, _ Options) (Prepared, error) {
	if len(g.Members) != 1 || !rfactor.Scatters(pr.P, &pr.P.Funcs[g.Members[0]]) {
		return nil, fmt.Errorf("block-private: a group of other Funcs than partial results of a scatter and their copy")
	}
	out, m := &pr.P.Funcs[g.Out], &pr.P.Funcs[g.Members[0]]
	if !out.Partial || len(out.Stages) != 1 {
		return nil, fmt.Errorf("block-private: %s does more than to copy %s", out.Label, m.Label)
	}
	if !pr.Dims[pr.StageIndex(m.ID, 1)].Atomic {
		return nil, fmt.Errorf("block-private: the update of %s has no atomic operations", m.Label)
	}
	b := blockPrivate{pr: pr, g: g}
	for k, arg := range m.Stages[1].Args {
		if rfactor.OwnPlace(pr.P, arg, k) {
			continue
		}
		iv, ok := pr.Regions.Constant(pr.P, m.ID, k)
		if !ok {
			return nil, fmt.Errorf("block-private: how many places %s has along %s is not known", m.Label, m.Args[k])
		}
		b.places, b.extents = append(b.places, k), append(b.extents, iv.Extent())
	}
	return b, nil
}

type blockPrivate struct {
	pr      *plan.Problem
	g       *plan.Group
	places  []int   // the arguments that the update computes
	extents []int64 // how many of each there are
}

// privateThreads are the sizes of a block that are tried.
var privateThreads = []int64{128, 256, 512, 1024}

// Choices implements Chooser.
func (b blockPrivate) Choices(int, Step) []plan.Choice {
	tiled := b.pr.Dims[b.pr.StageIndex(b.g.Out, 0)].Tiled
	var out []plan.Choice
	for _, n := range privateThreads {
		if n > b.pr.Limits.ThreadsPerBlock {
			continue
		}
		c := plan.Choice{Strategy: BlockPrivate{}.Name(), Tile: make([]int64, len(tiled))}
		for i, l := range tiled {
			c.Tile[i] = 1
			if b.pr.P.Funcs[b.g.Out].Stages[0].Loops[l].Arg == b.places[0] {
				c.Tile[i] = n
			}
		}
		out = append(out, c)
	}
	return out
}

// Kernel implements Prepared.
func (b blockPrivate) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	threads := slices.Max(c.Tile)
	out := b.overPlaces(b.g.Out, threads)
	// What a block has one point of are the other arguments.
	out.Serial = slices.DeleteFunc(out.Serial, func(u plan.Use) bool {
		arg := b.pr.P.Funcs[b.g.Out].Stages[0].Loops[u.Loop].Arg
		other := !slices.Contains(b.places, arg)
		if other {
			out.Blocks = append(out.Blocks, plan.Use{Loop: u.Loop, Extent: b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)].Extent[u.Loop]})
		}
		return other
	})
	k := &plan.Kernel{Strategy: BlockPrivate{}.Name(), Choice: c, Out: out}
	m := plan.Member{Func: b.g.Members[0], Where: plan.AtBlock, Anchor: -1}
	for arg := range b.pr.P.Funcs[m.Func].Args {
		n := int64(1)
		if i := slices.Index(b.places, arg); i >= 0 {
			n = b.extents[i]
		}
		m.Extents, m.Padded = append(m.Extents, n), append(m.Padded, n)
		m.Bounded, m.Given = append(m.Bounded, true), append(m.Given, false)
	}
	m.Nests = []plan.Nest{b.overPlaces(m.Func, threads), b.overDomain(m.Func, threads)}
	k.Members = []plan.Member{m}
	return k, finish(b.pr, k)
}

// overPlaces is a nest in which the threads of a block go through all places, the others' loops being of one iteration.
func (b blockPrivate) overPlaces(fn int, threads int64) plan.Nest {
	n := plan.Nest{Func: fn}
	for l, loop := range b.pr.P.Funcs[fn].Stages[0].Loops {
		extent := int64(1)
		if i := slices.Index(b.places, loop.Arg); i >= 0 {
			extent = b.extents[i]
		}
		if loop.Arg == b.places[0] {
			b.spread(&n, l, extent, threads)
			continue
		}
		n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: extent})
	}
	n.Along = along(&n)
	return n
}

// overDomain is the nest of the update: neighbouring threads load neighbours.
func (b blockPrivate) overDomain(fn int, threads int64) plan.Nest {
	n := plan.Nest{Func: fn, Stage: 1}
	st := &b.pr.P.Funcs[fn].Stages[1]
	extent := b.pr.Dims[b.pr.StageIndex(fn, 1)].Extent
	lanes := b.alongLoads(fn, st, extent)
	for l, loop := range st.Loops {
		switch {
		case l == lanes:
			b.spread(&n, l, extent[l], threads)
		case loop.Arg >= 0:
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: 1})
		default:
			n.Serial = append(n.Serial, plan.Use{Loop: l, Extent: extent[l]})
		}
	}
	n.Along = along(&n)
	return n
}

// spread has a block's threads take turns along a loop.
func (b blockPrivate) spread(n *plan.Nest, l int, extent, threads int64) {
	n.Threads = append(n.Threads, plan.Use{Loop: l, Tile: threads, Extent: threads})
	n.Serial = append(n.Serial, plan.Use{Loop: l, Tile: threads, Extent: ceilDiv(extent, threads)})
}

// alongLoads is the loop over the domain along which most loads' neighbours in memory lie; of several the longest.
func (b blockPrivate) alongLoads(fn int, st *halideir.Stage, extent []int64) int {
	best, most := -1, -1
	for l, loop := range st.Loops {
		if loop.Arg >= 0 {
			continue
		}
		votes := 0
		for _, t := range b.pr.Expand[b.pr.StageIndex(fn, 1)].Loads {
			if t.Func != fn && len(t.Index) > 0 && t.Index[0].DependsOn(l) {
				votes++
			}
		}
		if votes > most || votes == most && extent[l] > extent[best] {
			best, most = l, votes
		}
	}
	return best
}

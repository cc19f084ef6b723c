// Package nestedfusion decides at which loop each member of a group is computed
// and stored: once a block in shared memory, or once a thread in the thread's
// own registers. The rule is the case of Sioutas et al. 2020, section 4.3 and
// listing 2, in which neighbouring points of the consumer need no common
// points of the producer: computing it at the consumer's innermost thread
// loop then repeats no work, and saves the shared memory and the barrier.
//
// It knows nothing of tiles, prices or devices.
package nestedfusion

import (
	"slices"

	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// MaxBytesPerThread bounds what one member may keep in each thread: 32 registers,
// half of the 64 that Halide's runtime lets the compiler use.
const MaxBytesPerThread = 128

// Placement is where one member is computed.
type Placement struct {
	Func   int
	Where  plan.Where
	Anchor int             // AtThread: the Func whose innermost thread loop it goes into
	Grow   []bounds.Growth // AtThread: what a part of the anchor needs
	Tile   []int64         // AtThread: the part of the anchor that one thread computes, by dimension
}

// Place decides for every member of the group, in ascending order of ids. Nesting
// off leaves every member that can be at the block there.
func Place(pr *plan.Problem, g *plan.Group, nesting bool) []Placement {
	out := make([]Placement, len(g.Members))
	at := map[int]*Placement{}
	for i := len(g.Members) - 1; i >= 0; i-- {
		out[i] = Placement{Func: g.Members[i], Where: plan.AtBlock, Anchor: -1}
		at[g.Members[i]] = &out[i]
		if !nesting {
			continue
		}
		if p, ok := nest(pr, g, at, g.Members[i]); ok {
			out[i] = p
		}
	}
	return out
}

// nest finds the Func in whose threads the member can be computed, if there is one.
func nest(pr *plan.Problem, g *plan.Group, at map[int]*Placement, member int) (Placement, bool) {
	none := Placement{}
	anchor, ok := commonThread(pr, g, at, member)
	if !ok {
		return none, false
	}
	// A Func with updates has several nests; its thread loop is not one place.
	if len(pr.P.Funcs[anchor].Stages) != 1 {
		return none, false
	}
	inThread := func(id int) bool {
		if pr.Inlined[id] || id == member {
			return true
		}
		p := at[id]
		return p != nil && p.Where == plan.AtThread && p.Anchor == anchor
	}
	tile, ok := threadPart(pr, g, anchor)
	if !ok {
		return none, false
	}
	p := Placement{
		Func: member, Where: plan.AtThread, Anchor: anchor,
		Grow: pr.Grow(anchor, 0, inThread).Funcs[member],
		Tile: tile,
	}
	return p, ownPoints(pr, g, p)
}

// threadPart is the part of the anchor that one thread computes: one point of
// every dimension but those that a member runs through serially. It is not ok for an
// anchor whose own loops do not have the extents that were planned: what is computed in its
// threads would have no constant size, and Halide 21 would put it into global memory.
func threadPart(pr *plan.Problem, g *plan.Group, anchor int) ([]int64, bool) {
	tile := make([]int64, len(pr.P.Funcs[anchor].Args))
	for k := range tile {
		tile[k] = 1
	}
	if anchor == g.Out {
		return tile, true
	}
	threads := ThreadDims(pr, g, anchor)
	for k, d := range g.Grow.Funcs[anchor] {
		if !d.Provable() {
			return nil, false
		}
		if !slices.Contains(threads, k) {
			if d.Dim >= 0 && d.Extent(2) != d.Extent(1) && slices.Contains(tiledArgs(pr, g), d.Dim) {
				return nil, false // a second dimension of the same loop, serial over its tile
			}
			tile[k] = d.Extent(1)
		}
	}
	return tile, true
}

// commonThread is the Func in whose threads everything in the group that reads the member
// runs: the reader itself, or the Func whose threads compute the readers. It is the
// listing's last consumer, with the rest of its readers inside.
func commonThread(pr *plan.Problem, g *plan.Group, at map[int]*Placement, member int) (int, bool) {
	found := -1
	for _, id := range append(slices.Clone(g.Members), g.Out) {
		if id == member || !pr.Reads(id, member) {
			continue
		}
		anchor := id
		if p := at[id]; p != nil && p.Where == plan.AtThread {
			anchor = p.Anchor
		}
		if found >= 0 && found != anchor {
			return -1, false
		}
		found = anchor
	}
	return found, found >= 0
}

// ownPoints reports whether different threads of the anchor need disjoint points
// of the member, few enough for registers: no overlap along any thread loop, and movement
// with each. Overlap along a loop inside the thread is reuse by the thread itself.
func ownPoints(pr *plan.Problem, g *plan.Group, p Placement) bool {
	if p.Grow == nil {
		return false
	}
	threads := ThreadDims(pr, g, p.Anchor)
	moves := map[int]bool{}
	points := int64(1)
	for _, d := range p.Grow {
		if !d.Provable() || !d.Fixed {
			return false
		}
		t := int64(1)
		if d.Dim >= 0 {
			if slices.Contains(threads, d.Dim) && d.Hi-d.Lo >= max(d.Num, -d.Num) {
				return false
			}
			moves[d.Dim] = true
			t = p.Tile[d.Dim]
		}
		if points *= d.Extent(t); points*pr.Bytes(p.Func) > MaxBytesPerThread {
			return false
		}
	}
	for _, dim := range threads {
		if !moves[dim] {
			return false
		}
	}
	for s := range pr.P.Funcs[p.Func].Stages {
		if !pr.PureLoops(p.Func, s) {
			return false
		}
	}
	return true
}

// tiledArgs are the output's dimensions that run over threads, thread x first.
func tiledArgs(pr *plan.Problem, g *plan.Group) []int {
	var args []int
	st := &pr.P.Funcs[g.Out].Stages[0]
	for _, l := range pr.Dims[pr.StageIndex(g.Out, 0)].Tiled {
		args = append(args, st.Loops[l].Arg)
	}
	return args
}

// ThreadDims are the dimensions of a Func computed at the block (or of the output) that
// run over threads, thread x first: for each thread loop of the output, the first
// dimension that moves with it.
func ThreadDims(pr *plan.Problem, g *plan.Group, fn int) []int {
	args := tiledArgs(pr, g)
	if fn == g.Out {
		return args
	}
	var dims []int
	for _, arg := range args {
		for k, d := range g.Grow.Funcs[fn] {
			if d.Known && d.Dim == arg && !slices.Contains(dims, k) {
				dims = append(dims, k)
				break
			}
		}
	}
	return dims
}

package plan

import (
	"slices"

	"gowarp/halideir/bounds"
)

// Group is a set of Funcs computed together in one kernel: Out goes to global
// memory, the members are stored inside the kernel. A Func with several stages
// that is the Out of a group makes one kernel a stage and has no members.
type Group struct {
	Out     int
	Members []int // ascending, so producers come first
	Grow    *bounds.Group
	Cost    float64  // in the coster's units; +Inf when no choice is valid
	Ways    []Choice // of its kernels, the best that were found
	Faults  int      // rules of the coster that even its best kernels break; they launch all the same
}

// Choice is what a strategy may vary: the tile of each tiled loop.
type Choice struct {
	Strategy string
	Tile     []int64 // parallel to Dims.Tiled of the output stage
	Points   []int64 // of the tile, in each thread side by side, parallel to Tile; nil: one
	Windows  int     // members nearest to the output that are kept in registers
	Warp     WarpChoice
}

// WarpChoice is what strategies of warps vary besides; all 0 for others.
type WarpChoice struct {
	Points, Rows int64 // a lane
	Layers       int64 // of rows, a lane; 0 is 1
	Warps        int64 // a block
	Strided      bool  // the points of a lane are a warp apart
	Set          int   // which of the strategy's sets of members
	InRegisters  float64
}

// Has reports whether the group computes the Func, inlined Funcs apart.
func (g *Group) Has(fn int) bool {
	if g.Out == fn {
		return true
	}
	_, ok := slices.BinarySearch(g.Members, fn)
	return ok
}

// NewGroup makes a group and the growth of its regions.
func (pr *Problem) NewGroup(out int, members []int) *Group {
	g := &Group{Out: out, Members: slices.Clone(members)}
	slices.Sort(g.Members)
	g.Grow = pr.GrowAt(out, 0, g)
	return g
}

// GrowAt is the growth of every Func of the group over the tile of one stage.
func (pr *Problem) GrowAt(out, stage int, g *Group) *bounds.Group {
	if len(pr.P.Funcs[out].Stages) == 0 {
		return nil
	}
	return pr.Grow(out, stage, func(id int) bool { return pr.Inlined[id] || g.Has(id) })
}

// Grow is the growth over the tile of one stage of every Func that is in, and of what those read. A loop that is not tiled is
// computed whole by every tile if it is serial, and at one point if it is spread over blocks; that is decided by
// whether a member moves with it. Only where a member would have no size at all, as one that is read at the point and at
// a constant, such loops count as whole, if the user fixed them, or else short ones that tiles have whole (Dims.Across).
func (pr *Problem) Grow(out, stage int, in func(id int) bool) *bounds.Group {
	loops, dims := pr.P.Funcs[out].Stages[stage].Loops, &pr.Dims[pr.StageIndex(out, stage)]
	g := pr.Fits.Grow(out, stage, pr.Held(out, stage), in, pr.Stored)
	if len(pr.P.Funcs[out].Bounds) == 0 && len(dims.Across) == 0 || pr.sized(g, out, in) {
		return g
	}
	of := func(ls []int, dim int) bool {
		return slices.ContainsFunc(ls, func(l int) bool { return loops[l].Arg == dim })
	}
	if len(pr.P.Funcs[out].Bounds) > 0 {
		if w := pr.Fits.Grow(out, stage, func(dim int) bool { return !of(dims.Tiled, dim) }, in, pr.Stored); pr.sized(w, out, in) {
			return w
		}
	}
	if len(dims.Across) > 0 {
		if w := pr.Fits.Grow(out, stage, func(dim int) bool { return of(dims.Across, dim) || of(dims.Held, dim) }, in, pr.Stored); pr.sized(w, out, in) {
			return w
		}
	}
	return g
}

// Held tells the dimensions that a thread has whole that computes points of a stage; nil where there are none.
func (pr *Problem) Held(fn, stage int) func(dim int) bool {
	loops, held := pr.P.Funcs[fn].Stages[stage].Loops, pr.Dims[pr.StageIndex(fn, stage)].Held
	if len(held) == 0 {
		return nil
	}
	return func(dim int) bool {
		return slices.ContainsFunc(held, func(l int) bool { return loops[l].Arg == dim })
	}
}

// sized reports whether it is known how much of every member a tile needs.
func (pr *Problem) sized(g *bounds.Group, out int, in func(id int) bool) bool {
	for id, gs := range g.Funcs {
		member := id != out && !pr.Inlined[id] && in(id)
		if member && slices.ContainsFunc(gs, func(d bounds.Growth) bool { return !d.Known }) {
			return false
		}
	}
	return true
}

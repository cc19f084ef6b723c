package plan

import (
	"slices"

	"gowarp/halideir/bounds"
)

// Warp is how a kernel shares its output out among warps. Each warp has a tile of its own and
// what that tile needs of every member, in the registers of its lanes.
type Warp struct {
	X, Y, Z int   // the output's loops over lanes, over rows and over layers of rows; -1 where there is none
	Points  int64 // of X a lane
	Strided bool  // a lane's points are WarpLanes apart; else they are neighbours
	Width   int64 // points of the tile in X; of neighbours a multiple of Points
	Rows    int64 // of the tile, all of them in each lane
	Layers  int64 // likewise
	Warps   int64 // a block, one below the other
	// InDemandOrder says that a lane computes what a row of the output needs just before that row; else it computes all rows of one stage after the other.
	InDemandOrder bool
	// Scratch is the shared memory of a warp, in bytes: what its members have there instead of in registers.
	Scratch int64
}

// WarpLanes is the number of lanes of a warp.
const WarpLanes = 32

// View is the problem as the kernel sees it: the Funcs that it stages are not inlined.
func (k *Kernel) View(pr *Problem) *Problem {
	if k.Staged == nil {
		return pr
	}
	return k.Staged
}

// Staging is the problem with some inlined Funcs stored after all. Only the stages of the Funcs in
// which they may stand are expanded anew: the others must not read them.
func (pr *Problem) Staging(staged, in []int) *Problem {
	v := *pr
	v.Inlined = slices.Clone(pr.Inlined)
	for _, id := range staged {
		v.Inlined[id] = false
	}
	v.Expand = slices.Clone(pr.Expand)
	expand := func(id int, anew bool) {
		for s := range pr.P.Funcs[id].Stages {
			if at := pr.StageIndex(id, s); anew || pr.Expand[at].inPlace(staged) {
				v.Expand[at] = ExpandStage(pr.P, pr.Access, v.Inlined, pr.Folded, id, s)
			}
		}
	}
	for _, id := range staged {
		expand(id, true) // while it is inlined it has no expansion that counts
	}
	for _, id := range in {
		expand(id, false)
	}
	// Those of the problem have all of that inlined.
	v.SetCellsLater(pr.cellsOf(func(fn int) bool { return slices.Contains(staged, fn) || slices.Contains(in, fn) }))
	return &v
}

// Exchange is where a lane finds the value that lies d points to the right of its own first one, if
// lanes hold so many neighbouring points each: how many lanes further, and in which of that lane's registers
// (Jangda and Guha 2020, figure 7, for neighbouring instead of strided points, and with the origin of
// every member so far to the left that d is never negative).
func Exchange(d, points int64) (lanes, register int64) {
	lanes = bounds.FloorDiv(d, points)
	return lanes, d - lanes*points
}

// ExchangeStrided is Exchange for lanes whose points are a warp apart, as in the paper: the lane is modulo the warp's, and those
// that are beyond its end have the value in the next register.
func ExchangeStrided(d int64) (lanes, register int64) {
	register = bounds.FloorDiv(d, WarpLanes)
	return d - register*WarpLanes, register
}

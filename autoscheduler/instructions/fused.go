package instructions

import (
	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// fused is what it takes to tell the loops over blocks of a nest apart that share a dimension of the grid.
type fused struct {
	unknown  float64 // by what only a run knows
	literal  float64 // by a literal, where the extent of a loop is one
	constant float64 // loops whose extent is a literal: there is nothing to load of them and nothing to test
	merged   uint64  // loops that are never told apart from the one before: all that is accessed is as far apart along one as along the other
}

// Instructions that tell a loop apart from others by its extent: by what only a run knows a quotient and a remainder of the special-function unit; by a literal a product of which the upper half is
// shifted, and what is left.
const (
	fusedDivisions = 2
	literalApart   = 4
)

// literals are the dimensions of each Func that are as long whatever the sizes of a run are, 0 of others.
func literals(pr *plan.Problem) [][]int64 {
	out := make([][]int64, len(pr.P.Funcs))
	for i := range pr.P.Funcs {
		out[i] = make([]int64, len(pr.P.Funcs[i].Args))
		for d := range out[i] {
			if iv, ok := pr.Regions.Constant(pr.P, i, d); ok {
				out[i][d] = iv.Extent()
			}
		}
	}
	return out
}

// fusedLoops are those of a kernel's output.
func (e *Estimator) fusedLoops(k *plan.Kernel, n *plan.Nest) (f fused) {
	if n.Func != k.Out.Func || n.Stage != k.Out.Stage {
		return f
	}
	if n.Wrap > 0 {
		f.unknown++
	}
	if n.Fused < 2 {
		return f
	}
	loops := n.FusedLoops()
	for i, u := range loops {
		extent := int64(0)
		if arg := e.pr.P.Funcs[n.Func].Stages[n.Stage].Loops[u.Loop].Arg; arg >= 0 && u.Tile == 0 {
			extent = e.literals()[n.Func][arg]
		}
		if extent > 0 && (i < len(loops)-1 || f.unknown == 0) { // what is left of a division by what a run knows is worked out all the same
			f.constant++
		}
		switch {
		case i == len(loops)-1:
		case extent == 0:
			f.unknown++
		case len(k.Members) == 0 && e.inOne(n, u.Loop, loops[i+1].Loop, extent):
			f.merged |= access.LoopBit(loops[i+1].Loop)
		default:
			f.literal++
		}
	}
	return f
}

// inOne reports whether whatever a nest accesses is extent times as far apart along one loop as along the one before: those of a buffer of a Func that is as long in that dimension.
func (e *Estimator) inOne(n *plan.Nest, before, loop int, extent int64) bool {
	both := access.LoopBit(before) | access.LoopBit(loop)
	of := func(fn int, idx []access.Index) bool {
		if !movesAny(idx, both) {
			return true
		}
		if fn < 0 {
			return false
		}
		for d := range idx {
			switch x := &idx[d]; {
			case !moves(x, both):
			case d+1 < len(idx) && x.IsLoop(before) && idx[d+1].IsLoop(loop):
				if e.literals()[fn][d] != extent {
					return false
				}
			case d > 0 && idx[d-1].IsLoop(before) && x.IsLoop(loop):
			default:
				return false
			}
		}
		return true
	}
	loads := e.pr.ExpandOf(n).Loads
	for i := range loads {
		if !of(loads[i].Func, loads[i].Index) {
			return false
		}
	}
	st := e.pr.Access.Stage(n.Func, n.Stage)
	return st != nil && of(n.Func, st.Store)
}

// strides are the dimensions of an access that have a stride to multiply by.
func (f *fused) strides(idx []access.Index) (n float64) {
	for d := 1; d < len(idx); d++ {
		if x := &idx[d]; x.Kind != access.Affine || access.LoopBit(x.Loop)&f.merged == 0 {
			n++
		}
	}
	return n
}

// add adds what telling those loops apart costs a warp.
func (f *fused) add(sum *Part, warps float64) {
	sum.Terms[Fused] += warps * f.unknown
	sum.Special += warps * f.unknown * fusedDivisions
	sum.Terms[Integer] += warps * f.literal * literalApart
	sum.Terms[Dimension] -= warps * f.constant
}

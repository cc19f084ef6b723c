package strategy

import (
	"fmt"
	"slices"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/plan"
)

// Loops inside a thread are unrolled where they are short: "inner intra-tile loops (such as
// the kernels of convolution layers and the channel dimension of RGB images)" (Sioutas et al. 2020,
// section 4.2). The paper has no figures; 4 is that of the published implementation.
const (
	maxUnrolledExtent = 4
	maxUnrolledHeld   = 16   // of a dimension whose points are told apart: as constants their places are registers
	maxUnrolledCopies = 64   // of one stage's expression: three such loops
	maxUnrolledTree   = 5000 // operations and loads of all copies together, as Halide expands them
)

// unroll marks the serial loops of a nest that are unrolled, from the innermost on. constant says of a
// loop over a dimension whether Halide knows its extent when it compiles; it refuses to
// unroll any other.
func unroll(pr *plan.Problem, n *plan.Nest, constant func(loop halideir.Loop) bool) {
	st := &pr.P.Funcs[n.Func].Stages[n.Stage]
	unrollFolded(pr, n)
	tree := int64(max(1, pr.ExpandOf(n).Tree))
	copies := int64(1)
	for i := range n.Serial {
		u := &n.Serial[i]
		c := copies * u.Extent
		if !short(pr, n.Func, st, u, constant) || c > maxUnrolledCopies {
			return // it stays a loop, and so do those around it
		}
		u.Unroll = u.Extent > 1
		if c*tree > maxUnrolledTree && c*knownTree(pr, n, u.Loop, tree) > maxUnrolledTree {
			u.Unroll = false
			return
		}
		copies = c
	}
}

// knownTree is the tree of one copy where the points along a loop are told apart: each is what is left of it where that is known, in the mean (of a streaming step of nine directions, one that was
// chosen for all 360 operations of the choice among them). tree is that of a copy that knows nothing.
func knownTree(pr *plan.Problem, n *plan.Nest, loop int, tree int64) int64 {
	if !pr.HeldArg(n.Func, pr.P.Funcs[n.Func].Stages[n.Stage].Loops[loop].Arg) {
		return tree
	}
	cell := pr.CellOf(n)
	if cell == nil {
		return tree
	}
	sum := int64(0)
	for _, kind := range cell.Kinds {
		sum += int64(max(1, kind.Expand.Tree))
	}
	return min(tree, sum/int64(len(cell.Kinds)))
}

// unrollFolded unrolls the loops that make constants of tables.
func unrollFolded(pr *plan.Problem, n *plan.Nest) {
	loops := pr.ExpandOf(n).Unrolled
	for i := range n.Serial {
		if u := &n.Serial[i]; loops&access.LoopBit(u.Loop) != 0 {
			u.Unroll = u.Extent > 1
		}
	}
}

// folded refuses a nest in which a loop that should make constants of tables turns.
func folded(pr *plan.Problem, n *plan.Nest) error {
	loops := pr.ExpandOf(n).Unrolled
	if loops == 0 {
		return nil
	}
	f := &pr.P.Funcs[n.Func]
	// Each row would have addresses of its own for each iteration, computed by every thread (max_filter: 328 instructions a point with 4 in a row, 878 with 2x2).
	for i, u := range n.Unrolled {
		if i > 0 && u.Extent > 1 {
			return fmt.Errorf("what %s looks up is constant in one row of points, %s would have more", f.Label, f.Stages[n.Stage].Loops[u.Loop].Label)
		}
	}
	for _, u := range n.Serial {
		if loops&access.LoopBit(u.Loop) != 0 && u.Extent > 1 && !u.Unroll {
			return fmt.Errorf("loop %s of %s has to stand in the code, so that %s is constant", f.Stages[n.Stage].Loops[u.Loop].Label, f.Label, pr.P.Funcs[pr.ExpandOf(n).Folded[0].Func].Label)
		}
	}
	return nil
}

// short reports whether a serial loop is one to unroll: of few iterations, as many as Halide knows when it compiles.
func short(pr *plan.Problem, fn int, st *halideir.Stage, u *plan.Use, constant func(loop halideir.Loop) bool) bool {
	loop := st.Loops[u.Loop]
	most := int64(maxUnrolledExtent)
	if pr.HeldArg(fn, loop.Arg) {
		most = maxUnrolledHeld
	}
	return u.Tile == 0 && u.Extent <= most && (constantLoop(pr.P, st, u.Loop) || loop.Arg >= 0 && constant(loop))
}

// shortInside moves the loops to unroll, over channels mostly, into those whose ends only a run knows, so that all iterations share what these work out. A stage
// with a loop over a domain is left as it is: a sum would lose its register.
func shortInside(pr *plan.Problem, fn int, st *halideir.Stage, serial []plan.Use, constant func(loop halideir.Loop) bool) {
	loose := func(u plan.Use) bool { return u.Tile > 0 }
	domain := func(u plan.Use) bool { return st.Loops[u.Loop].Arg < 0 }
	if !slices.ContainsFunc(serial, loose) || slices.ContainsFunc(serial, domain) {
		return
	}
	place := func(u *plan.Use) int {
		if short(pr, fn, st, u, constant) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(serial, func(a, b plan.Use) int { return place(&a) - place(&b) })
}

// A loop over a reduction's domain with several points around makes some iterations at a time: what they compute of
// addresses they share. More code than this the compiler holds in too many registers.
const (
	maxSteps      = 8
	moreSteps     = 4    // beyond so many only where the code is tiny
	maxTinyOps    = 256  // operations and loads of that
	maxSteppedOps = 1024 // operations and loads of all points and iterations
	productOps    = 5    // operations and loads of a product that is added to a sum: there is nothing to be held from one step to the next
	maxProductOps = 1280 // of all points and iterations where that is all
)

// unrollDomain unrolls short loops over a reduction's domain, from the innermost on, also those that are too long for unroll: what an iteration
// adds to then stays in a register, in shared memory too.
func unrollDomain(pr *plan.Problem, n *plan.Nest) {
	st := &pr.P.Funcs[n.Func].Stages[n.Stage]
	unrollFolded(pr, n)
	code := n.PointsPerThread() * int64(max(1, pr.ExpandOf(n).Tree))
	for i := range n.Serial {
		u := &n.Serial[i]
		code *= max(u.Extent, 1)
		if !u.Unroll && u.Extent > 1 && (st.Loops[u.Loop].Arg >= 0 || u.Tile > 0 || u.Extent > maxSteps || code > maxTinyOps || !constantLoop(pr.P, st, u.Loop)) {
			return
		}
		u.Unroll = u.Extent > 1
	}
}

// stepped lets the innermost loop of a nest that is not unrolled make several iterations at a time. Not where the domain has a predicate: split, Halide 21 rounds what the loop
// reads up to whole steps where the predicate bounds it and not the loop's end, beyond the end of an input that is as large as is needed (where(r.x + r.y < n)).
func stepped(pr *plan.Problem, n *plan.Nest) {
	if pr.P.Funcs[n.Func].Stages[n.Stage].Predicate != halideir.NoNode {
		return
	}
	tree := int64(max(1, pr.ExpandOf(n).Tree))
	code := n.PointsPerThread() * tree
	for i := range n.Serial {
		u := &n.Serial[i]
		if u.Unroll || u.Extent <= 1 {
			code *= max(u.Extent, 1)
			continue
		}
		if u.Tile > 0 || pr.P.Funcs[n.Func].Stages[n.Stage].Loops[u.Loop].RVar < 0 {
			return
		}
		for s := int64(maxSteps); s > 1; s /= 2 {
			few := s*code <= maxSteppedOps && (s <= moreSteps || s*code <= maxTinyOps)
			if (few || tree <= productOps && s*code <= maxProductOps) && u.Extent >= 2*s {
				u.Steps = s
				return
			}
		}
		return
	}
}

func literal(p *halideir.Pipeline, id halideir.NodeID) bool {
	return id != halideir.NoNode && p.Nodes[id].Op == halideir.OpInt
}

// bounded reports whether the user fixed the extent of a Func's dimension (Func::bound), which
// makes the loop over it one of constant extent.
func bounded(p *halideir.Pipeline, f *halideir.Func, arg int) bool {
	return slices.ContainsFunc(f.Bounds, func(b halideir.Bound) bool {
		_, _, ok := p.InNumbers(&b)
		return ok && b.Var == f.Args[arg]
	})
}

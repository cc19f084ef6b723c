package strategy

import (
	"gowarp/halideir"
	"gowarp/internal/plan"
)

// Loops inside a thread are unrolled where they are short: "inner intra-tile loops (such as
// the kernels of convolution layers and the channel dimension of RGB images)" (Sioutas et al. 2020,
// section 4.2). The paper has no figures; 4 is that of the published implementation.
const (
	maxUnrolledExtent = 4
	maxUnrolledCopies = 64   // of one stage's expression: three such loops
	maxUnrolledTree   = 5000 // operations and loads of all copies together, as Halide expands them
)

// unroll marks the serial loops of a nest that are unrolled, from the innermost on. constant says of a
// loop over a dimension whether Halide knows its extent when it compiles; it refuses to
// unroll any other.
func unroll(pr *plan.Problem, n *plan.Nest, constant func(loop halideir.Loop) bool) {
	st := &pr.P.Funcs[n.Func].Stages[n.Stage]
	tree := int64(max(1, expanded(pr, n).Tree))
	copies := int64(1)
	for i := range n.Serial {
		u := &n.Serial[i]
		loop := st.Loops[u.Loop]
		known := constantLoop(pr.P, st, u.Loop) || loop.Arg >= 0 && constant(loop)
		c := copies * u.Extent
		if u.Tile > 0 || u.Extent > maxUnrolledExtent || !known || c > maxUnrolledCopies || c*tree > maxUnrolledTree {
			return // it stays a loop, and so do those around it
		}
		u.Unroll, copies = u.Extent > 1, c
	}
}

// A loop over a reduction's domain with several points around makes some iterations at a time: what they compute of
// addresses they share. More code than this the compiler holds in too many registers.
const (
	maxSteps      = 4
	maxSteppedOps = 1024 // operations and loads of all points and iterations
)

// stepped lets the innermost loop of a nest that is not unrolled make several iterations at a time.
func stepped(pr *plan.Problem, n *plan.Nest) {
	code := n.PointsPerThread() * int64(max(1, expanded(pr, n).Tree))
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
			if s*code <= maxSteppedOps && u.Extent >= 2*s {
				u.Steps = s
				return
			}
		}
		return
	}
}

func expanded(pr *plan.Problem, n *plan.Nest) *plan.Expand {
	return &pr.Expand[pr.StageIndex(n.Func, n.Stage)]
}

func literal(p *halideir.Pipeline, id halideir.NodeID) bool {
	return id != halideir.NoNode && p.Nodes[id].Op == halideir.OpInt
}

// bounded reports whether the user fixed the extent of a Func's dimension (Func::bound), which
// makes the loop over it one of constant extent.
func bounded(p *halideir.Pipeline, f *halideir.Func, arg int) bool {
	for _, b := range f.Bounds {
		if b.Var == f.Args[arg] && b.Modulus == halideir.NoNode && literal(p, b.Min) && literal(p, b.Extent) {
			return true
		}
	}
	return false
}

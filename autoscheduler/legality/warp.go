package legality

import (
	"fmt"

	"gowarp/internal/plan"
)

// lanes: a kernel of warps runs on CUDA, over 2 to 32 lanes. Along a loop of one lane Halide 21 takes the
// lane for a constant and leaves the shuffles out; more than 32 it refuses.
func lanes(pr *plan.Problem, k *plan.Kernel) error {
	w := k.Warp
	if w == nil {
		return nil
	}
	if pr.P.Target.API != "cuda" {
		return fmt.Errorf("only CUDA has lanes, the target is %s", pr.P.Target.String)
	}
	if w.Points&(w.Points-1) != 0 {
		// Seen once, with 3 points and 5 rows: gpusim found registers in use that nothing had set.
		return fmt.Errorf("%d points a lane are not a power of two", w.Points)
	}
	if w.Points < 1 || w.Rows < 1 || w.Warps < 1 || w.Width%w.Points != 0 {
		return fmt.Errorf("a warp's tile of %d points in lanes of %d, %d rows, %d warps", w.Width, w.Points, w.Rows, w.Warps)
	}
	return nests(k, func(n *plan.Nest) error {
		if len(n.Threads) == 0 || n.Threads[0].Extent < 2 || n.Threads[0].Extent > plan.WarpLanes {
			return fmt.Errorf("%s does not run over 2 to %d lanes", pr.P.Funcs[n.Func].Label, plan.WarpLanes)
		}
		return nil
	})
}

// warpMembers: what is computed once a warp is in registers, so all of it is unrolled but for one
// loop over lanes, its row of lanes fits the warp, and no value has 64 bits, which no shuffle moves.
// A warp computes nothing for the block or for a thread alone.
func warpMembers(pr *plan.Problem, k *plan.Kernel) error {
	for i := range k.Members {
		m := &k.Members[i]
		label := pr.P.Funcs[m.Func].Label
		if (k.Warp != nil) != (m.Where == plan.AtWarp) {
			return fmt.Errorf("%s is computed once a %s", label, m.Where)
		}
		if k.Warp == nil {
			continue
		}
		for _, t := range pr.P.Funcs[m.Func].Types {
			if t.Bits == 64 {
				return fmt.Errorf("%s has values of %d bits, which shuffles do not move", label, t.Bits)
			}
		}
		if len(m.Nests) != 1 || len(m.Nests[0].Serial) > 0 || len(m.Nests[0].Threads) != 1 || len(m.Nests[0].Blocks) > 0 {
			return fmt.Errorf("%s is not one loop over lanes and the rest unrolled: it would not be in registers", label)
		}
		if m.Align != plan.WarpLanes*k.Warp.Points {
			return fmt.Errorf("rows of %s are %d elements apart, a warp holds %d", label, m.Align, plan.WarpLanes*k.Warp.Points)
		}
	}
	return nil
}

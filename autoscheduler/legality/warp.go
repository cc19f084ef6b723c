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
	if w.Points < 1 || w.Rows < 1 || w.Layers < 1 || w.Warps < 1 || w.Layers > 1 && w.Z < 0 || !w.Strided && w.Width%w.Points != 0 {
		return fmt.Errorf("a warp's tile of %d points in lanes of %d, %d rows, %d layers, %d warps", w.Width, w.Points, w.Rows, w.Layers, w.Warps)
	}
	if whole := plan.WarpLanes * w.Points; w.Strided && (w.Points < 2 || w.Width > whole || w.Width <= whole-plan.WarpLanes) {
		return fmt.Errorf("a warp's tile of %d points in lanes of %d that are a warp apart", w.Width, w.Points)
	}
	for n := range k.Nests() {
		if len(n.Threads) == 0 || n.Threads[0].Extent < 2 || n.Threads[0].Extent > plan.WarpLanes {
			return fmt.Errorf("%s does not run over 2 to %d lanes", pr.P.Funcs[n.Func].Label, plan.WarpLanes)
		}
	}
	return nil
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
		if err := rowOfLanes(k.Warp, m); err != nil {
			return fmt.Errorf("%s: %w", label, err)
		}
	}
	return nil
}

// warpScratch: what members have in the scratch of their warp are registers that they would have, of 8 to 32 bits, in it, and no two
// that are needed at once have the same place. The kernel has shared memory for the scratch of every warp, and none besides.
func warpScratch(pr *plan.Problem, k *plan.Kernel) error {
	scratch := int64(0)
	if k.Warp != nil {
		scratch = k.Warp.Scratch
	}
	for i := range k.Members {
		m := &k.Members[i]
		label := pr.P.Funcs[m.Func].Label
		if m.Demoted == 0 {
			continue
		}
		if k.Warp == nil || m.Where != plan.AtWarp || m.Demoted < 0 || m.Demoted > m.LaneSlots() {
			return fmt.Errorf("%d registers of a lane of %s are in the scratch of a warp, it has %d", m.Demoted, label, m.LaneSlots())
		}
		for _, t := range pr.P.Funcs[m.Func].Types {
			if t.Bits < 8 || t.Bits > 32 {
				return fmt.Errorf("values of %d bits of %s are in the scratch of a warp", t.Bits, label)
			}
		}
		if end := m.ScratchAt + pr.ScratchBytes(m); m.ScratchAt < 0 || end > scratch {
			return fmt.Errorf("%s has bytes %d to %d of a scratch of %d", label, m.ScratchAt, end, scratch)
		}
	}
	if a, b := plan.ScratchClash(pr, k); a >= 0 {
		return fmt.Errorf("%s and %s have the same place in the scratch of a warp at the same time", pr.P.Funcs[k.Members[a].Func].Label, pr.P.Funcs[k.Members[b].Func].Label)
	}
	if k.Warp != nil && k.SharedBytes != scratch*k.Warp.Warps {
		return fmt.Errorf("%d B of shared memory for %d warps with a scratch of %d B each", k.SharedBytes, k.Warp.Warps, scratch)
	}
	return nil
}

// rowOfLanes: a member's row is as long in storage as the lanes hold, with as many points each as of the output or, where it is read with a
// stride, a power of two times as many neighbours. So Halide finds the lane and the register in the index; otherwise it
// refuses the schedule, or takes a register that is not known before it runs, which is no register any more.
func rowOfLanes(w *plan.Warp, m *plan.Member) error {
	times := m.Align / (plan.WarpLanes * w.Points)
	if m.Align < 1 || m.Align%(plan.WarpLanes*w.Points) != 0 || times&(times-1) != 0 || w.Strided && times != 1 {
		return fmt.Errorf("rows are %d elements apart, a warp holds %d of the output", m.Align, plan.WarpLanes*w.Points)
	}
	n := &m.Nests[0]
	u, ok := n.UnrolledUse(n.Threads[0].Loop)
	held, apart := n.Threads[0].Extent*u.Extent, int64(0)
	if w.Strided {
		apart = plan.WarpLanes
	}
	if !ok || u.Apart != apart || held > m.Align || !w.Strided && u.Extent != w.Points*times {
		return fmt.Errorf("%d points a lane, %d apart, over %d lanes are not its row of %d", u.Extent, u.Apart, n.Threads[0].Extent, m.Align)
	}
	return nil
}

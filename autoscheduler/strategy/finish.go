package strategy

import (
	"fmt"
	"slices"

	"gowarp/internal/plan"
)

// finish derives a kernel's launch and resources from its nests.
func finish(pr *plan.Problem, k *plan.Kernel) error {
	k.Block = [3]int64{1, 1, 1}
	for n := range k.Nests() {
		if len(n.Threads) > 3 {
			return fmt.Errorf("strategy: %s runs over %d thread loops; 3 are the most", pr.P.Funcs[n.Func].Label, len(n.Threads))
		}
		for i, u := range n.Threads {
			k.Block[i] = max(k.Block[i], u.Extent)
		}
		if err := folded(pr, n); err != nil {
			return err
		}
	}
	if k.Out.Scan {
		k.Block = [3]int64{plan.WarpLanes, k.Block[0], 1}
	}
	if k.Out.Chunks > 0 {
		k.Block[1] = k.Out.Chunks
	}
	grid(pr, &k.Out, &k.Grid)
	shared(pr, k)
	if k.Registers == 0 {
		k.Registers = registers(pr, k)
	}
	if k.ThreadsPerBlock() > int64(pr.Device.MaxThreadsPerBlock) {
		return nil // the gate and the costers reject it; the calculator has no answer
	}
	if err := k.Occupy(pr.Device); err != nil {
		return err
	}
	rowsLast(pr, k)
	return nil
}

// block is the thread block of a kernel that no member widens.
func block(c plan.Choice) [3]int64 {
	b := [3]int64{1, 1, 1}
	copy(b[:], c.Tile)
	return b
}

// manyBlocks is more blocks than any grid has.
const manyBlocks = 1 << 60

// grid counts the blocks. Loops beyond the third share the last dimension; where a
// dimension would still be too long, all loops share the first, and where that is too long
// they wrap around into the second.
func grid(pr *plan.Problem, n *plan.Nest, g *[3]int64) {
	n.FusedAt, n.Fused, n.Wrap = 0, 0, 0
	if len(n.Blocks) > 3 {
		n.FusedAt, n.Fused = 2, len(n.Blocks)-2
	}
	lay := func() {
		*g = [3]int64{1, 1, 1}
		for i, u := range n.Blocks {
			d := min(i, len(n.Blocks)-max(n.Fused, 1))
			if u.Extent > 0 && g[d] > manyBlocks/u.Extent {
				g[d] = manyBlocks // of a region that nobody meant; the gate refuses it
				continue
			}
			g[d] *= u.Extent
		}
	}
	lay()
	for i, most := range pr.Device.MaxGrid {
		if most > 0 && g[i] > int64(most) {
			n.FusedAt, n.Fused = 0, len(n.Blocks)
			lay()
			break
		}
	}
	if most := int64(pr.Device.MaxGrid[0]); most > 0 && g[0] > most && n.Fused == len(n.Blocks) {
		n.Wrap = most/2 + 1
		g[0], g[1] = n.Wrap, ceilDiv(g[0], n.Wrap)
	}
}

// pad makes the allocations of a kernel whole words when their element widths
// differ (see plan.PadElements).
func pad(pr *plan.Problem, k *plan.Kernel) {
	width := int64(0)
	mixed := false
	each := func(f func(m *plan.Member, bytes int64)) {
		for i := range k.Members {
			m := &k.Members[i]
			if m.Where != plan.AtBlock {
				continue
			}
			for _, t := range pr.P.Funcs[m.Func].Types {
				f(m, t.Bytes())
			}
		}
	}
	each(func(_ *plan.Member, b int64) {
		mixed = mixed || width != 0 && width != b
		width = b
	})
	if mixed {
		each(func(m *plan.Member, b int64) {
			if len(m.Padded) > 0 {
				m.Padded[0] = max(m.Padded[0], plan.PadElements(m.Extents[0], b))
				m.Align = max(m.Align, plan.PadElements(1, b))
			}
		})
	}
}

// shared computes the kernel's shared memory, by liveness and as a plain sum.
func shared(pr *plan.Problem, k *plan.Kernel) {
	if n := k.Out.Chunks; n > 0 {
		// What the chunks of two turns come to: bridge/halidecc/scanchunks.cc.
		k.SharedBytes = 2 * n * k.Block[0] * pr.Bytes(k.Out.Func)
		k.SharedSum = k.SharedBytes
	}
	if len(k.Members) == 0 {
		return
	}
	// By member: the steps at which its first and its last stage run. What is computed in the
	// threads of another runs with that.
	first, last := make([]int, len(k.Members)), make([]int, len(k.Members))
	steps, parts := 0, 0
	for i := range k.Members {
		if m := &k.Members[i]; m.Where == plan.AtBlock {
			first[i] = steps
			steps += len(m.Nests)
			last[i] = steps - 1
			parts += len(pr.P.Funcs[m.Func].Types)
		}
	}
	for i := len(k.Members) - 1; i >= 0; i-- {
		if m := &k.Members[i]; m.Where == plan.AtThread {
			last[i] = steps // the output's
			if a := k.MemberIndex(m.Anchor); a >= 0 {
				last[i] = last[a]
			}
		}
	}
	allocs := make([]plan.Allocation, 0, parts)
	fixed := true
	for i := range k.Members {
		m := &k.Members[i]
		points := int64(1)
		for _, e := range m.Padded {
			points *= e
		}
		m.Bytes = points * pr.Bytes(m.Func)
		if m.Where != plan.AtBlock {
			continue
		}
		k.SharedSum += m.Bytes
		fixed = fixed && m.Fixed()
		end := last[i]
		if pr.Reads(k.Out.Func, m.Func) {
			end = steps
		}
		for c := range k.Members {
			if c != i && last[c] > end && pr.Reads(k.Members[c].Func, m.Func) {
				end = last[c]
			}
		}
		for _, t := range pr.P.Funcs[m.Func].Types {
			allocs = append(allocs, plan.Allocation{Bytes: points * t.Bytes(), ElemBytes: t.Bytes(), First: first[i], Last: end})
		}
	}
	slices.SortStableFunc(allocs, plan.CompareAllocations)
	k.SharedBytes = k.SharedSum // what is sized at run time may find no slot to share
	if fixed {
		k.SharedBytes = plan.SharedBytes(allocs, steps)
	}
	if w := k.Warp; w != nil {
		k.SharedBytes = w.Scratch * w.Warps
		k.SharedSum = k.SharedBytes
	}
}

package coster

import (
	"encoding/binary"
	"slices"

	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/internal/plan"
)

// warpLanes is the most lanes of a warp whose addresses are looked at.
const warpLanes = 64

// A WarpView is one nest of a kernel as the first warp of a block sees it: where each lane is in the stage's loops. The
// block is the second one along every loop, so that it lies at no edge and begins where tiles begin.
type WarpView struct {
	pr     *plan.Problem
	lanes  int
	at     [warpLanes][]int64 // by lane, the loops of the stage
	nest   *plan.Nest
	active int // lanes that the nest keeps busy
}

// ViewWarp places the lanes of the first warp: consecutive threads, x first, as the hardware numbers them. Lanes beyond
// the nest's own threads are idle. What is computed in the threads of another nest has that one's lanes.
func ViewWarp(pr *plan.Problem, k *plan.Kernel, n *plan.Nest) *WarpView {
	if i := k.MemberIndex(n.Func); i >= 0 && k.Members[i].Where == plan.AtThread && n.Func != k.Out.Func {
		return viewInThreads(pr, k, n, k.Members[i].Anchor)
	}
	origin := origins(pr, k, n)
	w := &WarpView{pr: pr, nest: n, lanes: min(pr.Device.WarpSize, warpLanes)}
	all := make([]int64, w.lanes*len(origin))
	for lane := range w.lanes {
		t := [3]int64{int64(lane) % k.Block[0], int64(lane) / k.Block[0] % k.Block[1], int64(lane) / (k.Block[0] * k.Block[1])}
		if t[2] >= k.Block[2] {
			break
		}
		at := all[w.active*len(origin) : (w.active+1)*len(origin)]
		copy(at, origin)
		busy := true
		for i, u := range n.Threads {
			busy = busy && t[i] < u.Extent
			at[u.Loop] += t[i] * pointsApart(n, u.Loop)
		}
		for i := len(n.Threads); i < 3; i++ {
			busy = busy && t[i] == 0
		}
		if busy {
			w.at[w.active] = at
			w.active++
		}
	}
	return w
}

// viewInThreads is the lanes of the nest in whose threads a member is computed, at the member's points: its loops move with
// those of the anchor that move with the same dimension of the output.
func viewInThreads(pr *plan.Problem, k *plan.Kernel, n *plan.Nest, anchor int) *WarpView {
	of := &k.Out
	if i := k.MemberIndex(anchor); i >= 0 && k.Members[i].Where != plan.AtThread {
		of = &k.Members[i].Nests[0]
	}
	a := ViewWarp(pr, k, of)
	w := &WarpView{pr: pr, nest: n, lanes: a.lanes, active: a.active}
	origin, from := origins(pr, k, n), origins(pr, k, of)
	grow := growth(pr, k)
	for lane := range a.active {
		at := slices.Clone(origin)
		for l, loop := range pr.P.Funcs[n.Func].Stages[n.Stage].Loops {
			m, ok := growthOf(grow, n.Func, loop.Arg)
			if !ok {
				continue
			}
			for o, other := range pr.P.Funcs[of.Func].Stages[of.Stage].Loops {
				if g, ok := growthOf(grow, of.Func, other.Arg); ok && g.Dim == m.Dim && g.Num != 0 {
					at[l] += bounds.FloorDiv((a.at[lane][o]-from[o])*m.Num*g.Den, m.Den*g.Num)
				}
			}
		}
		w.at[lane] = at
	}
	return w
}

// growthOf is how a dimension of a Func moves with one of the output; not ok where it does not.
func growthOf(g *bounds.Group, fn, arg int) (bounds.Growth, bool) {
	if grow := g.Funcs[fn]; arg >= 0 && arg < len(grow) && grow[arg].Known && grow[arg].Dim >= 0 {
		return grow[arg], true
	}
	return bounds.Growth{}, false
}

// pointsApart is how far neighbouring threads are from each other along a loop: the points that each has side by side.
func pointsApart(n *plan.Nest, loop int) int64 {
	if u, ok := n.UnrolledUse(loop); ok && u.Tile > 0 && u.Apart == 0 {
		return u.Extent
	}
	return 1
}

// origins is the first point of the block in every loop of a nest: of the output's that of the second tile, of a member's
// the first that this tile needs.
func origins(pr *plan.Problem, k *plan.Kernel, n *plan.Nest) []int64 {
	box := loopBox(pr, n.Func, n.Stage)
	out := make([]int64, len(box))
	for l := range box {
		out[l] = box[l].Lo
	}
	if n.Func == k.Out.Func {
		for _, u := range n.Blocks {
			if u.Extent > 1 {
				out[u.Loop] += max(u.Tile, 1)
			}
		}
		return out
	}
	first := origins(pr, k, &k.Out)
	loops, outLoops := pr.P.Funcs[n.Func].Stages[n.Stage].Loops, pr.P.Funcs[k.Out.Func].Stages[k.Out.Stage].Loops
	grow := growth(pr, k).Funcs[n.Func]
	for l, loop := range loops {
		if loop.Arg < 0 || loop.Arg >= len(grow) || !grow[loop.Arg].Known {
			continue
		}
		g := grow[loop.Arg]
		out[l] = g.Lo
		for o := range outLoops {
			if g.Dim >= 0 && outLoops[o].Arg == g.Dim {
				out[l] = bounds.FloorDiv(g.Num*first[o]+g.Lo, g.Den)
			}
		}
	}
	return out
}

type boxKey int

// loopBox is the range of every loop of a stage.
func loopBox(pr *plan.Problem, fn, stage int) bounds.Box {
	return plan.Once(pr, boxKey(pr.StageIndex(fn, stage)), func() bounds.Box {
		b, err := pr.Regions.Loops(pr.P, fn, stage)
		if err != nil {
			b = make(bounds.Box, len(pr.P.Funcs[fn].Stages[stage].Loops)) // the analysis has said so before
		}
		return b
	})
}

type inputKey int

// inputBox is an input as its estimates say, and in dimensions without any what is read of it.
func inputBox(pr *plan.Problem, id int) bounds.Box {
	return plan.Once(pr, inputKey(id), func() bounds.Box {
		b := slices.Clone(pr.Regions.Inputs[id])
		for d, dim := range pr.P.Inputs[id].Dims {
			if d < len(b) && dim.MinEstimate != nil && dim.ExtentEstimate != nil {
				b[d] = bounds.Interval{Lo: *dim.MinEstimate, Hi: *dim.MinEstimate + *dim.ExtentEstimate - 1}
			}
		}
		return b
	})
}

type growthKey string

// growth is what the tile of a kernel needs of its members.
func growth(pr *plan.Problem, k *plan.Kernel) *bounds.Group {
	b := binary.AppendVarint(nil, int64(pr.StageIndex(k.Out.Func, k.Out.Stage)))
	members := make([]int, len(k.Members))
	for i := range k.Members {
		members[i] = k.Members[i].Func
	}
	slices.Sort(members)
	for _, m := range members {
		b = binary.AppendVarint(b, int64(m))
	}
	return plan.Once(pr, growthKey(b), func() *bounds.Group {
		return pr.GrowAt(k.Out.Func, k.Out.Stage, &plan.Group{Out: k.Out.Func, Members: members})
	})
}

// loads are the addresses of all threads of the warp for one load from global memory (Algorithm 2, line 15, GLLoadsInWarp), in
// bytes from the start of the buffer. scattered says that nothing is known of them: each lane has a place of its own.
func (w *WarpView) loads(t *plan.Tap, into []int64) (addresses []int64, scattered bool) {
	var box bounds.Box
	switch {
	case t.Func >= 0 && t.Func < len(w.pr.Regions.Funcs):
		box = w.pr.Regions.Funcs[t.Func]
	case t.Input >= 0 && t.Input < len(w.pr.Regions.Inputs):
		box = inputBox(w.pr, t.Input)
	}
	return w.addresses(t.Index, box, t.Bytes, into)
}

func (w *WarpView) addresses(index []access.Index, box bounds.Box, bytes int64, into []int64) (addresses []int64, scattered bool) {
	out := into[:0]
	for lane := range w.active {
		out = append(out, 0)
		pitch := max(bytes, 1)
		for d := range min(len(index), len(box)) {
			x := &index[d]
			if x.Kind == access.Unknown && x.DataDependent {
				return out, true
			}
			i := min(max(w.index(x, lane), box[d].Lo), box[d].Hi) // a clamp that was looked through, or a guard
			out[lane] += (i - box[d].Lo) * pitch
			pitch *= max(box[d].Extent(), 1)
		}
	}
	return out, false
}

// index is an index at a lane's point. Of a sum of loops it is known only on which it hangs: each counts once.
func (w *WarpView) index(x *access.Index, lane int) int64 {
	switch x.Kind {
	case access.Constant:
		return x.Offset
	case access.Affine:
		return bounds.FloorDiv(x.Num*w.at[lane][x.Loop]+x.Offset, x.Den)
	}
	sum := int64(0)
	for l, v := range w.at[lane] {
		if x.DependsOn(l) {
			sum += v
		}
	}
	return sum
}

// Transactions is the least number of transactions, of each of the sizes that there are, in which the warp loads once from global
// memory (lines 15 and 16): as many as it has lanes where nothing is known of the places.
func (w *WarpView) Transactions(t *plan.Tap) [len(transactionSizes)]int64 {
	var into [warpLanes]int64
	var out [len(transactionSizes)]int64
	addresses, scattered := w.loads(t, into[:])
	for i, size := range transactionSizes {
		out[i] = int64(w.active)
		if !scattered {
			out[i] = minGLTxs(addresses, size)
		}
	}
	return out
}

// minGLTxs is the least number of transactions of so many bytes, each aligned to its size, that cover the addresses (line
// 16, MinGLTxs). An element is taken to lie in one.
func minGLTxs(addresses []int64, size int64) int64 {
	var few [warpLanes]int64
	segments := few[:0]
	sorted := true
	for _, a := range addresses {
		s := bounds.FloorDiv(a, size)
		if n := len(segments); n > 0 {
			if segments[n-1] == s {
				continue
			}
			sorted = sorted && segments[n-1] < s
		}
		segments = append(segments, s)
	}
	if sorted {
		return int64(len(segments))
	}
	slices.Sort(segments)
	return int64(len(slices.Compact(segments)))
}

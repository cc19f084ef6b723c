package autoscheduler

import (
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// emitWarps is emitKernel for tiles of warps. The output's rows are split twice, into blocks and
// into warps, and layers of rows into blocks; members go into the loop over warps, so that each warp has its own. Lanes are
// innermost but for the points that one lane holds, which are unrolled: only then are they
// registers. A split into lanes and points has the points inside, or outside where they are a warp apart. Tails are guarded; bound_extent makes the members' extents constant all the same, as
// lanes must be, and so lets a tile at the edge compute more of them than it needs.
func (s *state) emitWarps(k *plan.Kernel) {
	warp := s.emitWarpOut(k)
	for i := len(k.Members) - 1; i >= 0; i-- {
		m := &k.Members[i]
		s.computeAt(m.Func, k, k.Out.Func, warp)
		s.emitWarpMember(k, m)
	}
}

// emitWarpOut maps the output's loops and returns the label of the loop over warps.
func (s *state) emitWarpOut(k *plan.Kernel) string {
	n, w := &k.Out, k.Warp
	f := &s.p.Funcs[n.Func]
	st := &f.Stages[n.Stage]
	lab := newLabeler(st)
	add := func(d schedule.Directive) {
		d.Func, d.Name, d.Stage = n.Func, f.Label, n.Stage
		s.add(d)
	}
	split := func(loop string, base string, factor int64, tail schedule.Tail, outer, inner string) (string, string) {
		o, i := lab.fresh(base, outer), lab.fresh(base, inner)
		add(schedule.Directive{Do: schedule.Split, Vars: []string{loop, o, i}, N: factor, Tail: tail})
		return o, i
	}
	x := st.Loops[w.X].Label
	block := map[int]string{}
	var lane, warp, point, row, layer string
	if w.Y < 0 {
		block[w.X], lane = split(x, x, w.Width*w.Warps, schedule.TailGuardWithIf, "_o", "_i")
		warp, lane = split(lane, x, w.Width, schedule.TailGuardWithIf, "_w", "_x")
	} else {
		y := st.Loops[w.Y].Label
		block[w.X], lane = split(x, x, w.Width, schedule.TailGuardWithIf, "_o", "_i")
		block[w.Y], warp = split(y, y, w.Rows*w.Warps, schedule.TailGuardWithIf, "_o", "_i")
		warp, row = split(warp, y, w.Rows, schedule.TailGuardWithIf, "_w", "_r")
	}
	if w.Layers > 1 {
		z := st.Loops[w.Z].Label
		block[w.Z], layer = split(z, z, w.Layers, schedule.TailGuardWithIf, "_o", "_i")
	}
	switch {
	case w.Strided:
		point, lane = split(lane, x, plan.WarpLanes, schedule.TailGuardWithIf, "_p", "_l")
	case w.Points > 1:
		lane, point = split(lane, x, w.Points, schedule.TailRoundUp, "_l", "_p")
	}
	var colours []string
	if w.InDemandOrder {
		for _, u := range n.Blocks {
			if u.Loop != w.X && u.Loop != w.Y && block[u.Loop] == "" && u.Tile > 0 {
				c := st.Loops[u.Loop].Label
				block[u.Loop], c = split(c, c, u.Tile, schedule.TailGuardWithIf, "_o", "_i")
				colours = append(colours, c)
			}
		}
	}
	var order []string
	for _, v := range append(append([]string{point}, colours...), row, layer) {
		if v != "" {
			order = append(order, v)
		}
	}
	unrolled := order
	for _, u := range n.Serial {
		order = append(order, st.Loops[u.Loop].Label)
	}
	order = append(order, lane, warp)
	var blocks []string
	for _, u := range n.Blocks {
		b, ok := block[u.Loop]
		if !ok {
			b = st.Loops[u.Loop].Label
		}
		blocks = append(blocks, b)
	}
	add(schedule.Directive{Do: schedule.Reorder, Vars: append(order, blocks...)})
	blocks = fuse(lab, add, blocks, n)
	add(schedule.Directive{Do: schedule.GPUBlocks, Vars: blocks})
	add(schedule.Directive{Do: schedule.GPUThreads, Vars: []string{warp}})
	add(schedule.Directive{Do: schedule.GPULanes, Vars: []string{lane}})
	for _, v := range unrolled {
		add(schedule.Directive{Do: schedule.Unroll, Vars: []string{v}})
	}
	if w.InDemandOrder {
		s.add(schedule.Directive{Do: schedule.DemandOrder, Func: n.Func, Name: f.Label, N: n.PointsPerThread() / (w.Rows * w.Layers) * int64(len(f.Types))})
	}
	return warp
}

// emitWarpMember stores a member in registers and maps its loops: the one dimension over lanes,
// innermost in storage and there as long as the warp's lanes hold, the rest unrolled.
func (s *state) emitWarpMember(k *plan.Kernel, m *plan.Member) {
	f := &s.p.Funcs[m.Func]
	n := &m.Nests[0]
	st := &f.Stages[0]
	along := n.Threads[0].Loop
	laneArg := st.Loops[along].Arg
	ofFunc := func(d schedule.Directive) {
		d.Func, d.Name = m.Func, f.Label
		s.add(d)
	}
	ofFunc(schedule.Directive{Do: schedule.StoreIn, Memory: schedule.MemoryRegister})
	if laneArg != 0 {
		vars := []string{argLabel(f, laneArg)}
		for a := range f.Args {
			if a != laneArg {
				vars = append(vars, argLabel(f, a))
			}
		}
		ofFunc(schedule.Directive{Do: schedule.ReorderStorage, Vars: vars})
	}
	ofFunc(schedule.Directive{Do: schedule.AlignStorage, Vars: []string{argLabel(f, laneArg)}, N: m.Align})
	points := m.Align / plan.WarpLanes
	for a := range f.Args {
		e := m.Extents[a]
		if a == laneArg && !k.Warp.Strided {
			e = (e + points - 1) / points * points // or the kernel traps
		}
		ofFunc(schedule.Directive{Do: schedule.BoundExtent, Vars: []string{argLabel(f, a)}, N: e})
	}
	if m.Demoted > 0 {
		ofFunc(schedule.Directive{Do: schedule.Demote, N: m.Demoted, Offset: m.ScratchAt})
	}
	lab := newLabeler(st)
	x := st.Loops[along].Label
	lane, point := x, ""
	switch {
	case k.Warp.Strided:
		lane, point = lab.fresh(x, "_l"), lab.fresh(x, "_p")
		s.add(schedule.Directive{Do: schedule.Split, Func: m.Func, Name: f.Label, Vars: []string{x, point, lane}, N: plan.WarpLanes, Tail: schedule.TailGuardWithIf})
	case points > 1:
		lane, point = lab.fresh(x, "_l"), lab.fresh(x, "_p")
		s.add(schedule.Directive{Do: schedule.Split, Func: m.Func, Name: f.Label, Vars: []string{x, lane, point}, N: points, Tail: schedule.TailRoundUp})
	}
	var order []string
	if point != "" {
		order = append(order, point)
	}
	for _, u := range n.Unrolled {
		if u.Loop != along {
			order = append(order, st.Loops[u.Loop].Label)
		}
	}
	unrolled := len(order)
	order = append(order, lane)
	if len(order) > 1 {
		ofFunc(schedule.Directive{Do: schedule.Reorder, Vars: order})
	}
	ofFunc(schedule.Directive{Do: schedule.GPULanes, Vars: []string{lane}})
	for _, v := range order[:unrolled] {
		ofFunc(schedule.Directive{Do: schedule.Unroll, Vars: []string{v}})
	}
}

package autoscheduler

import (
	"slices"

	"gowarp/autoscheduler/instructions"
	"gowarp/autoscheduler/search"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// emit turns every Layout into directives. Nothing is decided here; that every directive
// finds the loops it names, and that Halide makes of them what they say, is checked at the end.
func emit(s *state) error {
	out := &schedule.Schedule{
		Target:     s.p.Target.String,
		Device:     s.device.Name,
		Parameters: s.params.Map(),
		Funcs:      schedule.Shapes(s.p),
	}
	out.Directives = append(out.Directives, s.factors...)
	for _, id := range s.p.Outputs {
		out.Outputs = append(out.Outputs, s.p.Funcs[id].Label)
	}
	s.out = out
	for i, g := range s.groups {
		f := &s.p.Funcs[g.Out]
		s.add(schedule.Directive{Do: schedule.ComputeRoot, Func: g.Out, Name: f.Label})
		for k, m := range s.aligned[g.Out] {
			if m > 1 {
				do := schedule.AlignBounds
				if f.Output {
					do = schedule.WholeCells
				}
				s.add(schedule.Directive{Do: do, Func: g.Out, Name: f.Label, Vars: []string{argLabel(f, k)}, N: m})
			}
		}
		s.padRows(g.Out)
		onGPU := false
		for j, k := range s.found[i].Layout.Kernels {
			if !k.Host {
				s.emitKernel(k)
				onGPU = true
			}
			out.Kernels = append(out.Kernels, s.describe(k, s.found[i], j))
		}
		if onGPU && s.found[i].Layout.Kernels[0].With == nil && s.params.Mode == "gowarp" && s.p.Target.API == "cuda" {
			s.add(schedule.Directive{Do: schedule.ChainAddresses, Func: g.Out, Name: f.Label, N: longestChain})
			if s.problem.Vectors {
				s.add(schedule.Directive{Do: schedule.VectorAccess, Func: g.Out, Name: f.Label})
			}
			s.uniformRows(g.Out, s.found[i].Layout.Kernels)
		}
	}
	return out.CheckForms(s.given)
}

// longestChain is how many addresses are at most computed one from the other. Through more additions than these LLVM does not see that
// what is read is never written: ptxas then lets no such load begin before a store that stands before it (and before capability 7.0 no SM caches it).
const longestChain = 4

// padRows pads the rows of a Func in global memory (instructions.Estimator.Padding). Of rows that are whole vectors the pass for vectors has the host test that they are: a stride that is said to be a
// multiple is a product for each address.
func (s *state) padRows(fn int) {
	f := &s.p.Funcs[fn]
	if s.params.Mode != "gowarp" || !s.problem.Vectors || len(f.Args) == 0 {
		return
	}
	if n := instructions.For(s.problem).Padding(fn, s.problem.Regions.Funcs[fn][0].Extent()); n > 1 {
		s.add(schedule.Directive{Do: schedule.AlignStorage, Func: fn, Name: f.Label, Vars: []string{argLabel(f, 0)}, N: n})
	}
}

func (s *state) add(d schedule.Directive) { s.out.Directives = append(s.out.Directives, d) }

// where is what emission knows of a nest: the labels of its innermost block and thread loops.
type where struct{ block, thread string }

func (s *state) emitKernel(k *plan.Kernel) {
	// The pass that has lanes run through a scan takes one loop in one piece of code; and of a loop around launches Halide would make several, to have one without a clamp.
	if k.Out.Together() || len(k.Out.Host) > 0 || s.params.Mode == "gowarp" && k.With == nil && k.Warp == nil && (s.onePiece(k) || !s.findable(k)) || s.readsOnHost(k) {
		s.add(schedule.Directive{Do: schedule.NeverPartition, Func: k.Out.Func, Name: s.p.Funcs[k.Out.Func].Label, Stage: k.Out.Stage})
	}
	if k.With != nil {
		w := s.emitNest(&k.Out)
		s.add(schedule.Directive{
			Do: schedule.ComputeWith, Func: k.Out.Func, Name: s.p.Funcs[k.Out.Func].Label,
			At: &schedule.Level{Func: k.With.Out.Func, Name: s.p.Funcs[k.With.Out.Func].Label, Var: w.block},
		})
		return
	}
	if k.Warp != nil {
		s.emitWarps(k)
		return
	}
	if k.Out.Scan {
		s.add(schedule.Directive{Do: schedule.ScanLanes, Func: k.Out.Func, Name: s.p.Funcs[k.Out.Func].Label, Stage: k.Out.Stage})
	}
	if k.Out.Chunks > 0 {
		s.add(schedule.Directive{Do: schedule.ScanChunks, Func: k.Out.Func, Name: s.p.Funcs[k.Out.Func].Label, Stage: k.Out.Stage, N: k.Out.Chunks})
	}
	for n := range k.Nests() {
		s.loadsFirst(n)
	}
	if s.overDomain(&k.Out) {
		s.add(schedule.Directive{Do: schedule.SomeLaunch, Func: k.Out.Func, Name: s.p.Funcs[k.Out.Func].Label, Stage: k.Out.Stage})
	}
	labels := map[int]where{k.Out.Func: s.emitNest(&k.Out)}
	out := labels[k.Out.Func]
	if out == (where{}) {
		s.add(schedule.Directive{Do: schedule.GPUSingleThread, Func: k.Out.Func, Name: s.p.Funcs[k.Out.Func].Label, Stage: k.Out.Stage})
	}
	// Consumers first, so that the thread loops that members go into have their names.
	for i := len(k.Members) - 1; i >= 0; i-- {
		m := &k.Members[i]
		if m.Where == plan.AtThread {
			labels[m.Func] = where{}
			s.computeAt(m.Func, k, m.Anchor, labels[m.Anchor].thread)
		} else {
			s.computeAt(m.Func, k, k.Out.Func, out.block)
			if m.OrGlobal {
				s.add(schedule.Directive{Do: schedule.SharedOrGlobal, Func: k.Out.Func, Name: s.p.Funcs[k.Out.Func].Label, N: s.problem.Limits.SharedBytes})
			}
			s.storage(m)
		}
		for j := range m.Nests {
			w := s.emitNest(&m.Nests[j])
			if j == 0 {
				labels[m.Func] = w
			}
		}
	}
}

func (s *state) computeAt(fn int, k *plan.Kernel, anchor int, loop string) {
	stage := 0
	if anchor == k.Out.Func {
		stage = k.Out.Stage
	}
	s.add(schedule.Directive{
		Do: schedule.ComputeAt, Func: fn, Name: s.p.Funcs[fn].Label,
		At: &schedule.Level{Func: anchor, Name: s.p.Funcs[anchor].Label, Stage: stage, Var: loop},
	})
}

// storage places a member of a block in shared or global memory, with its size fixed where Halide can prove
// it: under guarded tails it otherwise sizes it on the host, block by block, at every
// call.
func (s *state) storage(m *plan.Member) {
	f := &s.p.Funcs[m.Func]
	memory := schedule.MemoryGPUShared
	if m.Where == plan.AtBlockGlobal {
		memory = schedule.MemoryHeap
	}
	s.add(schedule.Directive{Do: schedule.StoreIn, Func: m.Func, Name: f.Label, Memory: memory})
	if m.Order != nil {
		d := schedule.Directive{Do: schedule.ReorderStorage, Func: m.Func, Name: f.Label}
		for _, k := range m.Order {
			d.Vars = append(d.Vars, argLabel(f, k))
		}
		s.add(d)
	}
	for k, n := range m.Padded {
		if m.Given[k] {
			s.add(schedule.Directive{Do: schedule.GivenExtent, Func: m.Func, Name: f.Label, Vars: []string{argLabel(f, k)}, N: m.Extents[k]})
		}
		if !m.Bounded[k] {
			if k == 0 && m.Align > 1 {
				s.add(schedule.Directive{Do: schedule.AlignStorage, Func: m.Func, Name: f.Label, Vars: []string{argLabel(f, k)}, N: m.Align})
			}
			continue
		}
		s.add(schedule.Directive{Do: schedule.BoundStorage, Func: m.Func, Name: f.Label, Vars: []string{argLabel(f, k)}, N: n})
	}
}

// emitNest maps the loops of one stage: splits, one order, unrolled points, blocks, threads. A nest
// for whole points only becomes a special case of its stage, and the stage itself runs them one by one.
func (s *state) emitNest(n *plan.Nest) where {
	if !n.Whole {
		return s.emitLoops(n, schedule.Directive{}, (*nestEmitter).split)
	}
	st := &s.p.Funcs[n.Func].Stages[n.Stage]
	whole := schedule.Directive{Do: schedule.Specialize, Func: n.Func, Name: s.p.Funcs[n.Func].Label, Stage: n.Stage}
	// Of a dimension that is whole groups in every run Halide drops the condition, and what is left would show a divisibility: that of one dimension alone is hidden in another way than that of several.
	asked := slices.DeleteFunc(slices.Clone(n.Unrolled), func(u plan.Use) bool { return s.wholeInEveryRun(n.Func, st.Loops[u.Loop].Arg, u.Extent) })
	if len(asked) == 0 {
		asked = n.Unrolled
	}
	for _, u := range asked {
		whole.Vars = append(whole.Vars, st.Loops[u.Loop].Label)
		whole.Multiples = append(whole.Multiples, u.Extent)
	}
	s.add(whole)
	w := s.emitLoops(n, schedule.Directive{Special: true}, (*nestEmitter).split)
	if !s.problem.WholeGroups {
		s.add(schedule.Directive{Do: schedule.AnySize, Func: n.Func, Name: whole.Name})
	}
	s.emitLoops(n, schedule.Directive{}, (*nestEmitter).splitOneByOne)
	return w
}

// wholeInEveryRun reports whether the author has fixed the extent of an output along an argument to a number that is a multiple of n.
func (s *state) wholeInEveryRun(fn, arg int, n int64) bool {
	f := &s.p.Funcs[fn]
	return arg >= 0 && slices.ContainsFunc(f.Bounds, func(b halideir.Bound) bool {
		return b.Var == f.Args[arg] && b.Extent != halideir.NoNode && s.p.Nodes[b.Extent].Op == halideir.OpInt && s.p.Nodes[b.Extent].Int%n == 0
	})
}

// nestEmitter is what the parts of a nest's emission share.
type nestEmitter struct {
	n            *plan.Nest
	st           *halideir.Stage
	lab          *labeler
	add          func(schedule.Directive)
	inner, outer map[int]string // loop -> its part over threads, over blocks
	points       []string       // innermost first
	unrolled     bool           // the points are unrolled
}

// split splits every loop: the points of a thread first, so that one test covers all of them.
func (e *nestEmitter) split() {
	for _, u := range e.n.Unrolled {
		old := e.st.Loops[u.Loop].Label
		if u.Tile == 0 {
			e.points = append(e.points, old)
			continue
		}
		rest, point := e.lab.fresh(old, "_t"), e.lab.fresh(old, "_p")
		e.add(schedule.Directive{Do: schedule.Split, Vars: []string{old, rest, point}, N: u.Tile, Tail: tails[u.Tail]})
		e.points, e.inner[u.Loop] = append(e.points, point), rest
		if !slices.ContainsFunc(e.n.Threads, func(t plan.Use) bool { return t.Loop == u.Loop }) {
			e.outer[u.Loop] = rest // into blocks and points alone
		}
	}
	e.unrolled = true
	for _, u := range e.n.Threads {
		if u.Tile == 0 {
			continue
		}
		label := e.st.Loops[u.Loop].Label
		old := e.name(e.inner, u.Loop)
		e.outer[u.Loop], e.inner[u.Loop] = e.lab.fresh(label, "_o"), e.lab.fresh(label, "_i")
		e.add(schedule.Directive{Do: schedule.Split, Vars: []string{old, e.outer[u.Loop], e.inner[u.Loop]}, N: u.Tile, Tail: schedule.TailGuardWithIf})
	}
}

// splitOneByOne splits into the same blocks and threads, with the points of a thread in loops. The innermost of
// them has the name of split's innermost thread loop: what is computed there for all points is now for one.
func (e *nestEmitter) splitOneByOne() {
	for i, u := range e.n.Threads {
		p, ok := e.n.UnrolledUse(u.Loop)
		old := e.st.Loops[u.Loop].Label
		points := int64(1)
		if ok {
			points = p.Tile
		}
		rest := e.lab.fresh(old, "_t")
		e.outer[u.Loop] = e.lab.fresh(old, "_o")
		e.add(schedule.Directive{Do: schedule.Split, Vars: []string{old, e.outer[u.Loop], rest}, N: u.Tile * points, Tail: schedule.TailGuardWithIf})
		e.inner[u.Loop] = rest
		if ok || i == 0 {
			point := e.lab.fresh(old, "_i")
			e.inner[u.Loop] = e.lab.fresh(old, "_q")
			e.add(schedule.Directive{Do: schedule.Split, Vars: []string{rest, e.inner[u.Loop], point}, N: points, Tail: schedule.TailGuardWithIf})
			e.points = append(e.points, point)
		}
	}
}

// iterations are the loops over those of a serial loop that stand one after the other in the code, and those that turn; innermost first. Of what
// stands between rows of points there are no more than one vector holds: a row's part of it is loaded at once.
func (e *nestEmitter) iterations(u plan.Use, rows bool) (inCode, turns []string) {
	label := e.st.Loops[u.Loop].Label
	switch {
	case u.Tile > 0:
		return nil, []string{e.name(e.outer, u.Loop)}
	case u.Steps > 1:
		o, i := e.lab.fresh(label, "_o"), e.lab.fresh(label, "_i")
		e.add(schedule.Directive{Do: schedule.Split, Vars: []string{label, o, i}, N: u.Steps, Tail: schedule.TailGuardWithIf})
		if !rows || u.Steps <= plan.VectorLanes || u.Steps%plan.VectorLanes != 0 {
			return []string{i}, []string{o}
		}
		vectors, lanes := e.lab.fresh(label, "_v"), e.lab.fresh(label, "_l")
		e.add(schedule.Directive{Do: schedule.Split, Vars: []string{i, vectors, lanes}, N: plan.VectorLanes, Tail: schedule.TailGuardWithIf})
		return []string{lanes, vectors}, []string{o}
	case u.Unroll:
		return []string{label}, nil
	}
	return nil, []string{label}
}

func (e *nestEmitter) name(m map[int]string, l int) string {
	if v, ok := m[l]; ok {
		return v
	}
	return e.st.Loops[l].Label
}

// tails are the words for the tails of unrolled points.
var tails = map[plan.Tail]schedule.Tail{
	plan.Guarded: schedule.TailGuardWithIf, plan.ShiftInwards: schedule.TailShiftInwards, plan.RoundUp: schedule.TailRoundUp,
}

func (s *state) emitLoops(n *plan.Nest, like schedule.Directive, split func(*nestEmitter)) where {
	f := &s.p.Funcs[n.Func]
	st := &f.Stages[n.Stage]
	lab := newLabeler(st)
	add := func(d schedule.Directive) {
		d.Func, d.Name, d.Stage, d.Special = n.Func, f.Label, n.Stage, like.Special
		s.add(d)
	}
	switch {
	case !sideBySide(st, n):
	case len(n.Host) > 0:
		add(schedule.Directive{Do: schedule.AllowRaceConditions})
	default:
		do := schedule.Atomic
		if is, apart := atomicUpdate(s.problem, f, st); is && (!apart || s.passAdds() && addsNothing(s.problem, st) || slices.Contains(s.tried.summed, n.Func)) {
			do = schedule.AtomicAddition
		}
		add(schedule.Directive{Do: do})
	}
	e := nestEmitter{n: n, st: st, lab: lab, add: add, inner: map[int]string{}, outer: map[int]string{}}
	split(&e)
	points, rows := e.points, []string(nil)
	if e.unrolled && slices.ContainsFunc(n.Unrolled[min(1, len(n.Unrolled)):], func(u plan.Use) bool { return u.Extent > 1 }) {
		points, rows = points[:1:1], points[1:]
	}
	var serial, unrolled, threads, blocks []string
	for _, u := range n.Serial {
		inCode, turns := e.iterations(u, rows != nil)
		unrolled = append(unrolled, inCode...)
		if rows != nil && len(inCode) > 0 && len(serial) == 0 {
			// A row of points takes several iterations, then the next one: what a row alone reads or computes is held no longer.
			points, inCode = append(points, inCode[0]), inCode[1:]
		}
		serial = append(append(serial, inCode...), turns...)
	}
	points = append(points, rows...)
	for _, u := range n.Threads {
		threads = append(threads, e.name(e.inner, u.Loop))
	}
	for _, u := range n.Blocks {
		blocks = append(blocks, e.name(e.outer, u.Loop))
	}
	order := slices.Concat(points, serial, threads, blocks)
	if !e.unrolled { // what is computed at the innermost point must not be in a loop that it does not move with
		order = slices.Concat(serial, points, threads, blocks)
	}
	for _, u := range n.Host {
		order = append(order, st.Loops[u.Loop].Label)
	}
	if len(order) > 1 && !inOrder(st, order) {
		add(schedule.Directive{Do: schedule.Reorder, Vars: order})
	}
	for _, v := range unrolled {
		add(schedule.Directive{Do: schedule.Unroll, Vars: []string{v}})
	}
	if e.unrolled {
		for _, p := range e.points {
			add(schedule.Directive{Do: schedule.Unroll, Vars: []string{p}})
		}
	}
	blocks = fuse(lab, add, blocks, n)
	if n.Wrap > 0 {
		o, i := lab.fresh(blocks[0], "_o"), lab.fresh(blocks[0], "_i")
		add(schedule.Directive{Do: schedule.Split, Vars: []string{blocks[0], o, i}, N: n.Wrap, Tail: schedule.TailGuardWithIf})
		blocks = []string{i, o}
	}
	if len(blocks) > 0 {
		add(schedule.Directive{Do: schedule.GPUBlocks, Vars: blocks})
	}
	if len(threads) > 0 {
		add(schedule.Directive{Do: schedule.GPUThreads, Vars: threads})
	}
	var w where
	if len(blocks) > 0 {
		w.block = blocks[0]
	}
	if len(threads) > 0 {
		w.thread = threads[0]
	}
	return w
}

// fuse makes one loop of the block loops of a nest that share a grid dimension.
func fuse(lab *labeler, add func(schedule.Directive), blocks []string, n *plan.Nest) []string {
	for j := n.FusedAt + n.Fused - 2; j >= n.FusedAt; j-- {
		fused := lab.fresh(blocks[j], "_f")
		add(schedule.Directive{Do: schedule.Fuse, Vars: []string{blocks[j], blocks[j+1], fused}})
		blocks = slices.Replace(blocks, j, j+2, fused)
	}
	return blocks
}

// overDomain reports whether blocks are over variables of a domain that is as long as a run's sizes have it, and may be empty.
func (s *state) overDomain(n *plan.Nest) bool {
	st := &s.p.Funcs[n.Func].Stages[n.Stage]
	return s.params.Mode == "gowarp" && slices.ContainsFunc(n.Blocks, func(u plan.Use) bool {
		l := st.Loops[u.Loop]
		return l.Arg < 0 && s.p.Nodes[st.RVars[l.RVar].Extent].Op != halideir.OpInt
	})
}

// sideBySide reports whether iterations that depend on each other run side by side.
func sideBySide(st *halideir.Stage, n *plan.Nest) bool {
	for _, uses := range [][]plan.Use{n.Threads, n.Blocks} {
		for _, u := range uses {
			if !st.Loops[u.Loop].Kind.Parallel() {
				return true
			}
		}
	}
	return false
}

// inOrder reports whether the untouched stage runs its loops in this order already.
func inOrder(st *halideir.Stage, order []string) bool {
	if len(order) != len(st.Loops) {
		return false
	}
	for i, l := range st.Loops {
		if order[i] != l.Label {
			return false
		}
	}
	return true
}

// describe is the kernel as the schedule's readers see it.
func (s *state) describe(k *plan.Kernel, f *search.Found, i int) schedule.Kernel {
	name := schedule.StageLabel(s.p.Funcs[k.Out.Func].Label, k.Out.Stage)
	d := schedule.Kernel{
		Func: k.Out.Func, Stage: k.Out.Stage, Name: name, Strategy: k.Strategy, Host: k.Host, Note: k.Why,
		Blocks: k.Grid, Threads: k.Block, SharedBytes: k.SharedBytes, Registers: k.Registers,
		Occupancy: k.Occupancy.Occupancy,
		Cost:      schedule.Cost{Name: s.coster.Name(), Value: f.Prices[i].Cost},
	}
	if k.Host {
		d.Blocks, d.Threads = [3]int64{1, 1, 1}, [3]int64{1, 1, 1}
		return d
	}
	for _, l := range k.Occupancy.Limiters.List() {
		d.Limiters = append(d.Limiters, string(l))
	}
	inlined := map[int]bool{}
	collect := func(n *plan.Nest) {
		for _, id := range k.View(s.problem).ExpandOf(n).Inlined {
			inlined[id] = true
		}
	}
	for i := range k.Members {
		m := &k.Members[i]
		mem := schedule.MemoryGPUShared
		switch m.Where {
		case plan.AtThread:
			mem = schedule.MemoryAuto
		case plan.AtBlockGlobal:
			mem = schedule.MemoryHeap
		case plan.AtWarp:
			mem = schedule.MemoryRegister
		}
		d.Members = append(d.Members, schedule.Member{
			Func: m.Func, Name: s.p.Funcs[m.Func].Label, Level: m.Where.String(), Memory: mem, Extents: m.Extents, Bytes: m.Bytes,
		})
		for j := range m.Nests {
			collect(&m.Nests[j])
		}
	}
	collect(&k.Out)
	for id := range s.p.Funcs {
		if inlined[id] {
			d.Inlined = append(d.Inlined, s.p.Funcs[id].Label)
		}
	}
	return d
}

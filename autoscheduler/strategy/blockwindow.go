package strategy

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"gowarp/autoscheduler/instructions"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
	"gowarp/nestedfusion"
)

// BlockWindow computes a tile of the output a block with several points a thread side by side, consecutive in x
// and in rows, all unrolled, so that neighbouring points share what they load and compute. Members nearest to the
// output may be windows: in each thread's own registers, with the halo that its points need, computed again
// by every thread; the others are in shared memory, computed by all threads, also with several points each.
type BlockWindow struct{}

// Name implements Strategy.
func (BlockWindow) Name() string { return "block-window" }

// What a thread may hold and run.
const (
	maxPoints      = 16   // of the output side by side
	maxSums        = 40   // of them, where a thread keeps sums: each more shares what an iteration loads
	maxUnrolledOps = 2500 // operations in a thread's code: LLVM takes seconds beyond
)

// Prepare implements Strategy.
func (BlockWindow) Prepare(pr *plan.Problem, g *plan.Group, _ Options) (Prepared, error) {
	f := &pr.P.Funcs[g.Out]
	fail := func(format string, args ...any) (Prepared, error) {
		return nil, fmt.Errorf("block-window: "+format, args...)
	}
	several, alone := len(f.Stages) > 1, len(g.Members) == 0
	switch {
	case several && !alone:
		return fail("%s has updates; its stages share no tile", f.Label)
	case len(pr.Dims[pr.StageIndex(g.Out, 0)].Tiled) == 0 || pr.Dims[pr.StageIndex(g.Out, 0)].Atomic:
		return fail("%s has no loop to tile", f.Label)
	case !pr.PureLoops(g.Out, 0) || len(pr.P.Funcs[g.Out].Bounds) > 0 && !f.Output:
		return fail("the region of %s is not its readers' alone", f.Label)
	case readOutput(pr, g.Out):
		return fail("%s is an output that other Funcs read", f.Label)
	case several && (narrow(pr, g.Out) || halves(f)), !f.Output && halves(f) && narrow(pr, g.Out):
		return fail("%s computes in 8 or 16 bits: pairs of points share registers, and those beyond its end are not to be told from the others", f.Label)
	case alone:
		// What follows is about points beyond the end, which are tested one by one where there can be none.
	case !f.Output && narrow(pr, g.Out):
		return fail("%s computes in 8 or 16 bits: pairs of points share registers, and those beyond its end are not to be told from the others", f.Label)
	case !f.Output && !pr.Absorbs(g.Out) && !multipleSomewhere(pr, g.Out):
		return fail("%s is computed to whole groups of points, for which an input would have to be larger", f.Label)
	}
	exact := !f.Output && !pr.Absorbs(g.Out)
	b := &blockWindows{tested: alone && (several && f.Output || !f.Output && narrow(pr, g.Out) || exact), exact: exact, pr: pr, g: g, est: instructions.For(pr), deepest: len(g.Members), threads: map[int][]int{}, tails: map[int]plan.Tail{}, own: map[int]nestedfusion.Placement{}, windowed: map[int]windowed{}, tooMuch: map[ownPart]bool{}, shared: map[int]bool{}}
	for _, m := range g.Members {
		b.threads[m], b.tails[m] = nestedfusion.ThreadDims(pr, g, m), b.pointTail(m)
		mf := &pr.P.Funcs[m]
		for s := range mf.Stages {
			if !pr.PureLoops(m, s) {
				return fail("%s.update(%d) writes to computed places", mf.Label, s-1)
			}
		}
		if len(mf.Stages) > 1 {
			if reader, grow, ok := ownReader(pr, g, m); ok {
				b.own[m] = nestedfusion.Placement{Func: m, Where: plan.AtThread, Anchor: reader, Grow: grow}
			}
		}
		for k, d := range g.Grow.Funcs[m] {
			if !d.Known || !d.Fixed {
				return fail("the part of %s that a tile of %s needs has no fixed size in dimension %d", mf.Label, f.Label, k)
			}
		}
	}
	return b, nil
}

// multipleSomewhere reports whether a Func has an even number of points along some dimension in every run.
func multipleSomewhere(pr *plan.Problem, fn int) bool {
	for l := range pr.P.Funcs[fn].Stages[0].Loops {
		if pr.MultipleAlong(fn, 0, l, 2) {
			return true
		}
	}
	return false
}

type blockWindows struct {
	pr       *plan.Problem
	g        *plan.Group
	est      *instructions.Estimator
	tested   bool                           // points beyond the end of the output's loops are tested one by one, where there may be any
	exact    bool                           // there may be none that are not tested
	deepest  int                            // windows at most
	threads  map[int][]int                  // by member in shared memory: its dimensions that run over threads
	tails    map[int]plan.Tail              // likewise: that of its points
	own      map[int]nestedfusion.Placement // by reduction: in the threads of the member that reads each point of it for one of its own, but for the points of those
	mu       sync.Mutex                     // of what follows
	windowed map[int]windowed               // by number of windows
	laidOut  []laidOut                      // what Choices has laid out of those that it offers
	tooMuch  map[ownPart]bool               // parts that were found to be more than a thread may hold or run
	shared   map[int]bool                   // by argument of the output: whether sums along it share something
}

// windowed is where the members are with so many windows, or why they cannot be there.
type windowed struct {
	places []nestedfusion.Placement
	err    error
}

// SeveralPoints implements SeveralPointed.
func (b *blockWindows) SeveralPoints() {}

// Refusal implements Refuser.
func (b *blockWindows) Refusal(stage int) error {
	name := schedule.StageLabel(b.pr.P.Funcs[b.g.Out].Label, stage)
	switch d := &b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)]; {
	case d.Atomic:
		return fmt.Errorf("block-window: the iterations of %s combine into the same points", name)
	case d.OfDomain():
		return fmt.Errorf("block-window: the iterations of %s are parallel within a launch, one point a thread", name)
	case len(d.Tiled) == 0:
		return fmt.Errorf("block-window: no loop of %s is parallel", name)
	}
	return fmt.Errorf("block-window: no tile of %s fits", name)
}

// choice is the tile of that many threads with that many points each.
func (b *blockWindows) choice(dims *plan.Dims, windows int, threads, points []int64) plan.Choice {
	n := len(dims.Tiled)
	both := make([]int64, 2*n) // one array for the two lists: a search makes thousands of choices
	c := plan.Choice{Strategy: BlockWindow{}.Name(), Windows: windows, Tile: both[0:0:n], Points: both[n:n]}
	for i := range dims.Tiled {
		t, p := int64(1), int64(1)
		if i < len(threads) {
			t = threads[i]
		}
		if i < len(points) {
			p = points[i]
		}
		c.Tile, c.Points = append(c.Tile, t*p), append(c.Points, p)
	}
	return c
}

// inPlanes reports whether threads are along the third loop of a nest, which they are where the first two are short.
func inPlanes(n *plan.Nest) bool {
	return slices.ContainsFunc(n.Threads[min(2, len(n.Threads)):], func(u plan.Use) bool { return u.Extent > 1 })
}

// planeThreads are the dimensions of a member that run over threads where the output's first loops are short: for each of the output's, those with a thread behind the others, the first that moves with it, or else the first of which the
// tile needs all.
func (b *blockWindows) planeThreads(fn int, out *plan.Nest) (dims []int) {
	loops := b.pr.P.Funcs[b.g.Out].Stages[out.Stage].Loops
	grow := b.g.Grow.Funcs[fn]
	for _, u := range out.Threads {
		k := slices.IndexFunc(grow, func(d bounds.Growth) bool { return d.Dim >= 0 && d.Dim == loops[u.Loop].Arg })
		for i := 0; i < len(grow) && k < 0; i++ {
			if d := grow[i]; d.Dim < 0 && d.Extent(1) > 1 && !slices.Contains(dims, i) {
				k = i
			}
		}
		if k >= 0 && !slices.Contains(dims, k) {
			dims = append(dims, k)
		}
	}
	return dims
}

// halo is how much wider than its tile the widest member is along a loop of the output.
func (b *blockWindows) halo(loop, stage int) int64 {
	arg := b.pr.P.Funcs[b.g.Out].Stages[stage].Loops[loop].Arg
	most := int64(0)
	for _, m := range b.g.Members {
		for _, d := range b.g.Grow.Funcs[m] {
			if d.Known && d.Dim == arg && d.Num == d.Den {
				most = max(most, d.Extent(32)-32)
			}
		}
	}
	return most
}

// Kernel implements Prepared.
func (b *blockWindows) Kernel(stage int, c plan.Choice) (*plan.Kernel, error) {
	if k := b.handOut(stage, &c); k != nil {
		return k, nil
	}
	return b.layOut(stage, c)
}

func (b *blockWindows) layOut(stage int, c plan.Choice) (*plan.Kernel, error) {
	n, err := b.outNest(stage, c)
	if err != nil {
		return nil, err
	}
	k := &plan.Kernel{Strategy: BlockWindow{}.Name(), Choice: c, Out: n}
	tile := tileByArg(b.pr, &k.Out)
	places, err := b.places(&k.Out, c.Windows)
	if err != nil {
		return nil, err
	}
	k.Members = make([]plan.Member, len(places))
	for i := len(places) - 1; i >= 0; i-- { // readers first
		p := places[i]
		if at, ok := b.withReader(k, p, tile); ok {
			p = at
		}
		var threads []int
		if p.Where == plan.AtBlock {
			if threads = b.threads[p.Func]; len(b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)].Across) > 0 {
				threads = b.planeThreads(p.Func, &k.Out)
			}
		}
		m, err := member(b.pr, b.g, &k.Out, tile, p, threads)
		if err != nil {
			return nil, err
		}
		if p.Where == plan.AtThread {
			unrollWindow(b.pr, &m)
		} else {
			b.spreadShared(&m, &k.Out)
			for j := range m.Nests {
				unrollDomain(b.pr, &m.Nests[j])
			}
		}
		k.Members[i] = m
	}
	b.turnDomain(k, &k.Out)
	for i := range k.Members {
		if m := &k.Members[i]; m.Where == plan.AtThread {
			for j := range m.Nests {
				b.turnDomain(k, &m.Nests[j])
			}
		}
	}
	pad(b.pr, k)
	if k.Out.PointsPerThread() > 1 || c.Windows > 0 {
		k.Held = b.held(k, places)
		k.SpillBytes, k.SpillFrame = b.spilled(k)
	}
	if err := finish(b.pr, k); err != nil {
		return nil, err
	}
	return k, b.holds(k)
}

// outNest is the nest of the output: each tiled loop in blocks, threads and points.
func (b *blockWindows) outNest(stage int, c plan.Choice) (plan.Nest, error) {
	n, err := outNest(b.pr, b.g, stage, c)
	f := &b.pr.P.Funcs[b.g.Out]
	if err != nil {
		return n, err
	}
	if len(c.Points) != len(c.Tile) {
		return n, fmt.Errorf("block-window: %s has %d tiled loops, the choice has points for %d", f.Label, len(c.Tile), len(c.Points))
	}
	tail := plan.RoundUp
	overDomain := slices.ContainsFunc(n.Threads, func(u plan.Use) bool { return f.Stages[stage].Loops[u.Loop].RVar >= 0 })
	switch {
	case b.tested || overDomain || !b.pr.PureLoops(b.g.Out, stage): // computed places have no more room than is needed, and a domain no more points
		tail = plan.Guarded
	case f.Output:
		tail = plan.ShiftInwards
	}
	extent := b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)].Extent
	// Of an extent that is no variable the lowering pass cannot tell what it is a multiple of.
	whole := b.pr.WholeGroups
	for i, p := range c.Points {
		if arg := f.Stages[stage].Loops[n.Threads[i].Loop].Arg; p > 1 && arg >= 0 && slices.ContainsFunc(f.Bounds, func(x halideir.Bound) bool { return x.Var == f.Args[arg] }) {
			whole = true
		}
	}
	for i, p := range c.Points {
		u := &n.Threads[i]
		if p < 1 || u.Tile%p != 0 {
			return n, fmt.Errorf("block-window: a tile of %d is not made of threads with %d points", u.Tile, p)
		}
		if p == 1 {
			continue
		}
		t := tail
		switch {
		case overDomain:
		case (b.tested || b.exact) && b.pr.MultipleAlong(b.g.Out, stage, u.Loop, p):
			t = plan.RoundUp
		case b.exact && !b.tested:
			return n, fmt.Errorf("block-window: an input would have to be larger for whole groups of %d points of loop %s of %s", p, f.Stages[stage].Loops[u.Loop].Label, f.Label)
		}
		if tail == plan.ShiftInwards && (extent[u.Loop] < p || whole && extent[u.Loop]%p != 0) {
			return n, fmt.Errorf("block-window: the %d points of loop %s are not whole groups of %d", extent[u.Loop], f.Stages[stage].Loops[u.Loop].Label, p)
		}
		u.Tile, u.Extent = u.Tile/p, u.Extent/p
		n.Unrolled = append(n.Unrolled, plan.Use{Loop: u.Loop, Tile: p, Extent: p, Tail: t})
	}
	n.Whole = tail == plan.ShiftInwards && len(n.Unrolled) > 0
	b.unrollHeld(&n)
	if len(f.Stages) > 1 {
		b.unrollShort(&n, tail)
		unrollDomain(b.pr, &n)
		stepped(b.pr, &n)
	} else if (tail == plan.RoundUp || n.Whole) && b.sums() {
		b.unrollBlocks(&n, tail)
	}
	if inPlanes(&n) {
		slices.SortStableFunc(n.Threads, func(a, b plan.Use) int { return cmp.Compare(min(b.Extent, 2), min(a.Extent, 2)) })
	}
	n.Along = along(&n)
	return n, nil
}

// unrollHeld has the dimensions that a thread has whole stand in its code.
func (b *blockWindows) unrollHeld(n *plan.Nest) {
	held := b.pr.Dims[b.pr.StageIndex(n.Func, n.Stage)].Held
	for i := range n.Serial {
		if u := &n.Serial[i]; slices.Contains(held, u.Loop) {
			u.Unroll = true
		}
	}
}

// sums reports whether threads keep sums: a member is a reduction.
func (b *blockWindows) sums() bool {
	return slices.ContainsFunc(b.g.Members, func(m int) bool { return len(b.pr.P.Funcs[m].Stages) > 1 })
}

// unrollBlocks has a thread compute all points of short loops over blocks side by side, over channels mostly, so that its sums over them share what an iteration computes: of an output, whose caller says how
// many there are, where there are as many as are estimated, or more.
func (b *blockWindows) unrollBlocks(n *plan.Nest, tail plan.Tail) {
	loops := b.pr.P.Funcs[n.Func].Stages[n.Stage].Loops
	points := n.PointsPerThread()
	for i := range n.Blocks {
		u := &n.Blocks[i]
		if loops[u.Loop].Arg < 0 || u.Tile > 0 || u.Extent == 1 || u.Extent > MaxSerialExtent || points*u.Extent > maxSums {
			continue
		}
		if b.exact && !b.pr.MultipleAlong(n.Func, n.Stage, u.Loop, u.Extent) || !b.sumsShare(loops[u.Loop].Arg) {
			continue
		}
		points *= u.Extent
		n.Unrolled = append(n.Unrolled, plan.Use{Loop: u.Loop, Tile: u.Extent, Extent: u.Extent, Tail: tail})
		u.Tile, u.Extent = u.Extent, 1
	}
	if len(n.Blocks) > 3 {
		// Of the loops that share a dimension of the grid that over groups of points is the inner one: the special case for whole groups is had run at other sizes with the index of that (anysize.cc).
		slices.SortStableFunc(n.Blocks[2:], func(a, b plan.Use) int { return cmp.Compare(min(b.Tile, 1), min(a.Tile, 1)) })
	}
}

// sumsShare reports whether the sums of points along an argument of the output have something in common: an iteration of one of them loads something that does not move with it, or nothing.
func (b *blockWindows) sumsShare(arg int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	does, ok := b.shared[arg]
	if !ok {
		does = slices.ContainsFunc(b.g.Members, func(m int) bool { return b.sumShares(m, arg) })
		b.shared[arg] = does
	}
	return does
}

func (b *blockWindows) sumShares(member, arg int) bool {
	grow := b.g.Grow.Funcs[member]
	for s, st := range b.pr.P.Funcs[member].Stages {
		if s == 0 {
			continue
		}
		along := uint64(0)
		for l, loop := range st.Loops {
			if loop.Arg >= 0 && loop.Arg < len(grow) && grow[loop.Arg].Dim == arg {
				along |= access.LoopBit(l)
			}
		}
		others, own := false, true // whether it loads any, and all that it loads is its point's: what it reads itself, and what Funcs in place do
		load := func(fn int, index []access.Index) {
			if fn != member {
				others = true
				own = own && slices.ContainsFunc(index, func(x access.Index) bool { return x.Loops&along != 0 })
			}
		}
		for _, l := range b.pr.Access.Stage(member, s).Loads {
			load(l.Func, l.Index)
		}
		for _, t := range b.pr.ExpandOf(&plan.Nest{Func: member, Stage: s}).Loads {
			load(t.Func, t.Index)
		}
		if !own || !others {
			return true
		}
	}
	return false
}

// unrollShort has a thread compute all points of short loops inside it side by side, over channels mostly: what they load in the loops around them
// they load once.
func (b *blockWindows) unrollShort(n *plan.Nest, tail plan.Tail) {
	if !b.pr.PureLoops(n.Func, n.Stage) {
		return
	}
	loops := b.pr.P.Funcs[n.Func].Stages[n.Stage].Loops
	points := n.PointsPerThread()
	n.Serial = slices.DeleteFunc(n.Serial, func(u plan.Use) bool {
		if loops[u.Loop].Arg < 0 || u.Tile > 0 || u.Extent == 1 || points*u.Extent > maxSums {
			return false
		}
		points *= u.Extent
		n.Unrolled = append(n.Unrolled, plan.Use{Loop: u.Loop, Tile: u.Extent, Extent: u.Extent, Tail: tail})
		n.Blocks = append(n.Blocks, plan.Use{Loop: u.Loop, Tile: u.Extent, Extent: 1})
		return true
	})
}

// places is where each member is computed, with so many windows.
func (b *blockWindows) places(out *plan.Nest, windows int) ([]nestedfusion.Placement, error) {
	w := b.with(out.Stage, windows)
	if w.err != nil || windows == 0 {
		return w.places, w.err
	}
	part := make([]int64, len(b.pr.P.Funcs[b.g.Out].Args))
	for a := range part {
		part[a] = 1
	}
	loops := b.pr.P.Funcs[b.g.Out].Stages[out.Stage].Loops
	for _, uses := range [][]plan.Use{out.Unrolled, out.Serial} {
		for _, u := range uses {
			if a := loops[u.Loop].Arg; a >= 0 {
				part[a] = u.Extent
			}
		}
	}
	ps := slices.Clone(w.places)
	for i := range ps {
		if ps[i].Where == plan.AtThread {
			ps[i].Tile = part
		}
	}
	return ps, nil
}

// with is windows, worked out once.
func (b *blockWindows) with(stage, windows int) windowed {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, ok := b.windowed[windows]
	if !ok {
		w.places, w.err = b.windows(stage, windows)
		b.windowed[windows] = w
	}
	return w
}

// windows puts the windows nearest to the output into the threads: as many members as are
// asked for, each of which is read by the output and other windows alone. It does not depend on the tile.
func (b *blockWindows) windows(stage, windows int) ([]nestedfusion.Placement, error) {
	pr, g := b.pr, b.g
	ps := make([]nestedfusion.Placement, len(g.Members))
	window := map[int]bool{}
	for i := len(g.Members) - 1; i >= 0; i-- {
		m := g.Members[i]
		ps[i] = nestedfusion.Placement{Func: m, Where: plan.AtBlock, Anchor: -1}
		if len(window) == windows {
			continue
		}
		for _, reader := range g.Members {
			if reader == m || !pr.Reads(reader, m) {
				continue
			}
			switch {
			case !window[reader]:
				return nil, fmt.Errorf("block-window: %s is no window, and reads %s", pr.P.Funcs[reader].Label, pr.P.Funcs[m].Label)
			case len(pr.P.Funcs[reader].Stages) != 1:
				// In a loop over the domain its elements would be told apart at run time only: no registers.
				return nil, fmt.Errorf("block-window: %s reads %s in a loop", pr.P.Funcs[reader].Label, pr.P.Funcs[m].Label)
			}
		}
		window[m] = true
	}
	if len(window) == 0 {
		return ps, nil
	}
	grow := pr.Grow(g.Out, stage, func(id int) bool { return pr.Inlined[id] || window[id] })
	for i := range ps {
		p := &ps[i]
		if !window[p.Func] {
			continue
		}
		p.Where, p.Anchor, p.Grow = plan.AtThread, g.Out, grow.Funcs[p.Func]
		if p.Grow == nil {
			return nil, fmt.Errorf("block-window: nothing in a thread reads %s", pr.P.Funcs[p.Func].Label)
		}
		for _, d := range p.Grow {
			if !d.Provable() || !d.Fixed {
				return nil, fmt.Errorf("block-window: the window of %s has no constant size", pr.P.Funcs[p.Func].Label)
			}
		}
	}
	return ps, nil
}

// withReader has a reduction in shared memory whose results one member reads, each point its own, run in the threads of that, in registers: what is read behind a kernel's members is laid out before it. All points that a thread of the
// reader has are known, and few.
func (b *blockWindows) withReader(k *plan.Kernel, p nestedfusion.Placement, tile []int64) (nestedfusion.Placement, bool) {
	at, ok := b.own[p.Func]
	if !ok || p.Where != plan.AtBlock {
		return p, false
	}
	r := &k.Members[slices.Index(b.g.Members, at.Anchor)]
	if r.Where != plan.AtBlock || !r.Fixed() {
		return p, false
	}
	n := &r.Nests[0]
	loops := b.pr.P.Funcs[r.Func].Stages[0].Loops
	at.Tile = slices.Repeat([]int64{1}, len(r.Extents))
	points := int64(1)
	for _, u := range n.Serial {
		if u.Tile > 0 || u.Extent > 1 {
			return p, false
		}
	}
	for _, u := range n.Unrolled {
		arg := loops[u.Loop].Arg
		if u.Tail != plan.RoundUp && (r.Extents[arg]%u.Extent != 0 || !b.sameInAll(b.g.Grow.Funcs[r.Func][arg], tile)) {
			return p, false // the last thread may have fewer
		}
		at.Tile[arg] = u.Extent
		points *= u.Extent
	}
	return at, points <= maxPoints
}

// sameInAll reports whether all tiles, the last among them, need as many points: of what moves with a tile, where the dimension has a known size that is a multiple of the tile's.
func (b *blockWindows) sameInAll(d bounds.Growth, tile []int64) bool {
	if d.Dim < 0 {
		return true
	}
	whole, known := b.pr.Fits.Whole(b.g.Out, d.Dim)
	return known && whole.Extent(1)%tile[d.Dim] == 0
}

// unrollWindow makes all points of a window lie side by side, so that it is in registers. The loops of a reduction are around
// them: each iteration adds to all points, and what several of them load is loaded once.
func unrollWindow(pr *plan.Problem, m *plan.Member) {
	for j := range m.Nests {
		n := &m.Nests[j]
		loops := pr.P.Funcs[n.Func].Stages[n.Stage].Loops
		var domain []plan.Use
		for _, u := range n.Serial {
			if loops[u.Loop].Arg < 0 {
				domain = append(domain, u)
			} else {
				n.Unrolled = append(n.Unrolled, u)
			}
		}
		n.Serial = domain
		unrollDomain(pr, n)
		stepped(pr, n)
	}
}

// maxOperands is how many elements a thread may load in straight code for the iterations of a domain that are unrolled: the compilers load early, and beyond this keep what they
// have loaded in local memory (27 taps over 4x4 points, 216 elements: 4.6 KB; conv_layer's 9 over 4x10, 81 of them: 140 B).
const maxOperands = 96

// turnDomain lets the outer loops over a domain turn whose unrolled iterations would load more than maxOperands for the points of a thread. The innermost one stays: what its iterations
// load they share the most.
func (b *blockWindows) turnDomain(k *plan.Kernel, n *plan.Nest) {
	loops, folded := b.pr.P.Funcs[n.Func].Stages[n.Stage].Loops, b.pr.ExpandOf(n).Unrolled
	for i := len(n.Serial) - 1; i > 0 && n.PointsPerThread() > 1; i-- {
		u := &n.Serial[i]
		if !u.Unroll || loops[u.Loop].RVar < 0 || folded&access.LoopBit(u.Loop) != 0 {
			continue
		}
		if b.est.Operands(k, n) <= maxOperands {
			break
		}
		u.Unroll = false
	}
}

// held is the registers for what the points of a thread share: of the windows and of what is loaded the rows that
// one row of points needs, since ptxas goes from row to row; but all of a window that a serial loop goes through.
func (b *blockWindows) held(k *plan.Kernel, places []nestedfusion.Placement) int {
	again := slices.ContainsFunc(k.Out.Serial, func(u plan.Use) bool { return u.Extent > 1 })
	windows, loads := int64(0), b.est.RowLoads(k, &k.Out)
	if f := &b.pr.P.Funcs[k.Out.Func]; len(f.Stages) > 1 && again {
		// An update adds to all points in each iteration of the loops around them, and then stores them: the address of each row is two registers.
		rows := int64(1)
		for _, u := range k.Out.Unrolled {
			if f.Stages[k.Out.Stage].Loops[u.Loop].Arg > 0 {
				rows *= u.Extent
			}
		}
		for _, t := range f.Types {
			windows += k.Out.PointsPerThread()*((t.Bytes()+3)/4) + 2*rows
		}
	}
	own := make([]int64, len(k.Members)) // registers of each window
	for i := range k.Members {
		m := &k.Members[i]
		if m.Where != plan.AtThread || m.Anchor != k.Out.Func || b.renames(k, m.Func) {
			continue
		}
		for j := range m.Nests {
			loads = max(loads, b.est.RowLoads(k, &m.Nests[j]))
			windows += b.est.RowsApart(k, &m.Nests[j])
		}
		points, last := int64(1), -1 // last: the outermost dimension with several points
		for d, e := range m.Extents {
			points *= e
			if e > 1 {
				last = d
			}
		}
		if last > 0 && len(m.Nests) == 1 && !(again && b.pr.Reads(k.Out.Func, m.Func)) {
			live := points / m.Extents[last] * min(m.Extents[last], places[i].Grow[last].Extent(1))
			points = live + (points-live)/instructions.RunAhead
		}
		for _, t := range b.pr.P.Funcs[m.Func].Types {
			own[i] += points * ((t.Bytes() + 3) / 4) // narrow values have a register each
		}
	}
	windows += b.most(k, own)
	return max(1, int(windows)+loads)
}

// most is how many registers windows have at a time. Those of dimensions that a thread has whole are computed one behind the other, each whole, and
// die where they are read last; of others rows are, as far as they are needed for a row of points.
func (b *blockWindows) most(k *plan.Kernel, own []int64) (most int64) {
	if !slices.ContainsFunc(k.Members, func(m plan.Member) bool { return m.Where == plan.AtThread && b.whole(m.Func) }) {
		for _, n := range own {
			most += n
		}
		return most
	}
	for at := range len(k.Members) + 1 { // computing that member, or the output
		live := int64(0)
		for i := range k.Members[:min(at+1, len(k.Members))] {
			later := k.Members[max(at, i+1):]
			if i == at || b.pr.Reads(k.Out.Func, k.Members[i].Func) || slices.ContainsFunc(later, func(r plan.Member) bool { return b.pr.Reads(r.Func, k.Members[i].Func) }) {
				live += own[i]
			}
		}
		most = max(most, live)
	}
	return most
}

// whole reports whether a thread has a Func whole along a short dimension.
func (b *blockWindows) whole(fn int) bool {
	for arg := range b.pr.P.Funcs[fn].Args {
		if b.pr.HeldArg(fn, arg) {
			return true
		}
	}
	return false
}

// renames reports whether a window is a copy, point by point, of others in the same registers.
func (b *blockWindows) renames(k *plan.Kernel, fn int) bool {
	st := b.pr.Access.Stage(fn, 0)
	if len(b.pr.P.Funcs[fn].Stages) != 1 || !st.Copy || len(st.Loads) == 0 {
		return false
	}
	for i := range st.Loads {
		of := st.Loads[i].Func
		if !slices.ContainsFunc(k.Members, func(m plan.Member) bool { return m.Func == of && m.Where == plan.AtThread }) || !st.Pointwise(of) {
			return false
		}
	}
	return true
}

// spilled is how many bytes a thread stores and loads because what every turn of its loops finds the same has no room: a store of each value, and a load at each turn; and how many lie in memory for it.
func (b *blockWindows) spilled(k *plan.Kernel) (bytes, frame int) {
	nest := func(n *plan.Nest, among int) {
		same, turns := b.est.Invariants(k, n)
		room := b.pr.Limits.MaxRegisters + among - besideHeld - k.Held
		out := instructions.RegisterBytes * max(0, min(same, same-room))
		if out*int(1+turns) > bytes {
			bytes, frame = out*int(1+turns), out
		}
	}
	if len(b.pr.P.Funcs[k.Out.Func].Stages) == 1 { // a sum's own loops are of another kind: what they find the same are operands
		nest(&k.Out, 0)
	}
	for i := range k.Members {
		m := &k.Members[i]
		for j := range m.Nests {
			if m.Where == plan.AtThread {
				nest(&m.Nests[j], amongBeside)
			}
		}
	}
	return bytes, frame
}

// amongBeside is what besideHeld has of what the iterations of a reduction find the same: of addresses. (A product of matrices in 4x8 points holds 44, 14 besides and
// 10 of addresses, and spills 12 B.)
const amongBeside = 4

// pointTail is the tail that the points of a member in shared memory have. Guarded, since with points shifted inwards Halide does not see
// the size of the storage any more; rounded up where that asks for more of no one else, which needs no test.
func (b *blockWindows) pointTail(member int) plan.Tail {
	f := &b.pr.P.Funcs[member]
	if !b.pr.Roundable(b.g.Members, member) || halves(f) || narrow(b.pr, member) {
		return plan.Guarded
	}
	return plan.RoundUp
}

// spreadShared gives each thread of a stage in shared memory as many points as it needs to cover
// the stage with the output's threads.
func (b *blockWindows) spreadShared(m *plan.Member, out *plan.Nest) {
	tail := b.tails[m.Func]
	for j := range m.Nests {
		n := &m.Nests[j]
		first := len(n.Unrolled)
		for i := range n.Threads {
			u := &n.Threads[i]
			if i >= len(out.Threads) {
				continue
			}
			have := out.Threads[i].Extent
			if i == 0 {
				have = ceilDiv(have, 32) * 32 // a warp is a warp
			}
			p := ceilDiv(u.Extent, have)
			if p == 1 {
				continue
			}
			if u.Tile > 0 { // its extent is not Halide's, so that there is a loop around it; see memberNest
				if p > leastTurns && p <= mostTurns {
					turnLoose(n, u, p)
				}
				continue
			}
			n.Unrolled = append(n.Unrolled, plan.Use{Loop: u.Loop, Tile: p, Extent: p, Tail: plan.Guarded})
			u.Extent = ceilDiv(u.Extent, p)
		}
		if points := n.Unrolled[first:]; tail == plan.RoundUp && !slices.ContainsFunc(points, func(u plan.Use) bool { return u.Tile > plan.MorePoints }) {
			b.roundUp(m, n, points)
		}
		n.Along = along(n)
	}
}

// A region that is known at run time only and has so many times the output's threads turns in a loop around those. A halo's are fewer, and a second turn for them
// costs all threads (interpolate 84 to 88 instructions, in place of 70). More are a table, which every block would compute.
const (
	leastTurns = 2
	mostTurns  = 8
)

// turnLoose makes the loop around threads of a region that is known at run time only turn p times. Threads more than the output's would only wait for it, and each
// works out where the region ends.
func turnLoose(n *plan.Nest, u *plan.Use, p int64) {
	u.Extent = ceilDiv(u.Extent, p)
	u.Tile = u.Extent
	for i := range n.Serial {
		if s := &n.Serial[i]; s.Loop == u.Loop && s.Tile > 0 {
			s.Tile, s.Extent = u.Tile, p
		}
	}
}

// roundUp rounds the points up, and what is stored with them.
func (b *blockWindows) roundUp(m *plan.Member, n *plan.Nest, points []plan.Use) {
	loops := b.pr.P.Funcs[m.Func].Stages[n.Stage].Loops
	for i := range points {
		u := &points[i]
		u.Tail = plan.RoundUp
		arg := loops[u.Loop].Arg
		whole := ceilDiv(m.Extents[arg], u.Tile) * u.Tile
		m.Extents[arg], m.Padded[arg] = whole, whole
	}
}

// holds refuses kernels whose threads would hold or run too much.
func (b *blockWindows) holds(k *plan.Kernel) error {
	ops := b.ops(k, func(*plan.Member) bool { return true })
	switch {
	case besideHeld+k.Held > b.pr.Limits.MaxRegisters:
		return fmt.Errorf("block-window: a thread would hold %d values in registers, %d are the most", k.Held, b.pr.Limits.MaxRegisters-besideHeld)
	case ops > maxUnrolledOps:
		return fmt.Errorf("block-window: %d operations in a thread's code", ops)
	}
	return nil
}

// ops are the operations in a thread's code, of the output and of some members.
func (b *blockWindows) ops(k *plan.Kernel, of func(*plan.Member) bool) (sum int64) {
	count := func(n *plan.Nest) {
		inCode, _ := n.Straight()
		ex := b.pr.ExpandOf(n)
		sum += inCode.PointsPerThread() * int64(ex.Ops+ex.Places)
	}
	count(&k.Out)
	for i := range k.Members {
		m := &k.Members[i]
		for j := range m.Nests {
			if of(m) {
				count(&m.Nests[j])
			}
		}
	}
	return sum
}

// ownTooMuch reports whether a thread's own part alone is why holds refuses a kernel: then it refuses all that have the same; see ownPart.
func (b *blockWindows) ownTooMuch(k *plan.Kernel) bool {
	return besideHeld+k.Held > b.pr.Limits.MaxRegisters || b.ops(k, func(m *plan.Member) bool { return m.Where == plan.AtThread && m.Anchor == k.Out.Func }) > maxUnrolledOps
}

// halves reports whether a Func has values of which two fit a register.
func halves(f *halideir.Func) bool {
	return slices.ContainsFunc(f.Types, func(t halideir.Type) bool { return t.Bytes() < 4 })
}

// narrow reports whether a Func, with what is inlined into it, computes in types of which two fit a register.
func narrow(pr *plan.Problem, fn int) bool {
	ops := func(id, stage int) bool {
		v := &pr.Access.Stage(id, stage).Value
		for class := range v.Count {
			switch access.Class(class) {
			case access.Cast, access.Compare, access.Logic:
				continue
			}
			for _, kind := range []access.Kind{access.Int8, access.Int16, access.Float16} {
				if v.Count[class][kind] > 0 {
					return true
				}
			}
		}
		return false
	}
	for stage := range pr.P.Funcs[fn].Stages {
		if ops(fn, stage) || slices.ContainsFunc(pr.Expand[pr.StageIndex(fn, stage)].Inlined, func(id int) bool { return ops(id, 0) }) {
			return true
		}
	}
	return false
}

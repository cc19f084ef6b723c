package instructions

import (
	"slices"

	"gowarp/internal/plan"
)

// work is what a block does, besides what it has loaded already; sectors and stages only as a whole.
func (e *Estimator) work(w *Work, k *plan.Kernel, whole bool) {
	stages, loaded := len(w.Stages), len(w.loaded)
	if c := &k.Counted; c.Issued > 0 {
		w.Double = c.Double
		w.Issued, w.Float, w.Special, w.Memory, w.Requests, w.Further, w.Sectors = c.Issued, c.Float, c.Special, c.Requests, c.Requests, c.Further, c.Sectors
		n, points := float64(max(1, k.ThreadsPerBlock()/plan.WarpLanes)), k.Out.PointsPerThread()
		// What it loads of a line is one instruction, and what it stores is no latency.
		lines := max(0, c.Sectors/n-float64(points*max(1, e.pr.Bytes(k.Out.Func)))*plan.WarpLanes/SectorBytes) / LineSectors
		w.Stages = append(w.Stages, Stage{Issued: c.Issued / n, Turns: 1, Points: points, Loads: lines, Misses: lines})
		return
	}
	if k.Out.Scan {
		k = scanned(k)
	}
	if k.Out.Chunks > 0 {
		k = chunked(k)
	}
	if wide := e.laidOut(w, k, whole); wide.saved > 0 && !wide.pay() {
		plain := *e
		plain.plain = true
		*w = Work{Stages: w.Stages[:stages], loaded: w.loaded[:loaded]}
		plain.laidOut(w, k, whole)
	}
}

// laidOut is work by the kernel's layout; the result is what the vectors that are counted in it are worth.
func (e *Estimator) laidOut(w *Work, k *plan.Kernel, whole bool) (worth wide) {
	all, out, inside := float64(k.Warps()), e.averageWarps(k), e.interior(k)
	know := all // warps that load what the work needs to know of sizes and strides
	one := e.onePiece(k)
	if one {
		know, inside = out, 0
	}
	var sum Part
	thread := allInThread.Get().(*inThread)
	defer thread.done()
	add := func(active float64, n *plan.Nest, given []bool, register bool) {
		straight, times := n.Straight()
		var partly Count
		c := e.inside(&partly, k, &straight, register, inside)
		worth.add(&c.Wide, 1)
		// Parameters are loaded before it is known which warps have work.
		sum.Terms[EntryBuffer] += all * c.Once.Terms[Buffer]
		sum.Terms[EntryStride] += know * c.Once.Terms[Stride]
		sum.Terms[EntryClamp] += know * c.Once.Terms[ClampedDimension]
		t := c.Once
		t.add(&c.Turn, times)
		computed := 1.0
		if n.Stage == 0 {
			if computed = e.pr.Computed(n.Func, func(dim int) int64 { return e.lanesAlong(n, dim) }); computed < 1 {
				t.partly(computed, times*float64(straight.PointsPerThread()))
			}
		}
		if register {
			thread.share(e, k, &straight, &t)
		}
		turns := times
		if n.Scan {
			t.scan(times, e.pr.P.Funcs[n.Func].Types[0].IsFloat(), e.pr.ReadsOwnPlace(n))
			turns = max(1, times/scanGroups)
		}
		if n.Chunks > 0 {
			t.chunks(times, n.Chunks, e.pr.P.Funcs[n.Func].Types[0].IsFloat(), e.pr.ReadsOwnPlace(n))
			w.Barriers += times
		}
		e.looseLoops(n, given, &t.Terms)
		if times > 1 {
			t.Terms[Turn] += turns
		}
		if one {
			t.Terms[Integer] += tests(&straight, times, &c.Once.Terms)
		}
		t.Terms.interior(inside)
		if whole && t.Sectors > 0 {
			if once, ok := e.loadedOnce(k, n); ok {
				t.Sectors = once * computed / active
				t.Asked *= filled(n)
			}
		}
		sum.add(&t, active)
		if whole {
			before := len(w.loaded)
			w.loaded = e.pr.AppendSources(w.loaded, k, n)
			w.Stages = append(w.Stages, Stage{
				Issued: t.issued(), Turns: turns, Points: straight.PointsPerThread(), Again: len(w.loaded) == before,
				Loads: t.Loads, Misses: t.misses(), Shared: t.Memory > t.Global && !register,
			})
		}
	}
	sum.Terms[Warp] = all
	kept := false // whether the block keeps a member
	for i := range k.Members {
		m := &k.Members[i]
		for j := range m.Nests {
			if m.Where == plan.AtThread {
				add(out, &m.Nests[j], nil, true)
				continue
			}
			sum.Terms[Nest] += all
			sum.Terms[MemberDimension] += all * float64(len(m.Nests[j].Threads))
			sum.Terms[MemberPoints] += all * dividedRows(&m.Nests[j])
			kept = true
			sum.Terms[Loose] += all * e.loose(&m.Nests[j], m.Given)
			w.Barriers++
			add(activeWarps(k, &m.Nests[j]), &m.Nests[j], m.Given, false)
		}
	}
	sum.Terms[Nest] += all
	sum.Terms[Dimension] += all * float64(len(k.Out.Blocks))
	if kept {
		sum.Terms[Apron] += all * float64(len(k.Out.Threads))
	}
	shared := e.fusedLoops(k, &k.Out)
	shared.add(&sum, all)
	add(out, &k.Out, nil, false)
	w.Double = sum.Double
	w.Issued, w.Float, w.Special, w.Requests, w.Sectors, w.Terms = sum.issued(), sum.Float, sum.Special, sum.Requests, sum.Sectors+sum.Stored, sum.Terms
	w.Memory, w.Further = sum.Memory+sum.Terms.Parameters(), sum.Further
	return worth
}

// partly is what is left of what a thread does at its points, each of which has a test, if it computes a share of them.
func (p *Part) partly(share, points float64) {
	var left Part
	left.add(p, share)
	left.Terms[Test] += points
	*p = left
}

// lanesAlong is how many points along a dimension the lanes of a warp have side by side.
func (e *Estimator) lanesAlong(n *plan.Nest, dim int) int64 {
	if l := n.Along.Loop; l >= 0 && e.pr.P.Funcs[n.Func].Stages[n.Stage].Loops[l].Arg == dim {
		return min(n.Along.Extent, plan.WarpLanes)
	}
	return 1
}

// misses are loads that L1 does not answer: as many of all as of the sectors that they ask for come from beyond.
func (p *Part) misses() float64 {
	if p.Asked <= 0 {
		return 0
	}
	return p.Loads * min(1, p.Sectors/p.Asked)
}

// issued are all instructions.
func (p *Part) issued() float64 {
	return p.Terms.Instructions() + p.Terms.Parameters() + p.Float + p.Special + p.Memory
}

// inside is what points cost, of which a share of blocks tests none; partly has room for it.
func (e *Estimator) inside(partly *Count, k *plan.Kernel, n *plan.Nest, register bool, share float64) *Count {
	tested := e.points(k, n, register)
	if share == 0 || n.Stage > 0 || !slices.ContainsFunc(n.Unrolled, plan.Use.Guarded) {
		return tested
	}
	free := *n
	free.Unrolled = untested(n.Unrolled)
	partly.add(e.points(k, &free, register), share)
	partly.add(tested, 1-share)
	return partly
}

// dividedRows is in how many dimensions of its threads a stage has several points a thread that are no power of two.
func dividedRows(n *plan.Nest) (dims float64) {
	for _, u := range n.Unrolled {
		if u.Extent&(u.Extent-1) != 0 && slices.ContainsFunc(n.Threads, func(t plan.Use) bool { return t.Loop == u.Loop }) {
			dims++
		}
	}
	return dims
}

// What tests of points cost that are in one piece of code.
const (
	pointTest  = 2 // of a point in a row behind its first: a comparison and a branch
	rowTest    = 4 // of a row: its place, a comparison, a branch, and another on whether its first point is inside
	rowAddress = 3 // of a buffer's row, behind the test: worked out anew, since nothing of the row before is known to have run
)

// tests are instructions for the tests of a thread's points, where no copy of the code is for blocks that need none. What rows begin with is taken out of loops.
func tests(n *plan.Nest, turns float64, once *Terms) float64 {
	points, row := 1.0, 0.0
	for _, u := range n.Unrolled {
		if !u.Guarded() {
			continue
		}
		points *= float64(u.Extent)
		if row == 0 {
			row = float64(u.Extent)
		}
	}
	if points == 1 {
		return 0
	}
	rows := points / row
	return turns*(pointTest*(points-rows)+rowTest*(rows-1)) + rowAddress*(once[Row]+once[StoredRow])*(rows-1)/rows
}

package autoscheduler

import (
	"fmt"
	"math/bits"
	"slices"

	"gowarp/autoscheduler/strategy"
	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/halideir/bounds"
	"gowarp/halideir/rfactor"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
)

// A reduction is factored where its parallel loops leave most of the device idle while each of their iterations runs through
// a long domain. It then has partial results, and the reduction of those is looked at again, so that a whole image becomes a tree.
const (
	// idleShare: so many times the parallel iterations would still not fill the device. Where threads are no scarcer than that, what is gained does not
	// pay for a kernel more and for storing the partial results.
	idleShare = 8
	// longDomain is the iterations in order from which another kernel pays: a launch takes the time of some 50 loads that wait for
	// each other's addition.
	longDomain = 128
	// partDomain is how many of them a partial result takes in where the device is full or not: fewer make more partial results
	// than they save.
	partDomain = 64
	// sharedPoints is how many points a thread has of a reduction whose points share what an iteration loads, of a matrix of products for instance: then so many times the threads are wanted, in partial results. With 4, 8 and 16
	// a matrix of 64x64 sums of 20,000 products is predicted at 85, 78 and 84 us, with a point a thread at 233.
	sharedPoints = 8
	// sharedDomain is partDomain where a thread has all points of short loops side by side, which share what an iteration loads (the products of colours): an iteration then adds to several sums. A covariance of colours
	// of 640x480 is predicted at 40, 35, 34 and 47 us with 64, 32, 16 and 8, in 4, 4, 5 and 6 launches.
	sharedDomain = 32
	// lanesWide is how many neighbours of a row there are partial results for: whole warps, a block of them.
	lanesWide = 256
	// narrowLoop: a parallel loop with fewer iterations than a warp has lanes does not make neighbouring loads of them.
	narrowLoop = plan.WarpLanes
	// mostFactors bounds the steps for a whole pipeline.
	mostFactors = 64
)

// factor makes trees of reductions (Halide's rfactor): see rfactor.Apply.
func factor(s *state) error {
	s.given = s.p
	if s.params.Mode != "gowarp" || s.params.Registers != "" || s.p.Target.API == "none" {
		return nil
	}
	for len(s.factors) < mostFactors && !s.tried.unfactored {
		step, why, err := s.nextFactor()
		if err != nil {
			return err
		}
		if why == "" {
			break
		}
		f := &s.p.Funcs[step.Func]
		d := schedule.Directive{Do: schedule.RFactor, Func: step.Func, Name: f.Label, Stage: step.Stage}
		st := &f.Stages[step.Stage]
		for _, k := range step.Kept {
			l := slices.IndexFunc(st.Loops, func(l halideir.Loop) bool { return l.RVar == k.RVar })
			d.Vars, d.Multiples = append(d.Vars, st.Loops[l].Label), append(d.Multiples, k.Factor)
		}
		if s.p, err = rfactor.Apply(s.p, step); err != nil {
			return err
		}
		if err := s.p.Verify(); err != nil {
			return fmt.Errorf("autoscheduler: %s: %w", &d, err)
		}
		s.factors = append(s.factors, d)
		s.note("factor", -1, "%s: %s", &d, why)
	}
	return s.noteInOrder()
}

// nextFactor is the first reduction that is worth factoring, how, and why; it is not worth it for any without a reason.
func (s *state) nextFactor() (step rfactor.Step, why string, err error) {
	var r *bounds.Regions
	var a *access.Analysis
	var host []string
	for id := range s.p.Funcs {
		f := &s.p.Funcs[id]
		for st := range f.Stages {
			red, ok := rfactor.Of(s.p, id, st)
			if !ok || s.params.Reassociate == "0" && !red.AnyOrder(f.Types) {
				continue
			}
			if r == nil {
				if r, a, err = s.analysed(); err != nil {
					return step, "", err
				}
				host = plan.HostReasons(s.p)
			}
			if host[id] != "" || r.Endless[id] {
				continue
			}
			box, err := r.Loops(s.p, id, st)
			if err != nil {
				return step, "", err
			}
			step = rfactor.Step{Func: id, Stage: st}
			if red.Scatter {
				why = s.keepScatter(&step, r, a, box)
			} else if !s.sumsBlocks(id, st, a) { // as few as blocks
				why = s.keep(&step, &f.Stages[st], a.Stage(id, st), box, maxPoints)
			}
			if why != "" {
				return step, why, nil
			}
		}
	}
	return step, "", nil
}

// threads is how many the device has at a time.
func (s *state) threads() int64 { return int64(s.device.SMs) * int64(s.device.MaxThreadsPerSM) }

// leavesIdle reports whether so many parallel iterations leave most of the device idle, each of them with so many in order that others should have some.
func (s *state) leavesIdle(parallel, serial int64) bool {
	return parallel*idleShare <= s.threads() && serial >= longDomain
}

// keep decides over which reduction variables there are partial results, and says why; it says nothing if there are to be none. There are enough to fill the device, or as many
// as have partDomain points each, and about most at most. Those of neighbouring points in memory come first, so that neighbouring threads
// load neighbours; the rest is taken from the outermost loops, which leaves the inner ones to run in each thread.
func (s *state) keep(step *rfactor.Step, st *halideir.Stage, as *access.Stage, box bounds.Box, most int64) (why string) {
	parallel, serial := int64(1), int64(1)
	for l, loop := range st.Loops {
		n := &serial
		if loop.Kind.Parallel() {
			n = &parallel
		}
		if box[l].Extent() < 1 || *n > maxPoints/box[l].Extent() {
			return ""
		}
		*n *= box[l].Extent()
	}
	if !s.leavesIdle(parallel, serial) {
		return ""
	}
	along := alongMemory(st, as, step.Func, box, false)
	if along >= 0 && parallel >= plan.WarpLanes && s.farApart(st, as, step.Func, along) {
		along = -1 // lanes along what is parallel anyway read one place at a time
	}
	full, domain := s.threads(), int64(partDomain)
	switch {
	case along < 0 && sharesLoads(st, as, step.Func, box, sharedPoints):
		full *= sharedPoints
	case along >= 0 && parallel <= strategy.MaxSerialExtent*strategy.MaxSerialExtent && sharesLoads(st, as, step.Func, box, 2):
		full, domain = full*parallel, sharedDomain // a thread has all of them
	}
	rest := min(max(serial/domain, plan.WarpLanes), full/parallel, most)
	rest = int64(1) << bits.Len64(uint64(rest-1)) // a power of two
	factors := map[int]int64{}                    // by loop: 0 for whole
	take := func(l int, n int64) {
		e := box[l].Extent()
		if e < 2*n {
			factors[l] = e
			if s.p.Nodes[st.RVars[st.Loops[l].RVar].Extent].Op == halideir.OpInt {
				factors[l] = 0
			} // else whole would be empty where the domain is, and Halide's CUDA runtime aborts for an empty buffer
			rest = (rest + e - 1) / e
			return
		}
		by := int64(1)
		if l == along {
			by = min(plan.WarpLanes, max(1, n/2)) // whole warps
		}
		factors[l] = divisor(e, n, by)
		rest = (rest + n - 1) / n
	}
	reductions := 0
	for _, loop := range st.Loops {
		if !loop.Kind.Parallel() {
			reductions++
		}
	}
	if along >= 0 {
		n := min(rest, lanesWide)
		if reductions == 1 {
			n = rest
		}
		take(along, n)
	}
	for l := len(st.Loops) - 1; l >= 0 && rest > 1; l-- {
		if !st.Loops[l].Kind.Parallel() && l != along && box[l].Extent() > 1 {
			take(l, rest)
		}
	}
	if factors[along] > 0 && rest > 1 { // the outer loops are short
		n := factors[along]
		delete(factors, along)
		take(along, min(n*rest, box[along].Extent()))
	}
	step.Lane = -1
	parts := int64(1)
	for l, loop := range st.Loops {
		factor, ok := factors[l]
		if !ok {
			continue
		}
		if l == along {
			step.Lane = len(step.Kept)
		}
		step.Kept = append(step.Kept, rfactor.Kept{RVar: loop.RVar, Factor: factor})
		if factor == 0 {
			factor = box[l].Extent()
		}
		parts *= factor
	}
	if 2*parts > serial { // next to nothing would be left to reduce
		return ""
	}
	return fmt.Sprintf("%d parallel iterations of %d in order leave most of the device's %d threads idle; %d partial results of each are computed side by side",
		parallel, serial, s.threads(), parts)
}

// mostApart is how many bytes neighbours may be apart that lanes load together.
const mostApart = 8

// farApart reports whether the neighbours that a loop goes through are far from each other in memory, wherever it gives a place: in the second dimension of coordinates (4, n), say.
func (s *state) farApart(st *halideir.Stage, as *access.Stage, fn, loop int) bool {
	far := false
	for i := range as.Loads {
		t := &as.Loads[i]
		if t.Func == fn || t.InAddress {
			continue
		}
		var box bounds.Box
		if r := s.analysis.regions; t.Func >= 0 {
			box = r.Funcs[t.Func]
		} else {
			box = r.Input(s.p, t.Input) // of which no more may be needed than a part
		}
		apart := t.Type.Bytes()
		for d := range min(len(t.Index), len(box)) {
			if t.Index[d].DependsOn(loop) {
				if apart <= mostApart {
					return false
				}
				far = true
				break
			}
			apart *= max(1, box[d].Extent())
		}
	}
	return far
}

// sharesLoads reports whether threads with several points of a reduction side by side share what they load in each iteration, as a product of matrices does: each load moves with one of several loops over arguments at most. Loops with fewer than so many
// iterations do not count.
func sharesLoads(st *halideir.Stage, as *access.Stage, fn int, box bounds.Box, least int64) bool {
	var loops uint64
	for i := range as.Loads {
		t := &as.Loads[i]
		if t.Func == fn {
			continue
		}
		var moves uint64
		for l, loop := range st.Loops {
			if loop.Kind.Parallel() && box[l].Extent() >= least && slices.ContainsFunc(t.Index, func(x access.Index) bool { return x.DependsOn(l) }) {
				moves |= access.LoopBit(l)
			}
		}
		if bits.OnesCount64(moves) > 1 {
			return false
		}
		loops |= moves
	}
	return bits.OnesCount64(loops) > 1
}

// divisor is the greatest number from n down to n/2, in steps, by which an extent can be divided, n if there is none: a part that is not whole is
// tested in every iteration.
func divisor(extent, n, step int64) int64 {
	for d := n; 2*d > n; d -= step {
		if extent%d == 0 {
			return d
		}
	}
	return n
}

// alongMemory is the loop over a reduction variable along which the loads' neighbours in memory lie, with those for places or without; -1 if that is a
// parallel loop, or none.
func alongMemory(st *halideir.Stage, as *access.Stage, fn int, box bounds.Box, places bool) int {
	votes := make([]int, len(st.Loops))
	for _, load := range as.Loads {
		if load.Func == fn || load.InAddress && !places {
			continue
		}
		for _, x := range load.Index {
			found := -1
			for l := range st.Loops {
				if x.DependsOn(l) && !(st.Loops[l].Kind.Parallel() && box[l].Extent() < narrowLoop) {
					found = l
					if !st.Loops[l].Kind.Parallel() {
						break
					}
				}
			}
			if found >= 0 {
				votes[found]++
				break
			}
		}
	}
	best := -1
	for l, n := range votes {
		if n > 0 && (best < 0 || n > votes[best]) {
			best = l
		}
	}
	if best >= 0 && st.Loops[best].Kind.Parallel() {
		return -1
	}
	return best
}

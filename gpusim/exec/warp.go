package exec

import (
	"math/bits"

	"gowarp/gpusim/check"
	"gowarp/gpusim/ptx"
)

// state is what a warp is doing.
type state uint8

const (
	running state = iota
	waiting       // at a barrier
	finished
)

// frame is an entry of a warp's stack of divergence and calls: the lanes of mask
// run code from block pc until they reach block join.
type frame struct {
	code     *code
	pc, join int32
	mask     uint32
	// parked lanes stand at the barrier that ends their block, and lanes of their warp
	// that went another way run first: they may leave the kernel.
	parked bool
}

// warp is 32 threads in lockstep.
type warp struct {
	w       *worker
	k       *Kernel
	first   int    // the number of its first thread in the block
	lanes   uint32 // that exist
	exited  uint32
	mask    uint32 // that run now
	state   state
	barrier int32
	line    int32
	stack   []frame
	// switched says that an instruction has put other lanes on top of the stack.
	switched bool

	r32    []lanes32
	r64    []lanes64
	preds  []uint32
	taints []uint32 // per register, the lanes that hold undefined values
	tmp32  lanes32
	tmp64  lanes64
	carry  uint32
	// lanes whose carry is undefined
	carryTaint uint32
	addr       lanes64
	pattern    pattern // of addr
	stride     uint64  // unless scattered
	local      []byte  // lane after lane
	lshade     []byte
	fresh      []uint32 // taints at the start of a block

	steps    int64
	requests uint32 // to global memory, in this block
}

// quantum is how many basic blocks a warp runs before another one gets its turn, so
// that a warp that waits for memory does not wait for ever.
const quantum = 1 << 14

// newWarp prepares a warp for the blocks of a launch.
func newWarp(w *worker, first int) *warp {
	k := w.k
	wp := &warp{w: w, k: k, first: first}
	wp.r32, wp.r64 = make([]lanes32, k.n32), make([]lanes64, k.n64)
	wp.preds, wp.taints, wp.fresh = make([]uint32, k.nPred), make([]uint32, k.nTaint), make([]uint32, k.nTaint)
	if k.LocalBytes > 0 {
		wp.local, wp.lshade = make([]byte, 32*k.LocalBytes), make([]byte, 32*k.LocalBytes)
	}
	n := min(w.threads-first, 32)
	wp.lanes = uint32(uint64(1)<<n - 1)
	for i := range wp.fresh {
		wp.fresh[i] = all
	}
	wp.fresh[0] = 0
	for _, t := range k.templates {
		wp.fresh[t.slot.taint] = 0
		for lane := range 32 {
			v := t.value
			switch {
			case t.param >= 0:
				v = load(w.params[t.param:], t.bytes)
				if t.value != 0 {
					v = uint64(sx(v, uint8(t.value)))
				}
			case t.name != "":
				v = wp.special(t.name, lane)
			}
			wp.fill(t.slot, lane, v)
		}
	}
	return wp
}

func (w *warp) fill(s slot, lane int, v uint64) {
	switch s.class {
	case word:
		w.r32[s.at][lane] = uint32(v)
	case double:
		w.r64[s.at][lane] = v
	case boolean:
		w.preds[s.at] = w.preds[s.at]&^(1<<lane) | uint32(v&1)<<lane
	}
}

// special is a special register of a lane, ctaid aside.
func (w *warp) special(name string, lane int) uint64 {
	t := w.first + lane
	dim := w.w.launch.Block
	switch name {
	case "%tid.x":
		return uint64(t % dim[0])
	case "%tid.y":
		return uint64(t / dim[0] % dim[1])
	case "%tid.z":
		return uint64(t / (dim[0] * dim[1]))
	case "%laneid":
		return uint64(lane)
	case "%warpid":
		return uint64(w.first / 32)
	case "%nwarpid":
		return uint64((w.w.threads + 31) / 32)
	case "%lanemask_eq":
		return 1 << lane
	case "%lanemask_lt":
		return 1<<lane - 1
	case "%lanemask_le":
		return 2<<lane - 1
	case "%lanemask_gt":
		return mask(32) &^ (2<<lane - 1)
	case "%lanemask_ge":
		return mask(32) &^ (1<<lane - 1)
	}
	axis := int(name[len(name)-1] - 'x')
	if name[1:5] == "ntid" {
		return uint64(dim[axis])
	}
	return uint64(w.w.launch.Grid[axis]) // nctaid; ctaid is set by start
}

// start puts a warp at the beginning of a block.
func (w *warp) start() {
	copy(w.taints, w.fresh)
	for _, t := range w.k.templates {
		if len(t.name) > 6 && t.name[:6] == "%ctaid" {
			v := w.w.block[t.name[7]-'x']
			if t.slot.class == word {
				for lane := range 32 {
					w.r32[t.slot.at][lane] = uint32(v)
				}
			} else {
				for lane := range 32 {
					w.fill(t.slot, lane, uint64(v))
				}
			}
		}
	}
	w.w.forget(w.lshade)
	w.exited, w.state, w.steps, w.requests, w.carryTaint = 0, running, 0, 0, 0
	main := w.k.main
	w.stack = append(w.stack[:0], frame{code: main, join: int32(len(main.blocks)), mask: w.lanes})
}

// run runs the warp until it waits, ends, or its turn is over.
func (w *warp) run() {
	most := w.w.launch.maxSteps()
	for range quantum {
		n := len(w.stack)
		if n == 0 {
			w.state = finished
			return
		}
		top := &w.stack[n-1]
		if top.pc == top.join || int(top.pc) >= len(top.code.blocks) {
			w.stack = w.stack[:n-1]
			continue
		}
		b := &top.code.blocks[top.pc]
		w.mask = top.mask
		ops := b.ops
		if top.parked {
			top.parked = false
			ops = ops[len(ops)-1:] // the barrier
		} else {
			w.w.runs[b.number]++
			w.w.active[b.number] += int64(bits.OnesCount32(top.mask))
		}
		for i := range ops {
			o := &ops[i]
			if o.guard >= 0 {
				w.guarded(o)
			} else {
				o.run(w, o)
			}
			if w.w.stop {
				return
			}
		}
		if w.switched {
			w.switched = false
			continue
		}
		w.end(top, b)
		if w.steps++; w.steps > most {
			w.fail(b.line, check.EndlessLoop, bits.TrailingZeros32(w.lanes), "the warp has run %d basic blocks without an end (GOWARP_GPUSIM_MAX_STEPS allows more)", w.steps)
			return
		}
		if w.w.steps++; w.w.steps > w.w.launch.MaxWork && w.w.launch.MaxWork > 0 {
			w.fail(b.line, check.EndlessLoop, bits.TrailingZeros32(w.lanes), "all warps together have run %d basic blocks, the most that they may", w.w.launch.MaxWork)
			return
		}
		if w.state != running {
			return
		}
	}
}

func (w *warp) guarded(o *op) {
	p := w.preds[o.guard]
	if o.invert {
		p = ^p
	}
	if bad := w.taints[o.guardTaint] & w.mask; bad != 0 && w.w.checks {
		w.undefined(o.line, slot{boolean, o.guard, o.guardTaint}, bad, "decides whether an instruction runs")
	}
	old := w.mask
	if w.mask &= p; w.mask != 0 {
		o.run(w, o)
	}
	w.mask = old
}

// end ends a basic block.
func (w *warp) end(top *frame, b *codeBlock) {
	switch b.term {
	case goTo:
		top.pc = b.next
	case branch, leaveIf:
		w.branch(top, b)
	case leave:
		w.retire(top, top.mask)
		top.pc = int32(len(top.code.blocks))
	case callThen:
		top.pc = b.next
		w.stack = append(w.stack, frame{code: b.callee, join: int32(len(b.callee.blocks)), mask: top.mask})
	case barrierThen:
		top.pc = b.next
	case trapNow:
		w.fail(b.line, check.Trap, bits.TrailingZeros32(top.mask), "the kernel stops itself: an assertion of Halide's does not hold (a bound that was promised too small)")
	}
}

// retire notes that lanes have left the kernel.
func (w *warp) retire(top *frame, lanes uint32) {
	if top.code == w.k.main {
		w.exited |= lanes
	}
}

func (w *warp) branch(top *frame, b *codeBlock) {
	p := w.preds[b.guard]
	if b.invert {
		p = ^p
	}
	if bad := w.taints[b.taint] & top.mask; bad != 0 && w.w.checks {
		w.undefined(b.line, slot{boolean, b.guard, b.taint}, bad, "decides a branch")
	}
	w.w.count.Branches++
	taken := p & top.mask
	if b.term == leaveIf {
		w.retire(top, taken)
	}
	switch taken {
	case top.mask:
		top.pc = b.next
		return
	case 0:
		top.pc = b.fall
		return
	}
	w.w.count.DivergentBranches++
	rest := top.mask &^ taken
	c, join := top.code, b.join
	if join == top.join {
		// Nobody runs between here and where the outer lanes meet.
		w.stack = w.stack[:len(w.stack)-1]
	} else {
		top.pc = join
	}
	w.stack = append(w.stack, frame{code: c, pc: b.fall, join: join, mask: rest}, frame{code: c, pc: b.next, join: join, mask: taken})
}

// arrive is bar.sync.
func arrive(w *warp, o *op) {
	if live := w.lanes &^ w.exited; w.mask != live {
		if w.park(live &^ w.mask) {
			return
		}
		missing := bits.TrailingZeros32(live &^ w.mask)
		w.fail(o.line, check.DivergentBarrier, bits.TrailingZeros32(w.mask),
			"thread %v of the same warp is elsewhere", w.thread(missing))
		return
	}
	w.w.count.Barriers++
	w.state, w.barrier, w.line = waiting, o.barID, o.line
}

// park lets lanes that are not at the barrier run before those that are, if they went another
// way that does not lead back here: they may leave the kernel, and a barrier waits for no
// lanes that have left.
func (w *warp) park(missing uint32) bool {
	n := len(w.stack) - 1
	between := uint32(0)
	for i := n - 1; i >= 0; i-- {
		f := w.stack[i]
		if f.mask&w.mask != 0 {
			return false // where the lanes at the barrier go on later
		}
		if !f.parked && f.mask&missing != 0 && f.mask&between == 0 {
			w.stack[n].parked, w.switched = true, true
			w.stack[i], w.stack[n] = w.stack[n], w.stack[i]
			return true
		}
		between |= f.mask
	}
	return false
}

// thread is the thread of a lane.
func (w *warp) thread(lane int) [3]int {
	t, dim := w.first+lane, w.w.launch.Block
	return [3]int{t % dim[0], t / dim[0] % dim[1], t / (dim[0] * dim[1])}
}

// taint sets the undefined lanes of a result.
func (w *warp) taint(d slot, lanes uint32) {
	t := &w.taints[d.taint]
	*t = *t&^w.mask | lanes&w.mask
}

// space names for messages.
func spaceName(s ptx.Space) string { return s.String() + " memory" }

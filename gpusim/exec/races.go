package exec

import (
	"fmt"
	"math/bits"
	"sync"

	"gowarp/gpusim/check"
)

// lockStripes is how many locks an allocation's pages of race cells share.
const lockStripes = 64

var pagePool = sync.Pool{New: func() any { return new(check.Page) }}

// page returns the page of race cells that holds a cell, with its lock held.
func (a *alloc) page(cell int) (*check.Page, *sync.Mutex) {
	n := cell / check.PageCells
	mu := &a.mu[n%lockStripes]
	mu.Lock()
	if a.cells[n] == nil {
		a.cells[n] = pagePool.Get().(*check.Page)
	}
	return a.cells[n], mu
}

// access describes a lane's access for the race check.
func (w *warp) access(lane int, atomic bool) check.Access {
	return check.NewAccess(w.w.blockNumber, w.w.interval, w.first+lane, atomic)
}

// lanesOnPage are those of some lanes whose race cells lie in the same page as those of the
// first of them, and its first cell. All lie in the allocation.
func (w *warp) lanesOnPage(a *alloc, lanes uint32) (on uint32, cell int) {
	size := uint64(check.PageCells * w.k.globalGranule)
	begin := (w.addr[bits.TrailingZeros32(lanes)&31] - a.base) &^ (size - 1) // both are powers of two
	if w.pattern != scattered && w.addr[31]-a.base-begin < size {
		return lanes, int(begin / size * check.PageCells) // addresses ascend
	}
	for m := lanes; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); w.addr[lane&31]-a.base-begin < size {
			on |= 1 << lane
		}
	}
	return on, int(begin / size * check.PageCells)
}

// raceLoad looks for races of a load by all active lanes, each bytes wide and all in
// one allocation.
func (w *warp) raceLoad(a *alloc, o *op, bytes int) {
	if a.cells == nil {
		return
	}
	left := w.mask
	if !o.atomic {
		left = 0
		g := w.k.globalGranule
		for m := w.mask; m != 0; {
			lanes, cell := w.lanesOnPage(a, m)
			m &^= lanes
			p, mu := a.page(cell)
			for at := 0; at < bytes; at += g {
				left |= p.ReadLanes(&w.addr, a.base-uint64(at), lanes&^left, uint8(bits.TrailingZeros(uint(g))), w.access(0, false))
			}
			mu.Unlock()
		}
	}
	for m := left; m != 0; m &= m - 1 {
		w.raceLane(a, o, bits.TrailingZeros32(m), bytes, false).Unlock()
	}
}

// raceSharedLoad is the same in shared memory.
func (w *warp) raceSharedLoad(o *op, bytes int) {
	left := w.mask
	if !o.atomic {
		left = 0
		g := w.k.sharedGranule
		for at := 0; at < bytes; at += g {
			left |= w.w.races.ReadLanes(&w.addr, uint64(at), w.mask&^left, uint8(bits.TrailingZeros(uint(g))), w.first)
		}
	}
	for m := left; m != 0; m &= m - 1 {
		w.raceShared(bits.TrailingZeros32(m), o, bytes, false)
	}
}

// raceLane looks for a race of one lane. It returns with the lock on the cells
// held: a store moves its bytes before it lets go, so that two stores of the same
// value are seen as that whichever comes second. An aligned access lies in one page.
func (w *warp) raceLane(a *alloc, o *op, lane, bytes int, write bool) *sync.Mutex {
	g := w.k.globalGranule
	first := int(w.addr[lane]-a.base) / g
	p, mu := a.page(first)
	for n := first; n <= first+(bytes-1)/g; n++ {
		w.raceCell(p, n%check.PageCells, o, lane, write)
	}
	return mu
}

func (w *warp) raceCell(p *check.Page, n int, o *op, lane int, write bool) {
	me := w.access(lane, o.atomic)
	var other check.Access
	what, written := "reads", false
	if write {
		other, written = p.Write(n, me)
		what = "writes"
		if o.rmw != nil {
			p.Read(n, me)
		}
	} else {
		other = p.Read(n, me)
	}
	if other != 0 {
		w.race(o, lane, what, other, written, check.GlobalRace)
	}
}

// raceShared looks for races of one lane in shared memory.
func (w *warp) raceShared(lane int, o *op, bytes int, write bool) {
	g := w.k.sharedGranule
	first := int(w.addr[lane]) / g
	me := w.first + lane
	for n := first; n <= first+(bytes-1)/g; n++ {
		var other int
		what, written := "reads", false
		if write {
			other, written = w.w.races.Write(n, me, o.atomic)
			what = "writes"
			if o.rmw != nil {
				w.w.races.Read(n, me, true)
			}
		} else {
			other = w.w.races.Read(n, me, o.atomic)
		}
		if other >= 0 {
			w.race(o, lane, what, check.NewAccess(w.w.blockNumber, w.w.interval, other, o.atomic), written, check.SharedRace)
		}
	}
}

// race reports a race, once its two sides are known. Two stores of the same value are
// a note.
func (w *warp) race(o *op, lane int, what string, other check.Access, written bool, kind check.Kind) {
	t, dim := other.Thread(), w.w.launch.Block
	thread := [3]int{t % dim[0], t / dim[0] % dim[1], t / (dim[0] * dim[1])}
	where := "thread " + check.Coordinates(thread) + " of the same block"
	if b := int(other.Block()); other.Block() != w.w.blockNumber {
		grid := w.w.launch.Grid
		where = "thread " + check.Coordinates(thread) + " of block " + check.Coordinates([3]int{b % grid[0], b / grid[0] % grid[1], b / (grid[0] * grid[1])})
	}
	if written && w.sameValue(o, lane) {
		kind = check.SameValueRace
	}
	w.find(o.line, kind, lane, fmt.Sprintf("%s %d bytes at %#x that %s accesses too, with no barrier between", what, int(o.size)*max(len(o.vec), 1), w.addr[lane], where))
}

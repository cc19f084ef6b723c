package exec

import (
	"fmt"
	"math/bits"
	"sync"

	"gowarp/gpusim/check"
)

// cellPage holds the race cells of pageGranules granules of an allocation.
type cellPage [pageGranules]check.Cell

const (
	pageGranules = 1024
	lockStripes  = 64
)

var pagePool = sync.Pool{New: func() any { return new(cellPage) }}

// access describes a lane's access for the race check.
func (w *warp) access(lane int, atomic bool) check.Access {
	return check.NewAccess(w.w.blockNumber, w.w.interval, w.first+lane, atomic)
}

// raceGlobal looks for races of all active lanes, each bytes wide.
func (w *warp) raceGlobal(a *alloc, o *op, bytes int, write bool) {
	if a.cells == nil {
		return
	}
	g := w.k.globalGranule
	held := -1
	for m := w.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		first := int(w.addr[lane]-a.base) / g
		for n := first; n <= first+(bytes-1)/g; n++ {
			page := n / pageGranules
			if page != held {
				if held >= 0 {
					a.mu[held%lockStripes].Unlock()
				}
				held = page
				a.mu[held%lockStripes].Lock()
				if a.cells[page] == nil {
					a.cells[page] = pagePool.Get().(*cellPage)
				}
			}
			w.raceCell(&a.cells[page][n%pageGranules], o, lane, write, o.atomic, check.GlobalRace)
		}
	}
	if held >= 0 {
		a.mu[held%lockStripes].Unlock()
	}
}

// raceTogether is raceGlobal for a load of one word, or of 32 at equal distances.
func (w *warp) raceTogether(a *alloc, o *op) {
	g := w.k.globalGranule
	n := int(w.addr[0]-a.base) / g
	page, at := n/pageGranules, n%pageGranules
	step := int(w.stride) / 4
	if a.cells == nil || g != 4 || o.atomic || at+31*step >= pageGranules {
		w.raceGlobal(a, o, 4, false)
		return
	}
	mu := &a.mu[page%lockStripes]
	mu.Lock()
	defer mu.Unlock()
	if a.cells[page] == nil {
		a.cells[page] = pagePool.Get().(*cellPage)
	}
	if w.pattern == uniform {
		// Two of the lanes say as much as all of them.
		c := &a.cells[page][at]
		w.raceCell(c, o, 0, false, false, check.GlobalRace)
		w.raceCell(c, o, 1, false, false, check.GlobalRace)
		return
	}
	me := w.access(0, false)
	cells := a.cells[page]
	for i := range 32 {
		if c := &cells[at]; !c.FirstRead(me) {
			w.raceCell(c, o, i, false, false, check.GlobalRace)
		}
		me += check.NextThread
		at += step
	}
}

// raceStore notes and does a store of 32 adjacent words that nobody else has touched. Of
// any other it returns false and does nothing.
func (w *warp) raceStore(a *alloc, o *op, first uint64) bool {
	n := int(w.addr[0]-a.base) / 4
	page, at := n/pageGranules, n%pageGranules
	if a.cells == nil || w.k.globalGranule != 4 || o.atomic || at+32 > pageGranules {
		return false
	}
	mu := &a.mu[page%lockStripes]
	mu.Lock()
	defer mu.Unlock()
	if a.cells[page] == nil {
		a.cells[page] = pagePool.Get().(*cellPage)
	}
	me := w.access(0, false)
	cells := a.cells[page][at : at+32]
	for i := range cells {
		if !cells[i].Untouched() {
			return false
		}
	}
	for i := range cells {
		cells[i].Write(me)
		me += check.NextThread
	}
	w.storeWords(a, o, first)
	return true
}

// raceLane looks for a race of one lane. It returns with the lock on the cells
// held, or nil: a store moves its bytes before it lets go, so that two stores of the same
// value are seen as that whichever comes second. An aligned access lies in one page.
func (w *warp) raceLane(a *alloc, o *op, lane, bytes int, write bool) *sync.Mutex {
	if a.cells == nil {
		return nil
	}
	g := w.k.globalGranule
	first := int(w.addr[lane]-a.base) / g
	page := first / pageGranules
	mu := &a.mu[page%lockStripes]
	mu.Lock()
	if a.cells[page] == nil {
		a.cells[page] = pagePool.Get().(*cellPage)
	}
	for n := first; n <= first+(bytes-1)/g; n++ {
		w.raceCell(&a.cells[page][n%pageGranules], o, lane, write, o.atomic, check.GlobalRace)
	}
	return mu
}

// raceShared looks for races of one lane in shared memory.
func (w *warp) raceShared(lane int, o *op, bytes int, write, atomic bool) {
	g := w.k.sharedGranule
	first := int(w.addr[lane]) / g
	for n := first; n <= first+(bytes-1)/g; n++ {
		c := &w.w.scells[n]
		c.Forget(w.access(lane, atomic))
		w.raceCell(c, o, lane, write, atomic, check.SharedRace)
	}
}

func (w *warp) raceCell(c *check.Cell, o *op, lane int, write, atomic bool, kind check.Kind) {
	me := w.access(lane, atomic)
	var other check.Access
	what, written := "reads", false
	if write {
		other, written = c.Write(me)
		what = "writes"
		if atomic {
			c.Read(me)
		}
	} else {
		other = c.Read(me)
	}
	if other != 0 {
		w.race(o, lane, what, other, written, kind)
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

package exec

import (
	"math/bits"
	"strings"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
)

// cached returns the allocation that holds bytes at addr if it is the one that this
// instruction accessed last, or another that is in use.
func (w *worker) cached(o *op, addr uint64, bytes int) *alloc {
	a := w.allocs[o.site]
	if a != nil && addr-a.base <= uint64(len(a.data)) && addr-a.base+uint64(bytes) <= uint64(len(a.data)) {
		return a
	}
	a, err := w.memory.lookup(addr, bytes)
	if err != nil {
		return nil
	}
	w.allocs[o.site] = a
	return a
}

// resolve reports why an address is none of an allocation's.
func (w *worker) resolve(wp *warp, o *op, lane, bytes int) *alloc {
	a, err := w.memory.lookup(wp.addr[lane], bytes)
	if err == nil {
		return a
	}
	kind := check.OutOfBounds
	if a != nil && a.freed && strings.Contains(err.Error(), "freed") {
		kind = check.Freed
	}
	wp.fail(o.line, kind, lane, "%v", err)
	return nil
}

// touchRange notes that a global request touches sectors first to last.
func (w *worker) touchRange(first, last uint64) {
	addr := first * count.SectorBytes
	a := w.lastAlloc
	if a == nil || addr-a.base >= uint64(len(a.data)) {
		var err error
		if a, err = w.memory.lookup(addr, 1); err != nil {
			return // reported where it is accessed
		}
		w.lastAlloc = a
		if w.touched[a] == nil {
			w.touched[a] = make([]uint64, len(a.data)/count.SectorBytes/64+1)
		}
		w.lastTouched = w.touched[a]
	}
	base := a.base / count.SectorBytes // allocations begin at a sector
	for s := first - base; s <= last-base && s/64 < uint64(len(w.lastTouched)); s++ {
		w.lastTouched[s/64] |= 1 << (s % 64)
	}
}

func coldBytes(set []uint64) int64 {
	n := 0
	for _, b := range set {
		n += bits.OnesCount64(b)
	}
	return int64(n * count.SectorBytes)
}

// startRaces prepares the race cells of all allocations for a launch.
func (m *Memory) startRaces(granule int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.allocs {
		if !a.freed {
			a.cells = make([]*cellPage, len(a.data)/granule/pageGranules+1)
		}
	}
}

// endRaces forgets them: the end of a launch orders everything.
func (m *Memory) endRaces() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.allocs {
		for _, p := range a.cells {
			if p != nil {
				*p = cellPage{}
				pagePool.Put(p)
			}
		}
		a.cells = nil
	}
}
